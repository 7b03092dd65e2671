//! Memory for whole outputs. They are written once, so most of what they cost beside their computation is the
//! kernel handing out pages: large ones are asked for where the system has them.

/// So many zeros.
pub fn zeros(n: usize) -> Vec<f64> {
    let mut values = vec![0.0; n];
    large_pages(&mut values);
    values
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a hint to the system on memory of our own; it changes no contents")]
fn large_pages(values: &mut [f64]) {
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
fn large_pages(_: &mut [f64]) {}
