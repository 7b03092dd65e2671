//! What a child says: plain data in frames (a length, and so many bytes) from ktwin's own workers, in lines of JSON
//! from programs of devices. The parent reads it without waiting, keeps count, and believes nothing of it that it could
//! not lose.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Instant;

use ktwin_check::bench::{Roof, Times};
use ktwin_check::{Description, Failure, SourceKind};
use serde::{Deserialize, Serialize};

/// The longest frame or line.
const FRAME: usize = 64 << 10;
/// The longest text that is shown.
const SHOWN: usize = 2000;

/// One thing that a child says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
        end: Result<Ended, Failure>,
    },
    /// The batch that is timed on both sides begins, or has ended.
    Mark,
    /// What its clock showed.
    Times(Times),
    /// What a device's program speaks, and is for.
    Speaks(Speaks),
    /// What the device is.
    Described(Result<Description, Failure>),
    /// The entry points of a kernel.
    Compiled(Result<Vec<Entry>, Failure>),
    /// What the device does at most.
    Roof(Result<Roof, Failure>),
}

/// What a device's program says of itself, whether or not the device is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speaks {
    /// The version of the protocol.
    pub version: u32,
    /// The languages that it compiles.
    pub languages: Vec<SourceKind>,
    /// What it is for, in a line.
    #[serde(default)]
    pub about: String,
}

/// An entry point of a compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Lanes of a workgroup, where the source says so.
    #[serde(default)]
    pub block: Option<[u32; 3]>,
}

/// A launch that came to its end.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ended {
    /// The kernel's own time.
    pub nanoseconds: Option<u64>,
    /// What the kernel did to the processor's way of calculating and left so, in a sentence.
    pub mode: Option<String>,
    /// Inputs that it wrote to: the number of the buffer, and the first place in its memory.
    pub wrote: Vec<(usize, usize)>,
}

/// The child's end.
pub struct Teller {
    pipe: File,
    spoken: Spoken,
}

impl Teller {
    /// To a pipe that the parent reads.
    pub fn new(pipe: File, spoken: Spoken) -> Teller {
        Teller { pipe, spoken }
    }

    /// Sends one message.
    pub fn say(&mut self, said: &Said) -> io::Result<()> {
        self.pipe.write_all(&self.spoken.message(said)?)
    }
}

/// How a child speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spoken {
    /// A length of four bytes, little-endian, and a message in postcard's format.
    Frames,
    /// A message in JSON, and a newline.
    Lines,
}

impl Spoken {
    /// A message as bytes.
    pub fn message(self, said: &Said) -> io::Result<Vec<u8>> {
        match self {
            Spoken::Frames => {
                let bytes = postcard::to_stdvec(said).map_err(io::Error::other)?;
                let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
                Ok([&length.to_le_bytes()[..], &bytes].concat())
            }
            Spoken::Lines => {
                let mut line = serde_json::to_vec(said).map_err(io::Error::other)?;
                line.push(b'\n');
                Ok(line)
            }
        }
    }
}

/// What came of a child so far.
#[derive(Default)]
pub struct Heard {
    /// Launches that have ended, in order.
    pub ended: Vec<Result<Ended, Failure>>,
    /// What the box lacks; none before it stands.
    pub missing: Option<Vec<String>>,
    /// Why nothing was run.
    pub cannot: Option<String>,
    /// When the batch that is timed on both sides began and ended.
    pub marks: Vec<Instant>,
    /// What its clock showed.
    pub times: Option<Times>,
    /// What a device's program speaks.
    pub speaks: Option<Speaks>,
    /// What the device is.
    pub described: Option<Result<Description, Failure>>,
    /// The entry points of a kernel.
    pub compiled: Option<Result<Vec<Entry>, Failure>>,
    /// What the device does at most.
    pub roof: Option<Result<Roof, Failure>>,
    /// Why something that came is not a child's.
    pub odd: Option<String>,
}

/// The parent's end.
pub struct Listener {
    pipe: File,
    spoken: Spoken,
    bytes: Vec<u8>,
    /// How many launches there are.
    most: usize,
    /// What came so far.
    pub heard: Heard,
}

impl Listener {
    /// On a pipe that is never waited for; so many launches are to come.
    pub fn new(pipe: File, spoken: Spoken, most: usize) -> Listener {
        Listener { pipe, spoken, bytes: Vec::new(), most, heard: Heard::default() }
    }

