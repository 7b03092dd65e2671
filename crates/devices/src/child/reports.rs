//! What a child says, in frames through one pipe: a length, and so many bytes of plain data. The parent reads it
//! without waiting, keeps count, and believes nothing of it that it could not lose.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Duration;

use ktwin_check::{Failure, Finding, Kind};
use serde::{Deserialize, Serialize};

use super::wire::{Described, Trouble};

/// The longest frame.
const FRAME: usize = 64 << 10;
/// The longest text that is shown.
const SHOWN: usize = 2000;

/// One thing that a child says.
#[derive(Serialize, Deserialize)]
pub enum Said {
    /// Its box stands, but for what is missing; what comes next is not trusted.
    Ready(Vec<String>),
    /// Its box or its work could not be made; nothing of the kernel's has run.
    CannotStart(String),
    /// A launch has ended.
    Ended {
        /// Its number.
        launch: usize,
        /// How.
        end: Result<Ended, Trouble>,
    },
    /// What a device is.
    Described(Result<Described, Trouble>),
}

/// A launch that came to its end.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Ended {
    /// The kernel's own time.
    pub elapsed: Option<Duration>,
    /// What the kernel did to the processor's way of calculating and left so, in a sentence.
    pub mode: Option<String>,
    /// Inputs that it wrote to: the number of the buffer, and the first place in its memory.
    pub wrote: Vec<(usize, usize)>,
}

/// The child's end.
pub struct Teller(File);

impl Teller {
    /// To a pipe that the parent reads.
    pub fn new(pipe: File) -> Teller {
        Teller(pipe)
    }

    /// Sends one frame.
    pub fn say(&mut self, said: &Said) -> io::Result<()> {
        let bytes = postcard::to_stdvec(said).map_err(io::Error::other)?;
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let mut frame = length.to_le_bytes().to_vec();
        frame.extend(bytes);
        self.0.write_all(&frame)
    }
}

/// The parent's end.
pub struct Listener {
    pipe: File,
    bytes: Vec<u8>,
    /// Launches that have ended, in order.
    pub ended: Vec<Result<Ended, Trouble>>,
    /// What the box lacks; none before it stands.
    pub missing: Option<Vec<String>>,
    /// Why nothing was run.
    pub cannot: Option<String>,
    /// What the device is.
    pub described: Option<Result<Described, Trouble>>,
    /// How many launches there are.
    most: usize,
    /// Whether something came that is not a child's.
    pub odd: bool,
}

impl Listener {
    /// On a pipe that is never waited for; so many launches are to come.
    pub fn new(pipe: File, most: usize) -> Listener {
        let (bytes, ended) = (Vec::new(), Vec::new());
        Listener { pipe, bytes, ended, missing: None, cannot: None, described: None, most, odd: false }
    }

    /// What there is to wait for.
    #[cfg(target_os = "linux")]
    pub fn pipe(&self) -> rustix::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.pipe)
    }

    /// Takes what has come; whether a launch has ended since.
    pub fn listen(&mut self) -> bool {
        let before = self.ended.len();
        let mut piece = [0; 16 << 10];
        // more than all launches can have to say is not read at all
        for _ in 0..8 {
            match self.pipe.read(&mut piece) {
                Ok(count @ 1..) if !self.odd => self.bytes.extend(&piece[..count]),
                _ => break,
            }
            while !self.odd && self.frame() {}
        }
        self.ended.len() > before
    }

    // Whether there was a whole frame.
    fn frame(&mut self) -> bool {
        let Some((length, rest)) = self.bytes.split_first_chunk::<4>() else { return false };
        let length = u32::from_le_bytes(*length) as usize;
        if length > FRAME {
            self.odd = true;
            return false;
        }
        let Some(frame) = rest.get(..length) else { return false };
        let said = postcard::take_from_bytes::<Said>(frame);
        match said {
            Ok((said, [])) => self.take(said),
            _ => self.odd = true,
        }
        self.bytes.drain(..4 + length);
        true
    }

    fn take(&mut self, said: Said) {
        match said {
            Said::Ready(missing) if self.missing.is_none() => self.missing = Some(missing),
            Said::CannotStart(why) if self.missing.is_none() => self.cannot = Some(shown(&why)),
            Said::Ended { launch, end } if self.missing.is_some() && self.next() == Some(launch) => {
                self.ended.push(end);
            }
            Said::Described(said) if self.missing.is_some() && self.described.is_none() => {
                self.described = Some(said);
            }
            _ => self.odd = true,
        }
    }

    fn next(&self) -> Option<usize> {
        Some(self.ended.len()).filter(|next| *next < self.most)
    }
}

