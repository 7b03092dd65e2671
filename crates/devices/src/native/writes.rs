//! A kernel that writes to an input: the first such write is noted, and the kernel goes on with a copy of its own, so
//! that all else that is wrong with it shows too. Nobody but the kernel ever sees what it wrote.
#![expect(unsafe_code, reason = "a handler of signals")]

use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// Read-only buffers of a launch that are watched, at most.
const MOST: usize = 64;

/// The code of a fault of which the processor says no address.
const GENERAL: i32 = 0x80;

/// An address below all that a system maps.
const NOWHERE: usize = 8;

struct Slot {
    from: AtomicUsize,
    len: AtomicUsize,
    descriptor: AtomicI32,
    /// The place of the first write, plus 1; 0 before it.
    written: AtomicUsize,
}

static SLOTS: [Slot; MOST] = [const {
    Slot {
        from: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        descriptor: AtomicI32::new(-1),
        written: AtomicUsize::new(0),
    }
}; MOST];

/// Watches one more buffer: where it begins, its length, the descriptor that it came by.
pub fn watch(number: usize, (from, descriptor): (usize, i32), len: usize) {
    let Some(slot) = SLOTS.get(number) else { return };
    slot.from.store(from, Ordering::SeqCst);
    slot.descriptor.store(descriptor, Ordering::SeqCst);
    slot.written.store(0, Ordering::SeqCst);
    slot.len.store(len, Ordering::SeqCst);
}

/// Ends the watch; the buffers that were written to, each with the first place.
pub fn written() -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (number, slot) in SLOTS.iter().enumerate() {
        slot.len.store(0, Ordering::SeqCst);
        if let Some(place) = slot.written.swap(0, Ordering::SeqCst).checked_sub(1) {
            found.push((number, place));
        }
    }
    found
}

/// Sets the handler. Memory that does not exist ends the process at once: the handler that Rust set would first have to
/// take itself away, which the box refuses.
pub fn handle() {
    // SAFETY: an all-zero `sigaction` is a valid one, and the handler has the type that the flag asks for
    unsafe {
        libc::signal(libc::SIGBUS, libc::SIG_DFL);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
    }
}

// It makes system calls and looks at atomics: that is all a handler may do.
extern "C" fn handler(_signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system gives a handler of this kind a valid pointer
    let at = unsafe { (*info).si_addr() } as usize;
    for slot in &SLOTS {
        let (from, len) = (slot.from.load(Ordering::SeqCst), slot.len.load(Ordering::SeqCst));
        if at < from || at - from >= len || slot.written.load(Ordering::SeqCst) != 0 {
            continue;
        }
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_FIXED);
        let descriptor = slot.descriptor.load(Ordering::SeqCst);
        // SAFETY: it replaces the pages of this buffer, which are mapped from the same descriptor, by a copy of them
        let copy = unsafe { libc::mmap(from as *mut libc::c_void, len, rights, flags, descriptor, 0) };
        if copy != libc::MAP_FAILED {
            slot.written.store(at - from + 1, Ordering::SeqCst);
            return;
        }
    }
    // SAFETY: as above
    let code = unsafe { (*info).si_code };
    let [at_instruction, stack] = interrupted(context);
    let interrupted = super::beyond::Interrupted { at: at_instruction, stack, sent: code <= 0 };
    super::beyond::tell((code != GENERAL).then_some(at), &interrupted);
    // it was something else, or somebody only sent the signal: a fault while it is blocked ends the process
    // SAFETY: nothing is ever there, and the process does not outlive it
    unsafe { std::ptr::without_provenance_mut::<u8>(NOWHERE).write_volatile(0) };
}

/// Which instruction was interrupted, and where its stack ends.
#[cfg(target_arch = "x86_64")]
fn interrupted(context: *mut libc::c_void) -> [Option<usize>; 2] {
    // SAFETY: the system gives a handler of this kind a valid context
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    let register = |number: i32| usize::try_from(context.uc_mcontext.gregs[number as usize]).ok();
    [register(libc::REG_RIP), register(libc::REG_RSP)]
}

#[cfg(not(target_arch = "x86_64"))]
fn interrupted(_context: *mut libc::c_void) -> [Option<usize>; 2] {
    [None, None]
}
