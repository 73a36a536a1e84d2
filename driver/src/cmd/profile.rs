//! `sps profile`: a flame graph of one arm's backend, or of the difference between two arms.

use std::io::Write as _;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::arm::{ArmSpec, Lookup};
use crate::cmd::layout::{number, unpaired};
use crate::error::{Error, Exit, Result, tell};
use crate::interrupt;
use crate::profile::{self, Caption, DEFAULT_EVENT, Order, Profile, Unwind};
use crate::record::Dataset;
use crate::report::number::time as duration;
use crate::report::{File, print_text};
use crate::server::{PlaceArgs, Target, dataset};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The arm: a layer, of which only the loop is shown, or a wire arm, backend and client
    #[arg(value_name = "ARM", required_unless_present = "diff")]
    arm: Option<String>,
    /// What TEST takes more per select than BASE (red) and less (blue)
    #[arg(long, num_args = 2, value_names = ["BASE", "TEST"], conflicts_with_all = ["arm", "attach_pause"])]
    diff: Option<Vec<String>>,
    /// The flame graph; the folded stacks go beside it [default: ARM.svg, or BASE-TEST.svg]
    #[arg(short = 'o', long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
    /// Seconds to sample for, each arm
    #[arg(short = 'T', long, value_name = "SECONDS", default_value_t = 5, value_parser = number(86_400))]
    time: u64,
    /// Samples a second
    #[arg(short = 'F', long, value_name = "HZ", default_value_t = 997, value_parser = number(100_000))]
    frequency: u64,
    /// perf's event; where the machine counts no cycles perf takes cpu-clock
    #[arg(long, value_name = "EVENT", default_value = DEFAULT_EVENT)]
    event: String,
    /// How to find callers [default: frame pointers where the server has them, else DWARF]
    #[arg(long, value_enum)]
    unwind: Option<Unwind>,
    /// Functions printed
    #[arg(long, value_name = "N", default_value_t = 15)]
    top: usize,
    /// Keep perf's data and the samples as text, beside the flame graph
    #[arg(long)]
    keep: bool,
    /// Record nothing: print the process ids, wait for Enter, run the arm for its time (for perf, gdb, bpftrace, VTune)
    #[arg(long, conflicts_with_all = ["keep", "output"])]
    attach_pause: bool,
    /// Selects in one call of a layer
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = number(1_000_000_000))]
    selects: u64,
    /// Decides the keys
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    seed: i64,
    /// Scale of a private server's tables
    #[arg(long, short = 's', default_value_t = 10, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    scale: i64,
    /// Table to look up in; pgbench_accounts where there is one
    #[arg(long, value_name = "NAME")]
    relation: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

pub fn run(args: Args) -> Result<Exit> {
    let names = match (&args.diff, &args.arm) {
        (Some(pair), _) => pair.clone(),
        (None, arm) => arm.iter().cloned().collect(),
    };
    let specs = names.iter().map(|arm| arm.parse()).collect::<Result<Vec<ArmSpec>>>()?;
    let picture = args.output.clone().unwrap_or_else(|| format!("{}.svg", names.join("-")).into());
    let version = if args.attach_pause { String::new() } else { profile::version()? };
    let folder = picture.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(missing) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Error::failed(format!("there is no folder {} for the flame graph", missing.display())));
    }
    interrupt::install()?;
    let target = Target::at(args.place.resolve(false)?, args.scale, true)?;
    let (dataset, lookup) = dataset::inspect(&target.session()?, args.relation.as_deref())?;
    if args.attach_pause {
        return args.pause(&specs[0], &target, &dataset, &lookup);
    }
    let mut profiles = Vec::with_capacity(specs.len());
    for spec in specs {
        profiles.push(profile::record(&args.order(spec), &target, &dataset, &lookup)?);
    }
    let server = format!("{}, perf {version}", target.info.version.split(" on ").next().unwrap_or_default());
    drop(target);
    let written = args.write(&profiles, &picture, &server)?;
    let text = match &profiles[..] {
        [base, test] => profile::difference_text(base, test, args.top),
        [one, ..] => profile::text(one, args.top),
        [] => String::new(),
    };
    let files: String = written.iter().map(|path| format!("{:<12} {}\n", "written", path.display())).collect();
    print_text(&format!("{:<12} {server}\n{text}{files}", "server"))?;
    Ok(Exit::Done)
}

impl Args {
    fn order(&self, spec: ArmSpec) -> Order {
        Order {
            spec,
            time: Duration::from_secs(self.time),
            event: self.event.clone(),
            frequency: self.frequency,
            unwind: self.unwind,
            plan: unpaired(self.seed, self.selects as i64),
        }
    }

    /// Picture, folded stacks and, where they are to be kept, perf's own files; the paths of all.
    fn write(&self, profiles: &[Profile], picture: &Path, server: &str) -> Result<Vec<PathBuf>> {
        let mut written = vec![picture.to_owned()];
        let mut folded = |path: PathBuf, lines: &[String]| -> Result<()> {
            File::open(&path)?.write_text(&(lines.join("\n") + "\n"))?;
            written.push(path);
            Ok(())
        };
        let svg = match profiles {
            [base, test] => {
                let (before, after) = (base.folded_per_select(), test.folded_per_select());
                folded(picture.with_extension("base.folded"), &before)?;
                folded(picture.with_extension("test.folded"), &after)?;
                let title = format!("{} against {}, per select", test.arm, base.arm);
                let unit =
                    if test.unit() == "ns" { "ps".to_owned() } else { format!("thousandths of {}", test.unit()) };
                let subtitle = format!("red: more than in {}; {server}; {}", base.arm, test.about());
                profile::difference_graph(&before, &after, Caption { title, subtitle, unit })?
            }
            [one, ..] => {
                let lines = one.folded();
                folded(picture.with_extension("folded"), &lines)?;
                let subtitle = format!("{server}; {}", one.about());
                profile::graph(&lines, Caption { title: one.arm.clone(), subtitle, unit: one.unit().to_owned() })?
            }
            [] => String::new(),
        };
        File::open(picture)?.write_text(&svg)?;
        if self.keep {
            for (one, side) in profiles.iter().zip(["base", "test"]) {
                let beside = if profiles.len() == 2 {
                    picture.with_extension(format!("{side}.svg"))
                } else {
                    picture.to_owned()
                };
                written.extend(one.script.keep(&beside)?);
            }
        }
        Ok(written)
    }

    fn pause(&self, spec: &ArmSpec, target: &Target, dataset: &Dataset, lookup: &Lookup) -> Result<Exit> {
        let order = self.order(spec.clone());
        let (selects, elapsed_ns) = profile::paused(&order, target, dataset, lookup, |arm, backend, client| {
            print_text(&format!("{arm}: backend {backend}, client {client}\n"))?;
            tell(format_args!("press Enter to run it for {} s", self.time));
            enter()
        })?;
        let each = duration(elapsed_ns as f64 / selects.max(1) as f64);
        print_text(&format!("{selects} selects in {}, {each} each\n", duration(elapsed_ns as f64)))?;
        Ok(Exit::Done)
    }
}

/// Waits for a line on standard input, or its end; Ctrl-C ends the wait.
fn enter() -> Result<()> {
    let input = std::io::stdin();
    let _ = std::io::stdout().flush();
    loop {
        interrupt::check()?;
        let mut wanted = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        match poll(&mut wanted, PollTimeout::from(100_u8)) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => {}
            _ => {
                input.read_line(&mut String::new())?;
                return Ok(());
            }
        }
    }
}