    /// What there is to wait for.
    #[cfg(target_os = "linux")]
    pub fn pipe(&self) -> rustix::fd::BorrowedFd<'_> {
        std::os::fd::AsFd::as_fd(&self.pipe)
    }

    /// Takes what has come; whether a launch has ended since, or something was marked.
    pub fn listen(&mut self) -> bool {
        let count = |heard: &Heard| heard.ended.len() + heard.marks.len();
        let before = count(&self.heard);
        let mut piece = [0; 16 << 10];
        // more than all launches can have to say is not read at all
        for _ in 0..8 {
            match self.pipe.read(&mut piece) {
                Ok(count @ 1..) if self.heard.odd.is_none() => self.bytes.extend(&piece[..count]),
                _ => break,
            }
            while self.heard.odd.is_none() && self.message() {}
        }
        count(&self.heard) > before
    }

    // Whether there was a whole message.
    fn message(&mut self) -> bool {
        let taken = match self.spoken {
            Spoken::Frames => frame(&self.bytes),
            Spoken::Lines => line(&self.bytes),
        };
        match taken {
            Ok(None) => false,
            Ok(Some((said, length))) => {
                self.bytes.drain(..length);
                self.take(said);
                true
            }
            Err(why) => {
                self.heard.odd = Some(why);
                false
            }
        }
    }

    fn take(&mut self, said: Said) {
        let next = Some(self.heard.ended.len()).filter(|next| *next < self.most);
        let heard = &mut self.heard;
        let is_ready = heard.missing.is_some();
        let is_first = !is_ready && heard.cannot.is_none();
        match said {
            Said::Ready(missing) if is_first => heard.missing = Some(missing),
            Said::CannotStart(why) if is_first => heard.cannot = Some(shown(&why)),
            Said::Mark if is_ready && heard.marks.len() < 2 => heard.marks.push(Instant::now()),
            Said::Times(times) if is_ready && heard.times.is_none() => heard.times = Some(times),
            Said::Speaks(speaks) if is_ready && heard.speaks.is_none() => heard.speaks = Some(speaks),
            Said::Described(said) if is_ready && heard.described.is_none() => {
                heard.described = Some(said.map_err(plain).map(|d| Description {
                    detail: shown(&d.detail),
                    features: d.features.iter().map(|f| shown(f)).collect(),
                }));
            }
            Said::Compiled(said) if is_ready && heard.compiled.is_none() => {
                heard.compiled = Some(said.map_err(plain));
            }
            Said::Roof(said) if is_ready && heard.roof.is_none() => heard.roof = Some(said.map_err(plain)),
            Said::Ended { launch, end } if is_ready && next == Some(launch) => {
                heard.ended.push(end.map_err(plain));
            }
            _ => heard.odd = Some("a message came twice or out of order".into()),
        }
    }
}

/// A message and the bytes that it took; none where it has not come whole.
type Taken = Result<Option<(Said, usize)>, String>;

fn frame(bytes: &[u8]) -> Taken {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*length) as usize;
    if length > FRAME {
        return Err(format!("a frame of {length} bytes is too long"));
    }
    let Some(frame) = rest.get(..length) else { return Ok(None) };
    match postcard::take_from_bytes::<Said>(frame) {
        Ok((said, [])) => Ok(Some((said, 4 + length))),
        _ => Err("a frame is not a message".into()),
    }
}

fn line(bytes: &[u8]) -> Taken {
    let Some(length) = bytes.iter().position(|b| *b == b'\n') else {
        return if bytes.len() > FRAME { Err("a line is too long".into()) } else { Ok(None) };
    };
    let odd = |e: serde_json::Error| {
        let start = String::from_utf8_lossy(&bytes[..length.min(60)]).into_owned();
        format!("`{}` is not a message ({e})", shown(&start))
    };
    let said = serde_json::from_slice(&bytes[..length]).map_err(odd)?;
    Ok(Some((said, length + 1)))
}

/// A text of somebody else's: without control characters, and no longer than a paragraph.
pub fn shown(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c });
    plain.take(SHOWN).collect()
}

// A failure in words that can be shown.
fn plain(failure: Failure) -> Failure {
    match failure {
        Failure::Absent { why, get } => Failure::Absent { why: shown(&why), get: shown(&get) },
        Failure::Unsupported(what) => Failure::Unsupported(shown(&what)),
        Failure::Compile { message, line } => Failure::Compile { message: shown(&message), line },
        Failure::Mismatch(what) => Failure::Mismatch(shown(&what)),
        Failure::Crash(how) => Failure::Crash(shown(&how)),
        Failure::OutOfMemory(what) => Failure::OutOfMemory(shown(&what)),
        Failure::Broken(what) => Failure::Broken(shown(&what)),
        Failure::Hang { limit, place } => Failure::Hang { limit, place: shown(&place) },
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
        let mut listener = Listener::new(from.into(), Spoken::Frames, most);
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
        assert_eq!((listener.heard.ended.len(), listener.heard.odd.is_some()), (2, false));
        assert_eq!(listener.heard.missing, Some(vec!["Landlock".to_string()]));
        for wrong in [
            vec![ended(0)],
            vec![Said::Ready(Vec::new()), ended(1)],
            vec![Said::Ready(Vec::new()), ended(0), ended(0)],
            vec![Said::Ready(Vec::new()), ended(0), ended(1), ended(2)],
            vec![Said::Ready(Vec::new()), Said::Ready(Vec::new())],
            vec![Said::Ready(Vec::new()), Said::CannotStart("no disk".into())],
        ] {
            assert!(heard(2, &frames(&wrong)).heard.odd.is_some());
        }
    }

    #[test]
    fn what_is_no_frame_is_odd() {
        for bytes in [&[255, 255, 255, 255][..], &[1, 0, 0, 0, 99], &[0, 0, 0, 0], b"all is well, believe me"]
        {
            assert!(heard(1, bytes).heard.odd.is_some(), "{bytes:?}");
        }
        let mut longer = frames(&[Said::Ready(Vec::new())]);
        longer[0] += 1;
        longer.push(7);
        assert!(heard(1, &longer).heard.odd.is_some());
        // a frame that has not come whole is waited for
        assert!(heard(1, &[200, 0, 0, 0, 1]).heard.odd.is_none());
    }

    #[test]
    fn texts_are_cut_and_plain() {
        assert_eq!(shown("a\x1b[2Jb\nc"), "a [2Jb\nc");
        assert_eq!(shown(&"x".repeat(10_000)).len(), SHOWN);
    }
}
