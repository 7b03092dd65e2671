//! What another process prints, read without waiting and kept in part: nobody can fill memory or a disk with it.

use std::io::{self, Read};
use std::process::{ChildStderr, ChildStdout};

/// How much is kept of its beginning.
pub const KEPT: usize = 64 << 10;
/// How much is read at a time.
const PIECE: usize = 16 << 10;
/// How much is kept of its end, and told of it.
const LAST: usize = 300;
/// Where a second panic comes from, if a first one leaves a function that must not be left so.
const SECOND: &str = "library/core/src/panicking.rs";

/// What a process prints, as it comes.
pub struct Pipe {
    from: Option<Box<dyn Read>>,
    kept: Vec<u8>,
    last: Vec<u8>,
}

#[cfg(unix)]
fn patient(from: impl Read + std::os::fd::AsFd + 'static) -> io::Result<Box<dyn Read>> {
    rustix::io::ioctl_fionbio(&from, true)?;
    Ok(Box::new(from))
}

/// Where reading always waits, a thread does so.
#[cfg(not(unix))]
struct Pieces(std::sync::mpsc::Receiver<Vec<u8>>);

#[cfg(not(unix))]
impl Read for Pieces {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let came = self.0.try_recv().map_err(io::Error::other)?;
        piece[..came.len()].copy_from_slice(&came);
        Ok(came.len())
    }
}

#[cfg(not(unix))]
fn patient(mut from: impl Read + Send + 'static) -> io::Result<Box<dyn Read>> {
    let (send, receive) = std::sync::mpsc::sync_channel(4);
    std::thread::spawn(move || {
        let mut piece = [0; PIECE];
        while let Ok(count @ 1..) = from.read(&mut piece) {
            if send.send(piece[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    Ok(Box::new(Pieces(receive)))
}

impl Pipe {
    /// Of a pipe that nobody else reads.
    pub fn of_output(from: Option<ChildStdout>) -> io::Result<Pipe> {
        Ok(Pipe { from: from.map(patient).transpose()?, kept: Vec::new(), last: Vec::new() })
    }

    /// The same of standard error.
    pub fn of_errors(from: Option<ChildStderr>) -> io::Result<Pipe> {
        Ok(Pipe { from: from.map(patient).transpose()?, kept: Vec::new(), last: Vec::new() })
    }

    /// Reads what is there, up to a piece; whether there was any.
    pub fn read(&mut self) -> bool {
        let mut piece = [0; PIECE];
        let Some(Ok(count)) = self.from.as_mut().map(|from| from.read(&mut piece)) else { return false };
        let room = KEPT.saturating_sub(self.kept.len()).min(count);
        self.kept.extend(&piece[..room]);
        self.last.extend(&piece[..count]);
        let old = self.last.len().saturating_sub(LAST);
        self.last.drain(..old);
        count > 0
    }

    /// Reads what is left, without waiting: what still writes is dead, or has stepped out of reach.
    pub fn rest(&mut self) {
        let _ = (0..64).all(|_| self.read());
    }

    /// The beginning of what came.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }

    /// The last line that came, or the last panic of Rust that none before it led to, without control characters and of
    /// bounded length.
    pub fn last_line(&self) -> String {
        let is_said = |l: &&str| !l.starts_with("note: ") && !l.starts_with("stack backtrace");
        let (end, whole) = (String::from_utf8_lossy(&self.last), self.text());
        // what a panic in a panic prints is long: the first one is further up
        let panics = || {
            [&*end, &whole]
                .into_iter()
                .flat_map(|text| text.rmatch_indices("panicked at ").map(|(at, _)| &text[at..]))
        };
        let led_to = |panic: &&str| panic.lines().next().is_some_and(|line| line.contains(SECOND));
        let line = match panics().find(|panic| !led_to(panic)) {
            Some(panic) => panic.lines().take_while(is_said).collect::<Vec<_>>().join(" "),
            None => end.lines().rfind(|l| !l.trim().is_empty()).unwrap_or("").to_owned(),
        };
        line.chars().filter(|c| !c.is_control()).take(LAST).collect()
    }
}
