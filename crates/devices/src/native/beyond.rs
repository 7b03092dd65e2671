//! What memory a kernel touched that it may not: said on standard error by the handler of the signal that ends it, in
//! the words of its buffers. It is shown, never believed.
#![expect(unsafe_code, reason = "a handler of signals writes with a system call")]

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::fence::FENCE;
use crate::child::wire::Handed;
use crate::child::{FAULT, PLACE, base_of};

/// Buffers of a launch that are known, at most.
const MOST: usize = 64;
/// What is below this is a pointer that nobody set; what is so near below the stack's end is more of the stack.
const NULL: usize = 1 << 16;
/// A stack is no longer than this.
const STACK: usize = 16 << 20;

/// Where the kernel's library begins; 0 where that is not known.
static LIBRARY: AtomicUsize = AtomicUsize::new(0);

/// A buffer of the launch that runs.
struct Slot {
    name: AtomicPtr<u8>,
    name_len: AtomicUsize,
    from: AtomicUsize,
    /// Its length; 0 where there is none.
    len: AtomicUsize,
    /// The bytes of an element.
    each: AtomicUsize,
}

static SLOTS: [Slot; MOST] = [const {
    Slot {
        name: AtomicPtr::new(std::ptr::null_mut()),
        name_len: AtomicUsize::new(0),
        from: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        each: AtomicUsize::new(1),
    }
}; MOST];

/// The part of a buffer that the kernel is given begins here. `buffer` must live until `forget` is called.
pub fn know(number: usize, buffer: &Handed, from: usize) {
    let Some(slot) = SLOTS.get(number) else { return };
    slot.name.store(buffer.name.as_ptr().cast_mut(), Ordering::SeqCst);
    slot.name_len.store(buffer.name.len(), Ordering::SeqCst);
    slot.from.store(from, Ordering::SeqCst);
    slot.each.store(buffer.dtype.bytes_per_block().max(1), Ordering::SeqCst);
    slot.len.store(buffer.body.len(), Ordering::SeqCst);
}

/// The kernel's library is the one that this function of it belongs to.
pub fn loaded(function: *const std::ffi::c_void) {
    LIBRARY.store(base_of(function).unwrap_or(0), Ordering::SeqCst);
}

/// After the call nothing is known.
pub fn forget() {
    SLOTS.iter().for_each(|slot| slot.len.store(0, Ordering::SeqCst));
}

/// What a signal interrupted.
pub struct Interrupted {
    /// The instruction.
    pub at: Option<usize>,
    /// The end of the stack.
    pub stack: Option<usize>,
    /// Whether somebody sent the signal.
    pub sent: bool,
}

/// Says what lies at an address that was touched; the processor tells none where a place is not aligned as an
/// instruction asks, or where it is no address at all. It makes one system call and looks at atomics: that is all a
/// handler may do.
pub fn tell(at: Option<usize>, interrupted: &Interrupted) {
    let stack = interrupted.stack;
    let mut line = Line { bytes: [0; 192], len: 0 };
    line.text(FAULT.as_bytes());
    let found = at.and_then(|at| Some((at, SLOTS.iter().find(|slot| slot.is_near(at))?)));
    match (found, at) {
        _ if interrupted.sent => line.text(b"it was stopped"),
        (Some((at, slot)), _) => slot.tell(at, &mut line),
        (_, None) => line.text(b"an address that is misaligned for its instruction, or not valid"),
        (_, Some(at)) if at < NULL => line.text(b"a null pointer"),
        (_, Some(at)) if stack.is_some_and(|end| overflowed(at, end)) => line.text(b"the stack overflowed"),
        // who only loads or times a kernel says nothing of its buffers
        _ if SLOTS.iter().all(|slot| slot.len.load(Ordering::SeqCst) == 0) => return,
        _ => line.text(b"memory that belongs to no buffer"),
    }
    let library = LIBRARY.load(Ordering::SeqCst);
    if let Some(offset) = interrupted.at.and_then(|at| at.checked_sub(library)).filter(|_| library != 0) {
        line.text(PLACE.as_bytes());
        line.number(offset);
    }
    line.text(b"\n");
    // SAFETY: the bytes are there, and what becomes of the line is of no importance
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.len) };
}

/// Whether an address is past the end of a stack that has grown to `end`: close below it; or above it, where even the
/// end is beyond what there is of the stack.
fn overflowed(at: usize, end: usize) -> bool {
    let above = at > end;
    at + NULL > end && at < end + STACK && !(above && is_readable(end))
}

/// Whether memory can be read, as the system sees it, which reads a set of signals there before it refuses the rest.
fn is_readable(at: usize) -> bool {
    const NOTHING_TO_DO: usize = usize::MAX;
    // SAFETY: what is asked for does not exist: the call changes nothing
    let refused = unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, NOTHING_TO_DO, at & !7, std::ptr::null::<u8>(), 8usize)
    };
    refused == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}

impl Slot {
    fn is_near(&self, at: usize) -> bool {
        let (from, len) = (self.from.load(Ordering::SeqCst), self.len.load(Ordering::SeqCst));
        len > 0 && at >= from.saturating_sub(FENCE) && at < from.saturating_add(len + FENCE)
    }

    fn tell(&self, at: usize, line: &mut Line) {
        let (from, len) = (self.from.load(Ordering::SeqCst), self.len.load(Ordering::SeqCst));
        let each = self.each.load(Ordering::SeqCst).max(1);
        let (name, size) = (self.name.load(Ordering::SeqCst), self.name_len.load(Ordering::SeqCst));
        // SAFETY: the name lives until the call is over, and this is during the call
        let name = unsafe { std::slice::from_raw_parts(name, size) };
        if at < from {
            line.number(from - at);
            line.text(b" bytes before `");
            line.text(name);
            line.text(b"`");
        } else {
            line.text(b"past the end of `");
            line.text(name);
            line.text(b"`, element ");
            line.number((at - from) / each);
            line.text(b" where it has ");
            line.number(len / each);
        }
    }
}

/// A line that is put together without memory of its own.
struct Line {
    bytes: [u8; 192],
    len: usize,
}

impl Line {
    fn text(&mut self, text: &[u8]) {
        for (slot, byte) in self.bytes[self.len..].iter_mut().zip(text) {
            *slot = *byte;
            self.len += 1;
        }
    }

    fn number(&mut self, mut number: usize) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        while first == digits.len() || number > 0 {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
        }
        self.text(&digits[first..]);
    }
}
