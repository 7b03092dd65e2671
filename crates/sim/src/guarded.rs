//! Runs compilation where a broken input cannot take the process down: on a stack that grows with the input,
//! panics of the libraries turned into errors.

use std::sync::Once;
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Bytes of source or SPIR-V at most: nothing longer is a kernel, and it would need an unbounded stack.
pub const MOST_BYTES: usize = 1 << 20;
// Deep inputs are walked by recursion; each level of them takes at least two bytes of source.
const STACK_A_BYTE: usize = 1 << 10;
const STACK: usize = 16 << 20;
const THREAD: &str = "ktwin compiles";

/// What `work` returns; an error where it panics or can get no thread. `bytes` is the size of the input.
pub fn guarded<T: Send, E: Send>(
    bytes: usize,
    work: impl FnOnce() -> Result<T, E> + Send,
    error: impl Fn(String) -> E,
) -> Result<T, E> {
    if bytes > MOST_BYTES {
        return Err(error(format!("the source has {bytes} bytes: the limit is {MOST_BYTES}")));
    }
    scope(|s| {
        let stack = STACK + bytes * STACK_A_BYTE;
        quiet();
        let thread = Builder::new().name(THREAD.to_string()).stack_size(stack).spawn_scoped(s, work);
        match thread.map(ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => Err(error(format!("the compiler cannot read this input: {}", said(&*panic)))),
            Err(why) => Err(error(format!("no thread to compile on: {why}"))),
        }
    })
}

/// Panics of the compiler's thread become errors: nothing is to be printed of them.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(THREAD) {
                before(info);
            }
        }));
    });
}

fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_and_long_inputs_are_errors() {
        let panics = || -> Result<(), String> { std::panic::resume_unwind(Box::new("no")) };
        assert_eq!(guarded(1, panics, |e| e), Err("the compiler cannot read this input: no".to_string()));
        assert!(guarded(MOST_BYTES + 1, || Ok(()), |e| e).unwrap_err().contains("limit"));
        assert_eq!(guarded(1, || Ok(5), |e: String| e), Ok(5));
    }
}
