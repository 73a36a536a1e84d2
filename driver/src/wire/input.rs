//! What the server sent and was not read yet: one buffer for the life of a connection, no allocation a message.

use std::io;

use postgres_protocol::message::backend::Header;

use super::socket::Socket;

/// Room for many replies to a lookup (about 80 bytes each); grows for longer messages.
const CAPACITY: usize = 16 * 1024;
/// Tag and length.
const HEADER: usize = 5;

pub struct Input {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Input {
    pub fn new() -> Self {
        Self { buffer: vec![0; CAPACITY], start: 0, end: 0 }
    }

    /// One read, as much as there is room for; the number of bytes, 0 at the end of the stream, None where they are no
    /// whole TLS record yet.
    #[inline]
    pub fn fill(&mut self, source: &mut Socket) -> io::Result<Option<usize>> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.buffer.len() {
            self.make_room();
        }
        loop {
            match source.take(&mut self.buffer, self.end) {
                Ok(count) => {
                    self.end += count.unwrap_or(0);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Tag and body of the next message; None until it is here as a whole.
    #[inline]
    pub fn message(&mut self) -> io::Result<Option<(u8, &[u8])>> {
        let unread = &self.buffer[self.start..self.end];
        let Some(header) = Header::parse(unread)? else { return Ok(None) };
        let total = header.len() as usize + 1;
        if unread.len() < total {
            return Ok(None);
        }
        self.start += total;
        Ok(Some((header.tag(), &unread[HEADER..total])))
    }

    #[cold]
    fn make_room(&mut self) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        } else {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
    }
}
