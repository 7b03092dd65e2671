//! How the processor rounds and what it does with small numbers: part of the C ABI that a function leaves as it was.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the processor's registers have no safe name")
)]

/// What the registers say, flags of what happened left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mode {
    #[cfg(target_arch = "x86_64")]
    vector: u32,
    #[cfg(target_arch = "x86_64")]
    x87: u16,
    /// Which of the x87's registers hold something: none, between functions.
    #[cfg(target_arch = "x86_64")]
    held: u16,
    /// The direction of string instructions: upwards, between functions.
    #[cfg(target_arch = "x86_64")]
    down: bool,
}

#[cfg(target_arch = "x86_64")]
impl Mode {
    /// The present one.
    pub fn now() -> Mode {
        let (mut vector, mut x87, flags) = (0u32, [0u16; 14], &mut 0u64);
        // SAFETY: each instruction stores a register to a local of its size, 28 bytes for all that x87 has beside its
        // numbers; that masks its exceptions, so it is loaded again
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut vector, options(nostack));
            std::arch::asm!("fnstenv [{0}]", "fldenv [{0}]", in(reg) &raw mut x87, options(nostack));
            std::arch::asm!("pushfq", "pop {}", out(reg) * flags);
        }
        Mode { vector: vector & !0x3f, x87: x87[0], held: !x87[4], down: *flags & 0x400 != 0 }
    }

    /// Brings this mode back; says what had become of it.
    pub fn restored(self) -> Option<String> {
        let after = Mode::now();
        // SAFETY: both values were read from these registers; the flags that were left out are clear, the x87 stack,
        // which a kernel may leave full, is emptied, and strings go upwards, as all Rust code expects
        unsafe {
            std::arch::asm!("cld");
            std::arch::asm!("fninit", "fldcw [{}]", in(reg) &raw const self.x87, options(nostack));
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const self.vector, options(nostack));
        }
        (after != self).then(|| self.changed_to(after))
    }

    fn changed_to(self, after: Mode) -> String {
        let (from, to) = (self.vector, after.vector);
        let parts = [
            ((from ^ to) & 0x6000 != 0, "rounding"),
            ((from ^ to) & 0x8000 != 0, "flush to zero"),
            ((from ^ to) & 0x40 != 0, "denormals are zero"),
            ((from ^ to) & 0x1f80 != 0, "masked exceptions"),
            (self.x87 != after.x87, "the x87 control word"),
            (after.held & !self.held != 0, "values left on the x87 stack"),
            (after.down && !self.down, "the direction flag"),
        ];
        let parts: Vec<&str> = parts.iter().filter(|(changed, _)| *changed).map(|(_, what)| *what).collect();
        parts.join(", ")
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Mode {
    /// Elsewhere nobody looks.
    pub fn now() -> Mode {
        Mode {}
    }

    /// Nothing is known.
    pub fn restored(self) -> Option<String> {
        None
    }
}
