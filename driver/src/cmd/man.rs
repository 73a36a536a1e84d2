//! `sps man`: manual pages, made from the command line itself.

use std::path::PathBuf;

use clap_mangen::Man;

use crate::cli;
use crate::error::{Error, Exit, Result};
use crate::report::print_text;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write sps.1 and a page for each subcommand into this folder, instead of printing sps.1
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<Exit> {
    match args.folder {
        Some(folder) => clap_mangen::generate_to(cli::command(), &folder).map_err(|error| {
            Error::failed(format!("cannot write manual pages into \"{}\": {error}", folder.display()))
                .hint("the folder has to be there")
        })?,
        None => {
            let mut page = Vec::new();
            Man::new(cli::command()).render(&mut page)?;
            print_text(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(Exit::Done)
}
