//! Memory for large arrays. They are written and read once, from end to end, so that much of what they cost is the
//! system's: pages handed out one by one, and found one by one. Large pages are asked for where it has them.

/// So many zeros.
pub fn zeros<T: Copy + Default>(n: usize) -> Vec<T> {
    let mut values = vec![T::default(); n];
    large_pages(&mut values);
    values
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a hint to the system on memory of our own; it changes no contents")]
fn large_pages<T>(values: &mut [T]) {
    const PAGE: usize = 4096;
    const WORTH: usize = 4 << 20;
    let range = values.as_mut_ptr_range();
    let first = (range.start as usize).next_multiple_of(PAGE);
    let last = range.end as usize / PAGE * PAGE;
    if last.saturating_sub(first) >= WORTH {
        let skip = first - range.start as usize;
        // SAFETY: whole pages inside a live allocation that is borrowed exclusively; the advice keeps their contents,
        // and a system that refuses it is no worse off
        unsafe {
            let start = range.start.byte_add(skip);
            let _ = libc::madvise(start.cast(), last - first, libc::MADV_HUGEPAGE);
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn large_pages<T>(_: &mut [T]) {}
