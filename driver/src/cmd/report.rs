use crate::error::{Error, Exit, Result};

#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> Result<Exit> {
    Err(Error::failed("not built yet"))
}
