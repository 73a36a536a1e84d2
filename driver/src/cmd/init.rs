//! `sps init`: pgbench's tables, on a server that is named. Works without the extension.

use std::io::Write;

use crate::error::{Exit, Result, tell};
use crate::interrupt;
use crate::server::table::{self, Fill, TableOptions};
use crate::server::{NamedArgs, Target, capacity};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// 100,000 accounts, about 15 MB, a unit
    #[arg(long, short = 's', default_value_t = 1, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    scale: i64,
    /// Fill factor of branches, tellers and accounts
    #[arg(long, short = 'F', default_value_t = 100, value_parser = clap::value_parser!(u8).range(10..=100))]
    fillfactor: u8,
    /// Create unlogged tables
    #[arg(long, visible_alias = "unlogged-tables")]
    unlogged: bool,
    /// Balances of the accounts
    #[arg(long, value_enum, default_value = "key")]
    fill: Fill,
    /// Drop pgbench's tables first where they are there; nothing is dropped without it
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    connect: NamedArgs,
}

pub fn run(args: Args) -> Result<Exit> {
    interrupt::install()?;
    let target = Target::named(&args.connect)?;
    let session = target.session()?;
    let options = TableOptions {
        scale: args.scale,
        fillfactor: args.fillfactor,
        unlogged: args.unlogged,
        fill: args.fill,
        replace: args.replace,
    };
    if !options.replace {
        table::check_absent(&session)?;
    }
    tell(format_args!(
        "scale {}: {} accounts, about {} of tables and indexes in database {}",
        options.scale,
        options.accounts(),
        capacity::human(options.bytes()),
        target.info.database
    ));
    match capacity::data_directory(&target.info, &session)? {
        Some(directory) => capacity::check_space(&directory, options.bytes())?,
        None => tell("the server's free disk space cannot be seen from here: not checked"),
    }
    table::create(&session, &options)?;
    let _ = writeln!(std::io::stdout(), "created pgbench's tables at scale {} in {}", args.scale, target.info.database);
    Ok(Exit::Done)
}
