//! How a client waits for its answer, compared: `cargo run --release -p sps --example waiting`.
//!
//! On a unix socket the way of waiting decides how often a client is woken and what it does before it sleeps. Each variant
//! sends the messages of the arm `prepared` and waits in its own way; rounds interleave them in a changing order, client
//! and backend on two cores and on one. Connects as PGHOST, PGPORT, PGUSER and PGDATABASE say, by trust or peer, to a server
//! of this machine that it may pin: run it as `sps server -- cargo run …`.

use std::error::Error;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::{MsgFlags, recv};
use nix::sys::time::TimeValLike;
use nix::unistd::Pid;
use postgres_protocol::message::frontend;

type Done<T = ()> = Result<T, Box<dyn Error>>;

/// One way of waiting, ready to read when it returns.
enum Waiting {
    /// A blocking read.
    Read,
    /// epoll, level-triggered: looks at the socket again before it sleeps.
    Level(Epoll),
    /// epoll, edge-triggered: sleeps at once.
    Edge(Epoll),
    /// The same, also woken when there is room to write again, as the server takes the request: tokio's way.
    EdgeBoth(Epoll),
    /// poll, as libpq, but without a read before it.
    Poll,
    /// A read that may find nothing, then poll: what libpq under pgbench does. For comparison only, since it polls.
    ReadThenPoll,
}

const NAMES: [&str; 6] = ["read", "epoll level", "epoll edge", "edge, both", "poll", "read, poll"];

impl Waiting {
    fn new(which: usize, socket: &UnixStream) -> Done<Self> {
        let epoll = |flags| -> Done<Epoll> {
            let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
            epoll.add(socket, EpollEvent::new(flags, 0))?;
            Ok(epoll)
        };
        Ok(match which {
            0 => Self::Read,
            1 => Self::Level(epoll(EpollFlags::EPOLLIN)?),
            2 => Self::Edge(epoll(EpollFlags::EPOLLIN | EpollFlags::EPOLLET)?),
            3 => Self::EdgeBoth(epoll(EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT | EpollFlags::EPOLLET)?),
            4 => Self::Poll,
            _ => Self::ReadThenPoll,
        })
    }

    /// Bytes that a read before the wait has brought.
    fn wait(&self, socket: &UnixStream, buffer: &mut [u8]) -> Done<usize> {
        let poll = || poll(&mut [PollFd::new(socket.as_fd(), PollFlags::POLLIN)], PollTimeout::NONE);
        match self {
            Self::Read => {}
            Self::Level(epoll) | Self::Edge(epoll) => {
                epoll.wait(&mut [EpollEvent::empty()], EpollTimeout::NONE)?;
            }
            Self::EdgeBoth(epoll) => loop {
                let mut events = [EpollEvent::empty()];
                epoll.wait(&mut events, EpollTimeout::NONE)?;
                if events[0].events().contains(EpollFlags::EPOLLIN) {
                    break;
                }
            },
            Self::Poll => drop(poll()?),
            Self::ReadThenPoll => match recv(socket.as_raw_fd(), buffer, MsgFlags::MSG_DONTWAIT) {
                Ok(count) => return Ok(count),
                Err(_) => drop(poll()?),
            },
        }
        Ok(0)
    }
}

struct Client {
    socket: UnixStream,
    waiting: Waiting,
    out: BytesMut,
    buffer: Vec<u8>,
}

impl Client {
    fn connect(which: usize, cpu: usize) -> Done<Self> {
        let set = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
        let mut socket = UnixStream::connect(format!("{}/.s.PGSQL.{}", set("PGHOST")?, set("PGPORT")?))?;
        let mut out = BytesMut::new();
        let database = set("PGDATABASE").or_else(|_| set("PGUSER"))?;
        frontend::startup_message([("user", set("PGUSER")?.as_str()), ("database", &database)], &mut out)?;
        socket.write_all(&out)?;
        out.clear();
        let waiting = Waiting::new(which, &socket)?;
        let mut client = Self { socket, waiting, out, buffer: vec![0; 16384] };
        let start = client.answer(false)?;
        // BackendKeyData: tag, length, process id
        let at = start.windows(5).position(|bytes| bytes == b"K\0\0\0\x0c").ok_or("no process id")?;
        let pid = i32::from_be_bytes(start[at + 5..at + 9].try_into()?);
        sched_setaffinity(Pid::from_raw(pid), &one(cpu)?)?;
        frontend::parse("P_0", "SELECT abalance FROM pgbench_accounts WHERE aid = $1;", [], &mut client.out)?;
        frontend::sync(&mut client.out);
        client.send()?;
        client.answer(false)?;
        for key in 1..200 {
            client.select(key)?;
        }
        Ok(client)
    }

