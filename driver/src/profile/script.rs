//! Samples from `perf script`, a paragraph each: a line of what was sampled, then frames from the innermost out.

use crate::error::{Error, Result};

use super::symbol;

/// A function on a stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frame {
    pub name: String,
    /// File name of the program or library; `[kernel]`; empty where it is not known.
    pub module: String,
}

impl Frame {
    fn parse(line: &str) -> Option<Self> {
        // "1bbe73 _bt_compare (/usr/lib/postgresql/15/bin/postgres)"
        let (_, rest) = line.trim_start().split_once(' ')?;
        let (symbol, module) = rest.split_once(" (")?;
        let module = module.strip_suffix(')')?.trim_end_matches(" (deleted)");
        let module = match module.rsplit('/').next().unwrap_or(module) {
            "[kernel.kallsyms]" | "[kernel.vmlinux]" | "vmlinux" | "[guest.kernel.kallsyms]" => "[kernel]",
            "[unknown]" => "",
            file => file,
        };
        let name = if symbol == "[unknown]" { symbol::NAMELESS.into() } else { symbol::plain(symbol) };
        Some(Self { name, module: module.into() })
    }

    pub fn is_nameless(&self) -> bool {
        self.name == symbol::NAMELESS
    }

    /// In a picture: functions without a name say of which module.
    pub fn label(&self) -> String {
        match (self.is_nameless(), self.module.as_str()) {
            (true, "") => "[unknown]".into(),
            (true, module) => format!("[static functions of {module}]"),
            // a semicolon would end the frame
            (false, _) => self.name.replace(';', ":"),
        }
    }
}

/// Where a process was, `weight` of the event away from the sample before.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub pid: i32,
    /// `cpu-clock`, `cycles:u`.
    pub event: String,
    /// Nanoseconds of `cpu-clock`, cycles of `cycles`.
    pub weight: u64,
    /// From the outermost in.
    pub frames: Vec<Frame>,
}

/// Reads `perf script --fields comm,pid,period,event,ip,sym,dso`.
///
/// # Errors
/// A line that is none of it.
pub fn parse(text: &str) -> Result<Vec<Sample>> {
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines() {
        let damaged = || Error::failed(format!("perf script printed what is no sample: \"{line}\""));
        if line.trim().is_empty() {
            continue;
        }
        let indented = line.starts_with(['\t', ' ']);
        match samples.last_mut() {
            // a name may be short of the column that it is padded to, so indentation alone does not tell
            Some(sample) if indented && line.ends_with(')') => {
                sample.frames.push(Frame::parse(line).ok_or_else(damaged)?)
            }
            _ => samples.push(header(line).ok_or_else(damaged)?),
        }
    }
    samples.iter_mut().for_each(|sample| sample.frames.reverse());
    Ok(samples)
}

/// `postgres 20694    1001001 cpu-clock: `, the name perhaps with blanks in it.
fn header(line: &str) -> Option<Sample> {
    let mut words = line.trim_end().strip_suffix(':')?.rsplit(' ').filter(|word| !word.is_empty());
    let (event, weight, pid) = (words.next()?, words.next()?, words.next()?);
    Some(Sample { pid: pid.parse().ok()?, event: event.into(), weight: weight.parse().ok()?, frames: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::{Frame, parse};

    const TEXT: &str = "postgres 20694    1001001 cpu-clock: \n\t          1bbe73 _bt_compare (/tmp/x/bin/postgres)\n\
        \t          1bc590 [unknown] (/tmp/x/bin/postgres)\n\t           5f801 _ZN3sps3run17h0123456789abcdefE (/tmp/x/lib/select_loop.so)\n\n\
        my own name 17    1001001 cycles:u: \n\tffffffff8 do_syscall_64 ([kernel.kallsyms])\n\n     1 2 cpu-clock: \n";

    #[test]
    fn frames_come_from_the_outermost_in() {
        let samples = parse(TEXT).unwrap();
        let frame = |name: &str, module: &str| Frame { name: name.into(), module: module.into() };
        assert_eq!((samples[0].pid, samples[0].weight, samples[0].event.as_str()), (20694, 1_001_001, "cpu-clock"));
        let expected = [
            frame("sps::run", "select_loop.so"),
            frame("[static functions]", "postgres"),
            frame("_bt_compare", "postgres"),
        ];
        assert_eq!(samples[0].frames, expected);
        assert_eq!(samples[0].frames[1].label(), "[static functions of postgres]");
        assert_eq!((samples[1].pid, samples[1].event.as_str()), (17, "cycles:u"));
        assert_eq!(samples[1].frames, [frame("do_syscall_64", "[kernel]")]);
        assert_eq!((samples[2].pid, samples[2].frames.len()), (1, 0));
    }

    #[test]
    fn what_is_no_sample_is_refused() {
        assert!(parse("WARNING: no samples\n").is_err());
    }
}
