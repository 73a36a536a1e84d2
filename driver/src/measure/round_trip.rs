//! What a wake-up costs on this machine: an empty message over a unix socket and back, between two threads.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use crate::arm::Placement;
use crate::error::{Error, Result};
use crate::server::placement::{CoreSet, Cores, pin_thread};

/// At 3 to 60 µs each these take about a tenth of a second in all.
const WARM_UP: usize = 200;
const TRIPS: usize = 1500;

/// Median round trips in microseconds by placement: `same`, and `split` where there are two cores.
pub fn measure() -> Result<BTreeMap<String, f64>> {
    let cores = Cores::detect(None)?;
    let near = CoreSet::of([cores.nth(0)])?;
    let mut trips = BTreeMap::new();
    trips.insert(Placement::Same.name().to_owned(), between(&near, &near)?);
    if cores.count() > 1 {
        let far = CoreSet::of([cores.nth(1)])?;
        trips.insert(Placement::Split.name().to_owned(), between(&near, &far)?);
    }
    Ok(trips)
}

fn between(client: &CoreSet, server: &CoreSet) -> Result<f64> {
    let (near, far) = UnixStream::pair()?;
    std::thread::scope(|scope| {
        scope.spawn(move || echo(far, server));
        let near = scope.spawn(move || ask(near, client));
        near.join().map_err(|_| Error::failed("the round-trip thread ended unexpectedly"))?
    })
}

/// Ends when the other side hangs up; an error ends it, too, and shows on the other side.
fn echo(mut socket: UnixStream, cores: &CoreSet) -> Result<()> {
    pin_thread(cores)?;
    let mut byte = [0];
    while socket.read(&mut byte)? == 1 {
        socket.write_all(&byte)?;
    }
    Ok(())
}

fn ask(mut socket: UnixStream, cores: &CoreSet) -> Result<f64> {
    pin_thread(cores)?;
    let mut byte = [0];
    let mut nanoseconds = Vec::with_capacity(TRIPS);
    for trip in 0..WARM_UP + TRIPS {
        let start = Instant::now();
        socket.write_all(&byte)?;
        socket.read_exact(&mut byte)?;
        if trip >= WARM_UP {
            nanoseconds.push(start.elapsed().as_nanos() as u64);
        }
    }
    nanoseconds.sort_unstable();
    Ok(nanoseconds[TRIPS / 2] as f64 / 1000.0)
}
