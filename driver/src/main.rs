//! `sps`: parse the command line, run the subcommand, turn its outcome into an exit code.

use std::process::ExitCode;

use sps::error::tell;

fn main() -> ExitCode {
    let outcome = sps::cli::run();
    let exit = match outcome {
        Ok(exit) => exit,
        Err(error) => {
            tell(format_args!("sps: {}", error.message));
            if let Some(hint) = &error.hint {
                tell(format_args!("hint: {hint}"));
            }
            error.exit
        }
    };
    ExitCode::from(exit as u8)
}
