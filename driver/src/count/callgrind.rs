//! Reads what callgrind wrote of one process: instructions and calls by function.
//!
//! Format: Valgrind manual, "Callgrind Format Specification". Names are written once and numbered (`fn=(7) ExecutorRun`, later
//! `fn=(7)`); costs that follow `calls=` are what the callee took, callees included.

use std::collections::HashMap;
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::profile::symbol;

/// A function of a module; all functions that a stripped module does not name are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function {
    pub name: Rc<str>,
    /// File name of the program or library.
    pub module: Rc<str>,
}

/// What a function cost a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Instructions of the function itself.
    pub own: i64,
    /// Its outermost activations.
    pub outer: Activations,
    /// Its activations within itself.
    pub inner: Activations,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activations {
    /// Instructions, callees included; 0 for functions without a name.
    pub inclusive: i64,
    pub calls: i64,
}

/// A process's instructions.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub functions: HashMap<Function, Cost>,
    /// Instructions of the error guards that our library sets up: the C library's part of each.
    pub guards: i64,
}

/// Our library: what runs in it is the harness.
pub const LIBRARY: &str = "select_loop.so";

const SERVER: &str = "postgres";

/// A server with its symbols has a few nameless instructions, too: jumps to functions of other libraries.
const STRIPPED: f64 = 0.05;

impl Profile {
    /// All instructions.
    pub fn total(&self) -> i64 {
        self.functions.values().map(|cost| cost.own).sum()
    }

    /// Are the server's static functions without names?
    pub fn is_stripped(&self) -> bool {
        let nameless = Function { name: symbol::NAMELESS.into(), module: SERVER.into() };
        let own = self.functions.get(&nameless).map_or(0, |cost| cost.own);
        own as f64 > STRIPPED * self.total() as f64
    }

    /// Instructions in our library and its guards.
    pub fn harness(&self) -> i64 {
        let ours = self.functions.iter().filter(|(function, _)| &*function.module == LIBRARY);
        ours.map(|(_, cost)| cost.own).sum::<i64>() + self.guards
    }

    /// Reads the text of a callgrind file.
    ///
    /// # Errors
    /// It is cut off, or of another format.
    pub fn parse(text: &str) -> Result<Self> {
        let mut reader = Reader::default();
        for line in text.lines() {
            reader.line(line).ok_or_else(|| damaged(&format!("line \"{line}\"")))?;
        }
        // the last line of a whole file
        if !reader.whole {
            return Err(damaged("it has no totals"));
        }
        Ok(reader.profile)
    }
}

fn damaged(what: &str) -> Error {
    Error::failed(format!("callgrind's output is damaged: {what}")).hint("is there room on the disk of TMPDIR?")
}

/// Activations that the file tells apart: those of a function within itself are called `name'2`.
#[derive(Clone, Copy)]
enum Level {
    Outer,
    Inner,
    /// Of functions together.
    Nameless,
}

/// A function as the file names it, in an object.
#[derive(Clone)]
struct Named {
    function: Function,
    level: Level,
}

impl Cost {
    fn at(&mut self, level: Level) -> &mut Activations {
        match level {
            Level::Outer | Level::Nameless => &mut self.outer,
            Level::Inner => &mut self.inner,
        }
    }
}

#[derive(Default)]
struct Reader {
    profile: Profile,
    objects: HashMap<u64, Rc<str>>,
    names: HashMap<u64, (Rc<str>, Level)>,
    object: Rc<str>,
    callee_object: Option<Rc<str>>,
    current: Option<Named>,
    callee: Option<Named>,
    /// The next cost is what a callee took.
    of_call: bool,
    whole: bool,
}

