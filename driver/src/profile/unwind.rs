//! How perf finds a sample's callers: by frame pointers, which cost nothing, or by copying the stack and reading DWARF.

use crate::error::{Error, Result};

/// `--unwind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Unwind {
    /// Frame pointers: the server has to be built with -fno-omit-frame-pointer
    Fp,
    /// Copies 16 kB of stack a sample and reads unwind tables: slower, works with any build
    Dwarf,
}

impl Unwind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp => "frame pointers",
            Self::Dwarf => "DWARF",
        }
    }

    /// perf's `--call-graph`.
    pub fn perf_name(self) -> &'static str {
        match self {
            Self::Fp => "fp",
            Self::Dwarf => "dwarf,16384",
        }
    }

    /// What suits the program that process `pid` runs.
    ///
    /// # Errors
    /// The program cannot be read.
    pub fn of(pid: i32) -> Result<Self> {
        let program = format!("/proc/{pid}/exe");
        let code = std::fs::read(&program).map_err(|error| {
            Error::failed(format!("cannot read the server's program ({program}): {error}"))
                .hint("run sps as root or as the server's user; or say --unwind fp or --unwind dwarf")
        })?;
        Ok(Self::of_program(&code))
    }

    /// A build with frame pointers sets one up in each of the server's ten thousand functions; without them a few dozen
    /// sequences of bytes look like it by chance.
    fn of_program(code: &[u8]) -> Self {
        let sets_up: &[u8] = match std::env::consts::ARCH {
            // push %rbp; mov %rsp,%rbp
            "x86_64" => b"\x55\x48\x89\xe5",
            // mov x29, sp
            "aarch64" => b"\xfd\x03\x00\x91",
            _ => return Self::Dwarf,
        };
        let found = code.windows(sets_up.len()).filter(|window| *window == sets_up).count();
        if 1000 <= found { Self::Fp } else { Self::Dwarf }
    }
}
