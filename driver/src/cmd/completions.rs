//! `sps completions`: what a shell completes after `sps`.

use clap_complete::Shell;

use crate::cli;
use crate::error::{Exit, Result};
use crate::report::print_text;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// bash: into /usr/share/bash-completion/completions/sps; zsh: into a folder of $fpath, as _sps; fish: into
    /// ~/.config/fish/completions/sps.fish
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub fn run(args: Args) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "sps", &mut text);
    print_text(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}
