//! Where a buffer lies in the memory that a child is handed, and what came back of it. The parent lays it out and reads
//! it when the child is dead; the child only maps it.

use std::io;
use std::ops::Range;

use ktwin_check::{Access, Buffer, Failure, Launch};

use super::shared::{Seal, Shared};
use super::wire::Handed;

/// What buffers on the host begin at a multiple of, and sometimes at a multiple of nothing larger.
const ALIGN: usize = 64;

/// How buffers are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// As they are, to be copied by the child.
    Copied,
    /// Against pages that nobody may touch, inputs read-only: kernels work on this memory itself.
    Fenced,
}

/// A buffer in memory that a child was handed.
pub struct Placed {
    shared: Shared,
    len: usize,
    /// The part of the whole buffer that is in memory, and where it begins there.
    shown: Range<usize>,
    at: usize,
    /// Where the part begins that the kernel is given.
    body: usize,
    read_only: bool,
    /// What lies around the buffer.
    slack: u8,
}

// What memory holds that belongs to no buffer: another byte in each case, and the same when it is repeated.
fn slack(launch: &Launch) -> u8 {
    (launch.schedule.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 | 1
}

fn page() -> usize {
    #[cfg(unix)]
    return rustix::param::page_size();
    #[cfg(not(unix))]
    return 4096;
}

impl Placed {
    /// A buffer of a launch. In every second launch it begins right after a fence; in the others it ends right before
    /// one, as far as its alignment lets it, and in half of them it is aligned to no more than it must be.
    pub fn new(buffer: &Buffer, launch: &Launch, layout: Layout) -> io::Result<Placed> {
        let Buffer { bytes: whole, body: given, .. } = buffer;
        if layout == Layout::Copied {
            let shared = Shared::new(whole, Seal::Length)?;
            let (len, shown, body) = (whole.len(), 0..whole.len(), given.start);
            return Ok(Placed { shared, len, shown, at: 0, body, read_only: false, slack: 0 });
        }
        let low = launch.run % 2 == 1;
        let behind = whole.len() - given.end;
        let room = if low { given.len() + behind } else { given.start + 2 * ALIGN + given.len() };
        let len = room.next_multiple_of(page());
        let last = (len - given.len()) / ALIGN * ALIGN;
        let unaligned = launch.schedule % 2 == 1 && last.is_multiple_of(2 * ALIGN);
        let body = if low { 0 } else { last - if unaligned { ALIGN } else { 0 } };
        let before = if low { 0 } else { given.start };
        let after = behind.min(len - body - given.len());
        let (shown, at) = (given.start - before..given.end + after, body - before);
        let slack = slack(launch);
        let mut image = vec![slack; len];
        image[at..at + shown.len()].copy_from_slice(&whole[shown.clone()]);
        let read_only = buffer.access == Access::Read;
        let seal = if read_only { Seal::Contents } else { Seal::Length };
        Ok(Placed { shared: Shared::new(&image, seal)?, len, shown, at, body, read_only, slack })
    }

    /// What the child is told of it.
    pub fn handed(&self, buffer: &Buffer) -> Handed {
        let body = self.body..self.body + buffer.body.len();
        Handed::new(buffer, self.shared.name(), self.len, body)
    }

    /// What is handed over.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// All of the buffer as it is now, if nothing between it and the fences was written.
    pub fn bytes(&mut self, buffer: &Buffer) -> Result<Vec<u8>, Failure> {
        if self.read_only {
            return Ok(buffer.bytes.clone());
        }
        let gone = |e: io::Error| Failure::Broken(format!("cannot read the results: {e}"));
        let all = self.shared.read(self.len).map_err(gone)?;
        let end = self.at + self.shown.len();
        let touched = |part: &[u8]| part.iter().any(|b| *b != self.slack);
        if touched(&all[..self.at]) || touched(&all[end..]) {
            let name = &buffer.name;
            return Err(Failure::Crash(format!(
                "it wrote far outside `{name}`, or a thread of an earlier call wrote there after that had returned"
            )));
        }
        if self.shown.len() == buffer.bytes.len() && end == all.len() && self.at == 0 {
            return Ok(all);
        }
        let mut whole = buffer.bytes.clone();
        whole[self.shown.clone()].copy_from_slice(&all[self.at..end]);
        Ok(whole)
    }

    /// Where in the buffer's whole a place in its memory is.
    pub fn in_whole(&self, place: usize) -> Option<usize> {
        let at = place.checked_sub(self.at)? + self.shown.start;
        self.shown.contains(&at).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_num::DType;

    fn placed(len: usize, run: u64, schedule: u64) -> (Placed, Buffer) {
        let mut bytes = vec![7; 256 + len + 256];
        bytes[256..256 + len].fill(1);
        let name = "x".to_string();
        let buffer = Buffer { name, dtype: DType::F32, bytes, body: 256..256 + len, access: Access::Write };
        let launch = Launch { buffers: Vec::new(), steps: Vec::new(), schedule, run, points: 0 };
        (Placed::new(&buffer, &launch, Layout::Fenced).unwrap_or_else(|e| panic!("{e}")), buffer)
    }

    #[test]
    fn bodies_lie_against_either_fence() {
        for len in [4, 60, 64, 256, 4096, 10_000] {
            let (mut low, buffer) = placed(len, 1, 0);
            assert_eq!(low.body, 0);
            assert_eq!(low.bytes(&buffer), Ok(buffer.bytes.clone()));
            let (mut high, buffer) = placed(len, 0, 0);
            assert!(high.body.is_multiple_of(ALIGN) && high.len - high.body - len < ALIGN, "{len}");
            assert_eq!(high.bytes(&buffer), Ok(buffer.bytes.clone()));
            let (least, _) = placed(len, 0, 1);
            assert_eq!(least.body % (2 * ALIGN), ALIGN, "{len}");
        }
    }

    #[test]
    fn what_is_written_far_outside_shows() {
        use std::io::{Seek, Write};
        let (mut high, buffer) = placed(4, 0, 0);
        let Ok(mut file) = high.shared.handed() else { panic!("no second handle") };
        assert!(file.rewind().is_ok() && file.write_all(&[0]).is_ok());
        assert!(matches!(high.bytes(&buffer), Err(Failure::Crash(how)) if how.contains("far outside `x`")));
    }
}
