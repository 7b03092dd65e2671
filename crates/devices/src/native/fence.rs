//! Memory that a kernel is given: it lies against pages that nobody may touch, in one launch at its end and in
//! the next at its start, so that what is read or written beside it does not go unseen. On the other side it
//! meets the canaries.
#![expect(unsafe_code, reason = "pages without rights have no safe name")]

use std::ffi::c_void;
use std::ops::Range;

use crate::child::wire::{Trouble, WireBuffer};

/// What buffers begin at a multiple of.
const ALIGN: usize = 256;
/// Bytes on either side that nobody may touch.
#[cfg(unix)]
const FENCE: usize = 4 << 20;
/// What memory holds that belongs to no buffer.
const SLACK: u8 = 0xA5;

/// A buffer between its fences.
pub struct Fenced {
    pages: Pages,
    /// The buffer; of its canaries that have no place in memory, this is all there is.
    whole: Vec<u8>,
    /// The part that is in memory, and where it begins there.
    shown: Range<usize>,
    at: usize,
    /// Where the part begins that the kernel is given.
    body: usize,
}

impl Fenced {
    /// A buffer whose body begins right behind a fence, where it is `low`, or ends right before one, as far as it can:
    /// it begins at a multiple of 256.
    pub fn new(buffer: WireBuffer, low: bool) -> Result<Fenced, Trouble> {
        let WireBuffer { bytes: whole, body: given } = buffer;
        let given = given.start.min(whole.len())..given.end.min(whole.len());
        let behind = whole.len() - given.end;
        let room = if low { given.len() + behind } else { given.start + ALIGN + given.len() };
        let mut pages = Pages::new(room)?;
        let all = pages.all_mut();
        all.fill(SLACK);
        let first = all.as_ptr().align_offset(ALIGN);
        let last = first + (all.len() - first - given.len()) / ALIGN * ALIGN;
        let body = if low { first } else { last };
        let before = if low { 0 } else { given.start };
        let after = behind.min(all.len() - body - given.len());
        let (shown, at) = (given.start - before..given.end + after, body - before);
        all[at..at + shown.len()].copy_from_slice(&whole[shown.clone()]);
        Ok(Fenced { pages, whole, shown, at, body })
    }

    /// Where the part begins that the kernel is given.
    pub fn body_pointer(&mut self) -> *mut c_void {
        self.pages.all_mut()[self.body..].as_mut_ptr().cast()
    }

    /// All of the buffer, if nothing between it and the fences was written.
    pub fn bytes(mut self) -> Result<Vec<u8>, Trouble> {
        let (at, end) = (self.at, self.at + self.shown.len());
        let all = self.pages.all_mut();
        let touched = |part: &[u8]| part.iter().any(|b| *b != SLACK);
        if touched(&all[..at]) || touched(&all[end..]) {
            return Err(Trouble::Crash("it wrote far outside a buffer".into()));
        }
        self.whole[self.shown].copy_from_slice(&all[at..end]);
        Ok(self.whole)
    }
}

/// Pages of our own, at least so many bytes of them.
#[cfg(unix)]
struct Pages {
    /// The first fence.
    base: *mut c_void,
    usable: usize,
}

#[cfg(unix)]
impl Pages {
    fn new(bytes: usize) -> Result<Pages, Trouble> {
        use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
        let usable = bytes.next_multiple_of(rustix::param::page_size());
        let full = |e: rustix::io::Errno| Trouble::Crash(format!("no memory for a buffer: {e}"));
        // SAFETY: a new mapping at a place that the system chooses; nobody else has it
        let base = unsafe {
            mmap_anonymous(std::ptr::null_mut(), usable + 2 * FENCE, ProtFlags::empty(), MapFlags::PRIVATE)
        };
        let pages = Pages { base: base.map_err(full)?, usable };
        // SAFETY: whole pages inside the mapping that was just made
        unsafe { mprotect(pages.first().cast(), usable, MprotectFlags::READ | MprotectFlags::WRITE) }
            .map_err(full)?;
        Ok(pages)
    }

    fn first(&self) -> *mut u8 {
        self.base.cast::<u8>().wrapping_add(FENCE)
    }

    fn all_mut(&mut self) -> &mut [u8] {
        // SAFETY: the pages between the fences, readable and writable, zeroed by the system, and borrowed with `self`
        unsafe { std::slice::from_raw_parts_mut(self.first(), self.usable) }
    }
}

#[cfg(unix)]
impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made, as long as it was; nothing points there any more
        let _ = unsafe { rustix::mm::munmap(self.base, self.usable + 2 * FENCE) };
    }
}

/// Elsewhere there are no fences.
#[cfg(not(unix))]
struct Pages(Vec<u8>);

#[cfg(not(unix))]
impl Pages {
    fn new(bytes: usize) -> Result<Pages, Trouble> {
        Ok(Pages(vec![0; bytes + ALIGN]))
    }

    fn all_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
