//! Where the program or library that an address belongs to begins in memory.
#![expect(unsafe_code, reason = "the loader is asked")]

/// That place; nothing where the address belongs to neither.
pub fn base_of(address: *const libc::c_void) -> Option<usize> {
    let mut about = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: `about` is room for what is written, and all of it may be zero
    let (found, about) = unsafe { (libc::dladdr(address, about.as_mut_ptr()), about.assume_init()) };
    (found != 0).then_some(about.dli_fbase.addr())
}
