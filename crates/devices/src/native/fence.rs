//! Memory that a kernel is given, as the child maps it: between pages that nobody may touch, and read-only where it is
//! an input, so that what is read or written beside it does not go unseen.
#![expect(unsafe_code, reason = "pages without rights have no safe name")]

use std::ffi::c_void;

use ktwin_check::{Access, Failure};

use crate::child::wire::Handed;

/// Bytes on either side that nobody may touch.
#[cfg(unix)]
pub const FENCE: usize = 4 << 20;

/// Bytes that are compared together.
#[cfg(unix)]
const PIECE: usize = 1 << 16;

/// A buffer between its fences.
pub struct Fenced {
    pages: Pages,
    body: usize,
    bytes: usize,
    /// How long all of it is, and whether the kernel may write to it.
    #[cfg_attr(not(unix), expect(dead_code, reason = "all of it is written back"))]
    len: usize,
    #[cfg_attr(not(unix), expect(dead_code, reason = "all of it is written back"))]
    writable: bool,
}

impl Fenced {
    /// Maps what was handed over.
    pub fn new(buffer: &Handed) -> Result<Fenced, Failure> {
        Fenced::of(buffer, buffer.memory.open())
    }

    /// The same of what will be mapped again later.
    pub fn again(buffer: &Handed) -> Result<Fenced, Failure> {
        Fenced::of(buffer, buffer.memory.again())
    }

    fn of(buffer: &Handed, file: std::io::Result<std::fs::File>) -> Result<Fenced, Failure> {
        let full = |e: std::io::Error| Failure::OutOfMemory(format!("no memory for a buffer: {e}"));
        let pages = file.and_then(|file| Pages::new(buffer, file)).map_err(full)?;
        let (len, writable) = (buffer.len, buffer.access != Access::Read);
        Ok(Fenced { pages, body: buffer.body.start.min(len), bytes: buffer.body.len(), len, writable })
    }

    /// Where the part begins that the kernel is given.
    pub fn body_pointer(&mut self) -> *mut c_void {
        self.pages.first().wrapping_add(self.body).cast()
    }

    /// How long that part is.
    pub fn body_bytes(&self) -> usize {
        self.bytes
    }

    /// All of it, to be written.
    pub fn all(&mut self, len: usize) -> &mut [u8] {
        // SAFETY: the mapping is that long, whole pages of it, and nothing else of this program has a pointer into it
        // while it is borrowed; it is writable where it is no input, and callers write to nothing else
        unsafe { std::slice::from_raw_parts_mut(self.pages.first(), len) }
    }

    /// All of it, to be read.
    pub fn seen(&self, len: usize) -> &[u8] {
        // SAFETY: as above; a kernel that still writes in another thread breaks that, and only its own results
        unsafe { std::slice::from_raw_parts(self.pages.first(), len) }
    }

    /// Where the memory begins, and the descriptor that it came by.
    #[cfg(target_os = "linux")]
    pub fn place(&self) -> (usize, i32) {
        (self.pages.first() as usize, std::os::fd::AsRawFd::as_raw_fd(&self.pages.file))
    }

    /// Gives back what was written, where the memory is a copy; where it is shared, it must be what the kernel left,
    /// and an input what it was: one that it wrote to is told of otherwise.
    pub fn finish(self, wrote: bool) -> Result<(), Failure> {
        #[cfg(unix)]
        if !(wrote || self.pages.are_shared(self.seen(self.len))) {
            let what = if self.writable { "an output" } else { "an input" };
            let message = format!("it mapped other memory over {what}, or made it unreadable");
            return Err(Failure::Crash(message));
        }
        #[cfg(not(unix))]
        let _ = wrote;
        #[cfg(not(unix))]
        self.pages.write_back().map_err(|e| Failure::Crash(format!("cannot write a buffer: {e}")))?;
        Ok(())
    }
}

/// The pages of a buffer, shared with the parent.
#[cfg(unix)]
struct Pages {
    /// The first fence.
    base: *mut c_void,
    usable: usize,
    file: std::fs::File,
}

#[cfg(unix)]
impl Pages {
    fn new(buffer: &Handed, file: std::fs::File) -> std::io::Result<Pages> {
        use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous};
        let usable = buffer.len.next_multiple_of(rustix::param::page_size());
        let (nothing, null) = (ProtFlags::empty(), std::ptr::null_mut());
        // SAFETY: a new mapping at a place that the system chooses; nobody else has it
        let base = unsafe { mmap_anonymous(null, usable + 2 * FENCE, nothing, MapFlags::PRIVATE) }?;
        let pages = Pages { base, usable, file };
        let rights =
            if buffer.access == Access::Read { ProtFlags::READ } else { ProtFlags::READ | ProtFlags::WRITE };
        let flags = MapFlags::SHARED | MapFlags::FIXED;
        // SAFETY: whole pages inside the mapping that was just made, of which nobody has a pointer yet
        unsafe { mmap(pages.first().cast(), usable, rights, flags, &pages.file, 0) }?;
        Ok(pages)
    }

    fn first(&self) -> *mut u8 {
        self.base.cast::<u8>().wrapping_add(FENCE)
    }

    /// Whether the parent sees the same bytes. Its own are read first: what a kernel puts there once its memory is read
    /// comes too late.
    fn are_shared(&self, seen: &[u8]) -> bool {
        use std::os::unix::fs::FileExt;
        let mut own = vec![0; seen.len().min(PIECE)];
        seen.chunks(PIECE).zip(0..).all(|(piece, number)| {
            let own = &mut own[..piece.len()];
            self.file.read_exact_at(own, number * PIECE as u64).is_ok() && own == piece
        })
    }
}

#[cfg(unix)]
impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping that `new` made, as long as it was; no pointer of this program leads there any more
        let _ = unsafe { rustix::mm::munmap(self.base, self.usable + 2 * FENCE) };
    }
}

/// Elsewhere there are no fences.
#[cfg(not(unix))]
struct Pages {
    file: std::fs::File,
    bytes: Vec<u64>,
    len: usize,
}

#[cfg(not(unix))]
impl Pages {
    fn new(buffer: &Handed, mut file: std::fs::File) -> std::io::Result<Pages> {
        use std::io::Read;
        let mut bytes = vec![0; buffer.len.div_ceil(8)];
        file.read_exact(&mut bytemuck::cast_slice_mut(&mut bytes)[..buffer.len])?;
        Ok(Pages { file, bytes, len: buffer.len })
    }

    fn first(&self) -> *mut u8 {
        self.bytes.as_ptr().cast_mut().cast()
    }

    fn write_back(mut self) -> std::io::Result<()> {
        use std::io::{Seek, Write};
        self.file.rewind()?;
        self.file.write_all(&bytemuck::cast_slice(&self.bytes)[..self.len])
    }
}
