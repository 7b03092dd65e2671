//! The registers that a function of the C ABI leaves as they were: calls a kernel with known values in them, and
//! says which came back changed.
#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "registers have no safe name"))]

use std::ffi::c_void;

use super::call::{CallKernel, Function};

/// Calls `symbol`, and names the registers that it or the kernel left changed.
///
/// # Safety
/// As for a call of `symbol` itself.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_op_in_unsafe_fn, reason = "the call is all there is")]
pub unsafe fn call(symbol: CallKernel, arguments: *mut *mut c_void, function: Function) -> Option<String> {
    const NAMES: [&str; 6] = ["rbx", "rbp", "r12", "r13", "r14", "r15"];
    /// Values that no kernel comes by: they are no addresses.
    const VALUES: [u64; 6] = [
        0xa5c3_91e7_0b5d_2f01,
        0xb6d4_82f8_1c6e_3012,
        0xc7e5_7309_2d7f_4123,
        0xd8f6_641a_3e80_5234,
        0xe907_552b_4f91_6345,
        0xfa18_463c_50a2_7456,
    ];
    let mut registers = VALUES;
    through(arguments, function, symbol, &mut registers);
    let changed = NAMES.iter().zip(registers).zip(VALUES).filter(|((_, now), before)| now != before);
    let names: Vec<&str> = changed.map(|((name, _), _)| *name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Puts the registers' values in, calls, and takes out what they hold then. The unwinder knows nothing of this frame:
/// an exception that leaves the kernel ends here.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "sysv64" fn through(
    arguments: *mut *mut c_void,
    function: Function,
    symbol: CallKernel,
    registers: &mut [u64; 6],
) {
    std::arch::naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "push rcx",
        "mov rbx, [rcx]",
        "mov rbp, [rcx + 8]",
        "mov r12, [rcx + 16]",
        "mov r13, [rcx + 24]",
        "mov r14, [rcx + 32]",
        "mov r15, [rcx + 40]",
        "call rdx",
        "pop rcx",
        "mov [rcx], rbx",
        "mov [rcx + 8], rbp",
        "mov [rcx + 16], r12",
        "mov [rcx + 24], r13",
        "mov [rcx + 32], r14",
        "mov [rcx + 40], r15",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
    )
}

/// Elsewhere nobody looks.
///
/// # Safety
/// As for a call of `symbol` itself.
#[cfg(not(target_arch = "x86_64"))]
#[expect(unsafe_code, reason = "it calls foreign code")]
pub unsafe fn call(symbol: CallKernel, arguments: *mut *mut c_void, function: Function) -> Option<String> {
    // SAFETY: the caller's promise
    unsafe { symbol(arguments, function) };
    None
}
