//! `sps check`: what would distort a measurement on this server, with a hint each.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};

use crate::error::{Exit, Result};
use crate::interrupt;
use crate::report::print_text;
use crate::server::{ConnectArgs, Target, dataset, finding};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Table to look up in; pgbench_accounts where there is one
    #[arg(long, value_name = "NAME")]
    relation: Option<String>,
    /// Scale of a private server's tables
    #[arg(long, short = 's', default_value_t = 10, value_parser = clap::value_parser!(i64).range(1..=100_000))]
    scale: i64,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// Findings are advice: they do not change the exit code.
pub fn run(args: Args) -> Result<Exit> {
    interrupt::install()?;
    let target = Target::open(&args.connect, args.scale)?;
    interrupt::check()?;
    let session = target.session()?;
    let lookup = dataset::inspect(&session, args.relation.as_deref());
    let findings = finding::inspect(&session, &target.info, lookup.as_ref().ok().map(|(data, lookup)| (data, lookup)))?;

    let mut table = Table::new();
    table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["item", "value", "ok", "hint"]);
    for finding in &findings {
        table.add_row([finding.item.as_str(), &finding.value, if finding.ok { "yes" } else { "NO" }, &finding.hint]);
    }
    let mut text = format!("{}\ndatabase {}, user {}", target.info.version, target.info.database, target.info.user);
    text.extend(target.info.tls.iter().map(|tls| format!(", {tls}")));
    text.push_str(match &target.info.extension {
        Some(_) => ", with the extension",
        None => ", without the extension: wire arms and plpgsql only",
    });
    text.push_str(&format!("\n\n{}\n", table.trim_fmt()));
    match lookup {
        Ok((data, _)) => text.push_str(&format!("\ntable {}: {} keys from {}\n", data.relation, data.rows, data.min)),
        Err(error) => {
            text.push_str(&format!("\nthe lookup was not checked: {}\n", error.message));
            text.extend(error.hint.map(|hint| format!("hint: {hint}\n")));
        }
    }
    print_text(&text)?;
    Ok(Exit::Done)
}
