//! Text for people as their terminal has it: in its characters, and with colours where it wants them.

use anstyle::{AnsiColor, Style};

use super::bar::Charset;

/// How text is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub charset: Charset,
    pub colours: bool,
}

impl Look {
    /// Standard output's: colours on a terminal, unless NO_COLOR is set, CLICOLOR is 0 or TERM is dumb; CLICOLOR_FORCE has them
    /// anywhere.
    pub fn of_stdout() -> Self {
        let choice = anstream::AutoStream::choice(&std::io::stdout());
        let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|it| !it.is_empty());
        // where CI is set anstream takes a dumb terminal for one with colours
        let dumb = !forced && std::env::var_os("TERM").is_some_and(|it| it == "dumb");
        Self { charset: Charset::of_locale(), colours: choice != anstream::ColorChoice::Never && !dumb }
    }

    /// `text` in this look.
    pub fn apply(self, text: &str) -> String {
        let lines = text.split_inclusive('\n').map(|line| if self.colours { paint(line) } else { line.to_owned() });
        match self.charset {
            Charset::Utf8 => lines.collect(),
            Charset::Ascii => lines.map(|line| plain(&line)).collect(),
        }
    }
}

/// A warning's label stands out.
fn paint(line: &str) -> String {
    const LABEL: &str = "warning";
    const STYLE: Style = AnsiColor::Yellow.on_default().bold();
    match line.strip_prefix(LABEL).filter(|rest| rest.starts_with([' ', ':'])) {
        Some(rest) => format!("{STYLE}{LABEL}{STYLE:#}{rest}"),
        None => line.to_owned(),
    }
}

/// Our own signs in ASCII, as wide as they were where they stand in tables. What names hold stays.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for letter in line.chars() {
        match letter {
            '–' => out.push('-'),
            'µ' => out.push('u'),
            '±' => out += "+/-",
            '…' => out += "...",
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Charset, Look};

    const TEXT: &str = "a  3.4 µs  1 – 2\nwarning      ±3 %\nwarnings\n";

    #[test]
    fn without_utf_8_our_signs_are_ascii() {
        let look = Look { charset: Charset::Ascii, colours: false };
        assert_eq!(look.apply(TEXT), "a  3.4 us  1 - 2\nwarning      +/-3 %\nwarnings\n");
        assert_eq!(look.apply("caf\u{e9}\n"), "caf\u{e9}\n");
    }

    #[test]
    fn colours_change_nothing_but_colour() {
        let look = Look { charset: Charset::Utf8, colours: true };
        let painted = look.apply(TEXT);
        assert_eq!(painted.matches('\u{1b}').count(), 3, "{painted:?}");
        assert_eq!(anstream::adapter::strip_str(&painted).to_string(), TEXT);
        assert_eq!(Look { charset: Charset::Utf8, colours: false }.apply(TEXT), TEXT);
    }
}
