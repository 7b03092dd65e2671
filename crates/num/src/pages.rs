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

/// How to fill an array of so many numbers, part by part. One that no cache holds is written past the caches: its
/// memory need not be read first, and what the caches hold stays.
pub fn copier(n: usize) -> fn(&mut [f64], &[f64]) {
    const WORTH: usize = 32 << 20;
    if size_of::<f64>() * n >= WORTH { past_caches } else { <[f64]>::copy_from_slice }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "a store past the caches has no safe name")]
fn past_caches(to: &mut [f64], from: &[f64]) {
    use std::arch::x86_64::{_mm_loadu_pd, _mm_sfence, _mm_stream_pd};
    assert_eq!(to.len(), from.len());
    // the store wants addresses that are multiples of 16
    let head = (to.as_ptr().align_offset(16)).min(to.len());
    let (to_head, to) = to.split_at_mut(head);
    let (from_head, from) = from.split_at(head);
    to_head.copy_from_slice(from_head);
    let mut pairs = to.chunks_exact_mut(2);
    let mut sources = from.chunks_exact(2);
    for (to, from) in pairs.by_ref().zip(sources.by_ref()) {
        // SAFETY: both are two numbers long, the first is aligned to 16, and every such processor has SSE2
        unsafe { _mm_stream_pd(to.as_mut_ptr(), _mm_loadu_pd(from.as_ptr())) };
    }
    pairs.into_remainder().copy_from_slice(sources.remainder());
    // SAFETY: every such processor has SSE; whoever is told of these stores after this sees them
    unsafe { _mm_sfence() };
}

#[cfg(not(target_arch = "x86_64"))]
fn past_caches(to: &mut [f64], from: &[f64]) {
    to.copy_from_slice(from);
}

#[cfg(test)]
mod tests {
    use super::copier;

    #[test]
    fn any_part_is_copied_whole() {
        let from: Vec<f64> = (0..64).map(f64::from).collect();
        for n in [64, 1 << 30] {
            let copy = copier(n);
            for first in 0..4 {
                for length in 0..=(64 - first) {
                    let mut to = vec![-1.0; 64];
                    copy(&mut to[first..first + length], &from[..length]);
                    assert_eq!(to[first..first + length], from[..length]);
                    assert!(to[..first].iter().chain(&to[first + length..]).all(|v| *v == -1.0));
                }
            }
        }
    }
}
