//! A socket in front of the server's that keeps what clients send.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

/// A message: its tag and its body.
pub type Message = (char, Vec<u8>);

pub struct Tap {
    folder: tempfile::TempDir,
    /// Of each connection, what each read brought: pgbench has one connection of its own before its clients'.
    sent: Arc<Mutex<Vec<Vec<Vec<u8>>>>>,
    /// Of each connection, what came back.
    answered: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Tap {
    pub fn start() -> Self {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap();
        Self::at(listener, folder)
    }

    /// On a socket that is there; `folder` is removed with the tap.
    pub fn at(listener: UnixListener, folder: tempfile::TempDir) -> Self {
        let (host, port) = (std::env::var("PGHOST").unwrap(), std::env::var("PGPORT").unwrap());
        let server = PathBuf::from(host).join(format!(".s.PGSQL.{port}"));
        let sent = Arc::new(Mutex::new(Vec::new()));
        let answered = Arc::new(Mutex::new(Vec::new()));
        let tap = Self { folder, sent: sent.clone(), answered: answered.clone() };
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = UnixStream::connect(&server).unwrap();
                let (answers, back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                let (sent, answered) = (sent.clone(), answered.clone());
                let mine = sent.lock().unwrap().len();
                sent.lock().unwrap().push(Vec::new());
                answered.lock().unwrap().push(Vec::new());
                thread::spawn(move || pass(client, server, |bytes| sent.lock().unwrap()[mine].push(bytes.to_vec())));
                thread::spawn(move || {
                    pass(answers, back, |bytes| answered.lock().unwrap()[mine].extend_from_slice(bytes));
                });
            }
        });
        tap
    }

    /// Where a client finds it, on port 5432.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What each connection sent, without its start-up message and Terminate.
    pub fn connections(&self) -> Vec<Vec<Message>> {
        self.sent.lock().unwrap().iter().map(|chunks| messages(&chunks.concat())).collect()
    }

    /// What came back on each connection.
    pub fn answers(&self) -> Vec<Vec<Message>> {
        self.answered.lock().unwrap().iter().map(|stream| tagged(stream)).collect()
    }

    /// The messages of each of the last `count` reads of a connection, by their tags.
    pub fn last_reads(&self, connection: usize, count: usize) -> Vec<String> {
        let sent = self.sent.lock().unwrap();
        let reads = sent[connection].iter().map(|bytes| tagged(bytes).iter().map(|(tag, _)| *tag).collect::<String>());
        let reads: Vec<String> = reads.filter(|tags| tags != "X").collect();
        reads[reads.len() - count..].to_vec()
    }

    /// The most messages of tag `tag` that came in one read.
    pub fn most_at_once(&self, tag: char) -> usize {
        let sent = self.sent.lock().unwrap();
        // the start-up message has no tag
        let chunks = sent.iter().flat_map(|chunks| chunks.iter().skip(1));
        chunks.map(|chunk| tagged(chunk).iter().filter(|(found, _)| *found == tag).count()).max().unwrap_or(0)
    }

    /// What one connection sent from the first message on that holds the lookup.
    pub fn lookups(&self) -> Vec<Message> {
        let holds = |message: &Message| message.1.windows(9).any(|bytes| bytes == b"abalance ");
        let connections = self.connections();
        let mut messages =
            connections.into_iter().find(|messages| messages.iter().any(holds)).expect("no lookup was sent");
        let first = messages.iter().position(holds).expect("the lookup is in no message");
        messages.drain(..first);
        messages
    }
}

fn messages(stream: &[u8]) -> Vec<Message> {
    let Some(length) = stream.first_chunk() else { return Vec::new() };
    let mut messages = tagged(&stream[u32::from_be_bytes(*length) as usize..]);
    messages.retain(|(tag, _)| *tag != 'X');
    messages
}

fn tagged(mut rest: &[u8]) -> Vec<Message> {
    let mut messages = Vec::new();
    while let [tag, a, b, c, d, ..] = rest {
        let end = u32::from_be_bytes([*a, *b, *c, *d]) as usize + 1;
        let Some(body) = rest.get(5..end) else { break };
        messages.push((*tag as char, body.to_vec()));
        rest = &rest[end..];
    }
    messages
}

fn pass(mut from: UnixStream, mut to: UnixStream, see: impl Fn(&[u8])) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        see(&buffer[..count]);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}
