//! Memory that a kernel is given: it ends just before pages that nobody may touch, so that what goes far past it does
//! not go unseen. What goes a little past it meets the canaries.
#![expect(unsafe_code, reason = "pages without rights have no safe name")]

use std::ffi::c_void;

use crate::child::wire::{Trouble, WireBuffer};

/// What buffers begin at a multiple of.
const ALIGN: usize = 256;
/// Bytes on either side that nobody may touch.
#[cfg(unix)]
const FENCE: usize = 4 << 20;
/// What the few bytes between a buffer's end and the fence hold.
const SLACK: u8 = 0xA5;

/// A buffer between its fences.
pub struct Fenced {
    pages: Pages,
    start: usize,
    len: usize,
    body: usize,
}

impl Fenced {
    /// A copy of a buffer.
    pub fn new(buffer: &WireBuffer) -> Result<Fenced, Trouble> {
        let len = buffer.bytes.len();
        let mut pages = Pages::new(len + ALIGN)?;
        let all = pages.all_mut();
        let first = all.as_ptr().align_offset(ALIGN);
        let start = first + (all.len() - first - len) / ALIGN * ALIGN;
        all[start..start + len].copy_from_slice(&buffer.bytes);
        all[start + len..].fill(SLACK);
        Ok(Fenced { pages, start, len, body: buffer.body.start.min(len) })
    }

    /// Where the part begins that the kernel is given.
    pub fn body_pointer(&mut self) -> *mut c_void {
        let at = self.start + self.body;
        self.pages.all_mut()[at..].as_mut_ptr().cast()
    }

    /// All of the buffer, if nothing between it and the fence was written.
    pub fn bytes(&mut self) -> Result<Vec<u8>, Trouble> {
        let end = self.start + self.len;
        let all = self.pages.all_mut();
        match all[end..].iter().position(|b| *b != SLACK) {
            None => Ok(all[self.start..end].to_vec()),
            Some(past) => {
                let past = past + self.len - self.body;
                Err(Trouble::Crash(format!(
                    "it wrote {past} bytes behind the start of a buffer, past its end"
                )))
            }
        }
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