impl Reader {
    /// None for a line that cannot be.
    fn line(&mut self, line: &str) -> Option<()> {
        if let Some((key, value)) = line.split_once('=') {
            match key {
                "ob" => self.object = self.object_of(value)?,
                "cob" => self.callee_object = Some(self.object_of(value)?),
                "fn" => self.current = Some(self.function_of(value, self.object.clone())?),
                "cfn" => {
                    let object = self.callee_object.take().unwrap_or_else(|| self.object.clone());
                    self.callee = Some(self.function_of(value, object)?);
                }
                "calls" => {
                    let count: i64 = value.split(' ').next()?.parse().ok()?;
                    let callee = self.callee.as_ref()?;
                    let cost = self.profile.functions.entry(callee.function.clone()).or_default();
                    cost.at(callee.level).calls += count;
                    self.of_call = true;
                }
                // files and jumps
                _ => {}
            }
            return Some(());
        }
        if line.starts_with("totals:") {
            self.whole = true;
        }
        if !line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            return Some(());
        }
        // "+3 17": a line, absolute or relative to the one before, and a cost, left out where it is 0
        let cost = line.split(' ').nth(1).map_or(Some(0), |cost| cost.parse::<i64>().ok())?;
        self.cost(cost)
    }

    fn cost(&mut self, cost: i64) -> Option<()> {
        let Named { function, level } = self.current.as_ref()?;
        let named = self.profile.functions.entry(function.clone()).or_default();
        let of_call = std::mem::take(&mut self.of_call);
        if !of_call {
            named.own += cost;
        }
        if !matches!(level, Level::Nameless) {
            named.at(*level).inclusive += cost;
        }
        if of_call {
            let callee = &self.callee.as_ref()?.function;
            if &*function.module == LIBRARY && &*callee.module != LIBRARY && callee.name.contains("sigsetjmp") {
                self.profile.guards += cost;
            }
        }
        Some(())
    }

    /// `(7) /usr/lib/postgresql/15/bin/postgres`, or `(7)` once that has been said.
    fn object_of(&mut self, value: &str) -> Option<Rc<str>> {
        let (number, path) = numbered(value)?;
        if let Some(path) = path {
            let file = path.rsplit('/').next().unwrap_or(path);
            self.objects.insert(number, file.into());
        }
        self.objects.get(&number).cloned()
    }

    fn function_of(&mut self, value: &str, module: Rc<str>) -> Option<Named> {
        let (number, name) = numbered(value)?;
        if let Some(name) = name {
            let (plain, level) = match name.rsplit_once('\'') {
                Some((plain, deep)) if deep.bytes().all(|digit| digit.is_ascii_digit()) => (plain, Level::Inner),
                _ => (name, Level::Outer),
            };
            // an address stands for what the symbol table does not name
            let named = match plain.starts_with("0x") || plain == "???" {
                true => (symbol::NAMELESS.into(), Level::Nameless),
                false => (symbol::plain(plain).into(), level),
            };
            self.names.insert(number, named);
        }
        let (name, level) = self.names.get(&number)?.clone();
        Some(Named { function: Function { name, module }, level })
    }
}

/// The number in brackets, and the name where it follows.
fn numbered(value: &str) -> Option<(u64, Option<&str>)> {
    let (number, name) = value.strip_prefix('(')?.split_once(')')?;
    Some((number.parse().ok()?, Some(name.trim_start()).filter(|name| !name.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::{Activations, Cost, Function, Profile};

    /// `lookup` recurses; our library calls it and sets up a guard, and a stripped library has a function without a name.
    const TEXT: &str = "version: 1\nevents: Ir\n\nob=(1) /x/select_loop.so\nfl=(1) ???\nfn=(1) run\n0 10\ncob=(2) /lib/libc.so.6\n\
        cfn=(2) __sigsetjmp\ncalls=2 0\n* 8\ncob=(3) /bin/postgres\ncfn=(3) lookup\ncalls=4 0 \n+2 400\n\n\
        ob=(3)\nfn=(3)\n0 100\ncfn=(4) lookup'2\ncalls=4 7\n7 250\ncob=(2)\ncfn=(5) 0x0000000000001234\ncalls=1 9\n9 50\n\n\
        fn=(4)\n1 250\n\nob=(2)\nfn=(2)\n0 8\nfn=(5)\n0 50\n\ntotals: 418\n";

    fn of(profile: &Profile, name: &str, module: &str) -> Cost {
        profile.functions[&Function { name: name.into(), module: module.into() }]
    }

    #[test]
    fn costs_are_summed_by_function_and_an_activation_within_another_is_told_apart() {
        let profile = Profile::parse(TEXT).unwrap();
        let cost = |own, outer: (i64, i64), inner: (i64, i64)| Cost {
            own,
            outer: Activations { inclusive: outer.0, calls: outer.1 },
            inner: Activations { inclusive: inner.0, calls: inner.1 },
        };
        assert_eq!(of(&profile, "run", "select_loop.so"), cost(10, (418, 0), (0, 0)));
        assert_eq!(of(&profile, "lookup", "postgres"), cost(350, (400, 4), (250, 4)));
        assert_eq!(of(&profile, "[static functions]", "libc.so.6"), cost(50, (0, 1), (0, 0)));
        assert_eq!((profile.total(), profile.harness(), profile.is_stripped()), (418, 18, false));
    }

    #[test]
    fn a_stripped_server_is_noticed() {
        let text = TEXT.replace("fn=(3)\n0 100", "fn=(6) 0x0000000000005678\n0 100");
        assert!(Profile::parse(&text).unwrap().is_stripped());
    }

    #[test]
    fn a_file_that_is_cut_off_is_refused() {
        assert!(Profile::parse("").is_err());
        assert!(Profile::parse(TEXT.split("totals").next().unwrap()).is_err());
        assert!(Profile::parse(&TEXT.replace("calls=4 0 ", "calls=many 0")).is_err());
    }
}
