//! Where a measuring command's result goes: the table, and files in other formats.

use std::path::Path;

use crate::error::{Error, Result};
use crate::report::{self, File, Format, Report};

#[derive(Clone, Debug, clap::Args)]
pub struct Destination {
    /// Write the summary as JSON, too; - prints it, alone
    #[arg(long, value_name = "FILE|-")]
    json: Option<String>,
    /// Write the summary as CSV, too; - prints it, alone
    #[arg(long, value_name = "FILE|-")]
    csv: Option<String>,
    /// Write the report as a web page that needs nothing else, too; - prints it, alone
    #[arg(long, value_name = "FILE|-")]
    html: Option<String>,
    /// Write the report as Markdown, too; - prints it, alone
    #[arg(long, value_name = "FILE|-")]
    markdown: Option<String>,
    /// No table and no progress bar
    #[arg(long, short = 'q')]
    quiet: bool,
}

/// The same, its files open.
#[derive(Debug)]
pub struct Open {
    files: Vec<(File, &'static str)>,
    /// The format that standard output gets; None for nothing.
    printed: Option<&'static str>,
    progress: bool,
}

impl Destination {
    /// Opens the files, so that a wrong name is found before a minute has been spent.
    pub fn open(&self) -> Result<Open> {
        let asked = [("json", &self.json), ("csv", &self.csv), ("html", &self.html), ("markdown", &self.markdown)];
        let asked: Vec<(&str, &str)> =
            asked.iter().filter_map(|(format, place)| Some((*format, place.as_deref()?))).collect();
        let printed: Vec<&'static str> =
            asked.iter().filter(|(_, place)| *place == "-").map(|(format, _)| *format).collect();
        if let [first, second, ..] = printed.as_slice() {
            return Err(Error::usage(format!("--{first} - and --{second} - cannot share standard output"))
                .hint("name a file for one"));
        }
        let mut files = Vec::new();
        for (format, place) in asked.into_iter().filter(|(_, place)| *place != "-") {
            files.push((File::open(Path::new(place))?, format));
        }
        let printed = printed.first().copied().or((!self.quiet).then_some("table"));
        Ok(Open { files, printed, progress: !self.quiet })
    }
}

impl Open {
    pub fn shows_progress(&self) -> bool {
        self.progress
    }

    /// Writes `reports` wherever they are wanted, files first.
    pub fn write(self, reports: &[Report]) -> Result<()> {
        for (file, name) in self.files {
            file.write(known(name)?, reports)?;
        }
        match self.printed {
            Some(name) => report::print(known(name)?, reports),
            None => Ok(()),
        }
    }
}

fn known(name: &str) -> Result<&'static dyn Format> {
    report::format(name).ok_or_else(|| Error::failed(format!("no report format is called \"{name}\"")))
}