    fn send(&mut self) -> Done {
        self.socket.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    /// Everything up to ReadyForQuery, which is the last of a server's answer.
    fn answer(&mut self, wait: bool) -> Done<Vec<u8>> {
        let mut end = 0;
        loop {
            if wait {
                end += self.waiting.wait(&self.socket, &mut self.buffer[end..])?;
            }
            if !self.buffer[..end].ends_with(b"Z\0\0\0\x05I") {
                end += self.socket.read(&mut self.buffer[end..])?;
            }
            if self.buffer[..end].ends_with(b"Z\0\0\0\x05I") {
                return Ok(if wait { Vec::new() } else { self.buffer[..end].to_vec() });
            }
            if end == 0 {
                return Err("the server closed the connection".into());
            }
        }
    }

    fn select(&mut self, key: u32) -> Done {
        let text = |key: u32, out: &mut BytesMut| {
            out.extend_from_slice(key.to_string().as_bytes());
            Ok(postgres_protocol::IsNull::No)
        };
        frontend::bind("", "P_0", [], [key], text, [0], &mut self.out).map_err(|_| "cannot bind")?;
        frontend::describe(b'P', "", &mut self.out)?;
        frontend::execute("", 0, &mut self.out)?;
        frontend::sync(&mut self.out);
        self.send()?;
        self.answer(true).map(drop)
    }
}

fn one(cpu: usize) -> nix::Result<CpuSet> {
    let mut set = CpuSet::new();
    set.set(cpu)?;
    Ok(set)
}

/// CPU time of this thread.
fn cpu() -> Done<i64> {
    let usage = getrusage(UsageWho::RUSAGE_THREAD)?;
    Ok(usage.user_time().num_nanoseconds() + usage.system_time().num_nanoseconds())
}

fn main() -> Done {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(40), |text| text.parse())?;
    let block = Duration::from_millis(100);
    sched_setaffinity(Pid::this(), &one(0)?)?;
    for (place, far) in [("split", 1), ("same", 0)] {
        let mut clients = (0..NAMES.len()).map(|which| Client::connect(which, far)).collect::<Done<Vec<_>>>()?;
        let mut times = vec![Vec::new(); clients.len()];
        let mut key = 0_u32;
        for round in 0..rounds {
            for at in 0..clients.len() {
                let which = (at * (1 + round % 4) + round) % clients.len();
                let (start, before, mut count) = (Instant::now(), cpu()?, 0_u32);
                while start.elapsed() < block {
                    key = key.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    clients[which].select(1 + key % 100_000)?;
                    count += 1;
                }
                let each = |ns: f64| ns / f64::from(count) / 1e3;
                times[which].push((each(start.elapsed().as_nanos() as f64), each((cpu()? - before) as f64)));
            }
        }
        println!("{place:<8}{:>14}{:>10}{:>10}{:>12}", "µs/select", "quarter", "3rd", "client CPU");
        for (name, mut own) in NAMES.iter().zip(times) {
            own.sort_by(|a, b| a.0.total_cmp(&b.0));
            let at = |share: f64| own[((own.len() - 1) as f64 * share) as usize].0;
            let cpu = own.iter().map(|(_, cpu)| cpu).sum::<f64>() / own.len() as f64;
            println!("{name:<12}{:>10.2}{:>10.2}{:>10.2}{cpu:>12.2}", at(0.5), at(0.25), at(0.75));
        }
    }
    Ok(())
}