/// A text of somebody else's: without control characters, and no longer than a paragraph.
pub fn shown(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c });
    plain.take(SHOWN).collect()
}

/// The finding of an input that was written to, where `at` is the place in the whole buffer, if it is in there.
pub fn written(buffer: &ktwin_check::Buffer, at: Option<usize>) -> Finding {
    let (name, body) = (&buffer.name, &buffer.body);
    let size = buffer.dtype.bytes_per_block().max(1);
    match at {
        Some(at) if body.contains(&at) => {
            let element = (at - body.start) / size * buffer.dtype.elements_per_block();
            Finding::new(
                Kind::InputChanged,
                format!("input {name} is written to, first at element {element}"),
            )
        }
        Some(at) if at >= body.end => {
            let behind = (at - body.end) / size + 1;
            Finding::new(
                Kind::OutOfBounds,
                format!("writes outside {name}, first {behind} elements past its last"),
            )
        }
        _ => Finding::new(Kind::OutOfBounds, format!("writes before the first element of {name}")),
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Failure {
        match trouble {
            Trouble::Absent(why, get) => Failure::Absent { why: shown(&why), get: shown(&get) },
            Trouble::Unsupported(what) => Failure::Unsupported(shown(&what)),
            Trouble::Compile(message) => Failure::Compile { message: shown(&message), line: None },
            Trouble::Mismatch(what) => Failure::Mismatch(shown(&what)),
            Trouble::Crash(how) => Failure::Crash(shown(&how)),
            Trouble::OutOfMemory(what) => Failure::OutOfMemory(shown(&what)),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn heard(most: usize, bytes: &[u8]) -> Listener {
        let Ok((from, to)) = rustix::pipe::pipe() else { panic!("no pipe") };
        let mut to = File::from(to);
        assert!(to.write_all(bytes).is_ok());
        drop(to);
        let mut listener = Listener::new(from.into(), most);
        listener.listen();
        listener
    }

    fn frames(said: &[Said]) -> Vec<u8> {
        let mut all = Vec::new();
        for said in said {
            let bytes = postcard::to_stdvec(said).unwrap_or_default();
            all.extend((bytes.len() as u32).to_le_bytes());
            all.extend(bytes);
        }
        all
    }

    fn ended(launch: usize) -> Said {
        Said::Ended { launch, end: Ok(Ended::default()) }
    }

    #[test]
    fn launches_end_in_order_and_once() {
        let said = [Said::Ready(vec!["Landlock".into()]), ended(0), ended(1)];
        let listener = heard(2, &frames(&said));
        assert_eq!((listener.ended.len(), listener.odd), (2, false));
        assert_eq!(listener.missing, Some(vec!["Landlock".to_string()]));
        for wrong in [
            vec![ended(0)],
            vec![Said::Ready(Vec::new()), ended(1)],
            vec![Said::Ready(Vec::new()), ended(0), ended(0)],
            vec![Said::Ready(Vec::new()), ended(0), ended(1), ended(2)],
            vec![Said::Ready(Vec::new()), Said::Ready(Vec::new())],
            vec![Said::Ready(Vec::new()), Said::CannotStart("no disk".into())],
        ] {
            assert!(heard(2, &frames(&wrong)).odd);
        }
    }

    #[test]
    fn what_is_no_frame_is_odd() {
        for bytes in [&[255, 255, 255, 255][..], &[1, 0, 0, 0, 99], &[0, 0, 0, 0], b"all is well, believe me"]
        {
            assert!(heard(1, bytes).odd, "{bytes:?}");
        }
        let mut longer = frames(&[Said::Ready(Vec::new())]);
        longer[0] += 1;
        longer.push(7);
        assert!(heard(1, &longer).odd);
        // a frame that has not come whole is waited for
        assert!(!heard(1, &[200, 0, 0, 0, 1]).odd);
    }

    #[test]
    fn texts_are_cut_and_plain() {
        assert_eq!(shown("a\x1b[2Jb\nc"), "a [2Jb\nc");
        assert_eq!(shown(&"x".repeat(10_000)).len(), SHOWN);
    }
}
