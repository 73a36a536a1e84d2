//! `sps`: parse the command line, run the subcommand, turn its outcome into an exit code.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = sps::cli::run();
    let exit = match outcome {
        Ok(exit) => exit,
        Err(error) => {
            let mut stderr = std::io::stderr().lock();
            // a closed stderr is no reason to fail differently
            let _ = writeln!(stderr, "sps: {}", error.message);
            if let Some(hint) = &error.hint {
                let _ = writeln!(stderr, "hint: {hint}");
            }
            error.exit
        }
    };
    ExitCode::from(exit as u8)
}
