//! What this machine's processors do at most, all of them together: bytes read and copied, multiply-adds of a type.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "loops that no compiler may improve are assembly")
)]

use ktwin_check::bench::{Factor, Roof};

/// Measures the roof for a case of so many bytes and of what its kernel multiplies; none on processors whose loops
/// nobody wrote.
#[cfg(target_arch = "x86_64")]
pub fn measure(bytes: usize, factor: Factor) -> Option<Roof> {
    x86::measure(bytes, factor)
}

#[cfg(not(target_arch = "x86_64"))]
pub fn measure(_bytes: usize, _factor: Factor) -> Option<Roof> {
    None
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::sync::Barrier;
    use std::time::{Duration, Instant};

    use super::{Factor, Roof};

    /// Bytes that are in no cache, all processors together.
    const LARGE: usize = 256 << 20;
    /// Bytes below which a loop's own costs would show.
    const SMALL: usize = 16 << 10;
    /// How often each is tried: the roof is the best of them.
    const TRIES: usize = 7;
    /// Time that a try takes at least.
    const LEAST: Duration = Duration::from_millis(3);
    /// Multiply-adds of one turn of the loop, in vectors.
    const CHAINS: u64 = 12;

    /// A loop of multiply-adds, and how many of them an instruction does (or those that do as much together).
    #[derive(Clone, Copy)]
    struct Loop {
        turns: fn(u64),
        at_once: u64,
    }

    pub fn measure(bytes: usize, factor: Factor) -> Option<Roof> {
        // a processor with fused multiply-adds has AVX, whose registers the loops that move bytes need
        multiplies(Factor::F32)?;
        let rate = |factor| multiplies(factor).map(|one| best(|| Work::Multiply(one)));
        let most = factor.most(|factor| Ok::<_, ()>(rate(factor)));
        let (flops, factor) = most.ok().flatten()?;
        Some(Roof { cold: best_bytes(LARGE), warm: best_bytes(bytes.clamp(SMALL, LARGE)), flops, factor })
    }

    /// The loop for this type, where the processor has its instructions.
    fn multiplies(factor: Factor) -> Option<Loop> {
        let wide = is_x86_feature_detected!("avx512f");
        let narrow = is_x86_feature_detected!("fma");
        let one = |turns: fn(u64), at_once| Some(Loop { turns, at_once });
        match factor {
            Factor::F64 if wide => one(f64_wide, 8),
            Factor::F64 if narrow => one(f64_narrow, 4),
            Factor::F32 if wide => one(f32_wide, 16),
            Factor::F32 if narrow => one(f32_narrow, 8),
            Factor::F16 if is_x86_feature_detected!("avx512fp16") => one(f16_wide, 32),
            Factor::BF16 if is_x86_feature_detected!("avx512bf16") => one(bf16_wide, 32),
            Factor::I8 if is_x86_feature_detected!("avx512vnni") => one(i8_wide, 64),
            Factor::I8 if is_x86_feature_detected!("avxvnni") => one(i8_narrow, 32),
            Factor::I8 if is_x86_feature_detected!("avx2") => one(i8_in_three, 32),
            _ => None,
        }
    }

    fn best_bytes(bytes: usize) -> f64 {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let part = (bytes / all).next_multiple_of(128).max(SMALL);
        let both =
            [best(|| Work::Read(vec![1; part])), best(|| Work::Copy(vec![1; part / 2], vec![2; part / 2]))];
        both[0].max(both[1])
    }

    enum Work {
        Read(Vec<u8>),
        Copy(Vec<u8>, Vec<u8>),
        Multiply(Loop),
    }

    impl Work {
        // Does it once; what that counts for.
        fn turn(&mut self) -> f64 {
            match self {
                Work::Read(bytes) => {
                    read(bytes);
                    bytes.len() as f64
                }
                Work::Copy(from, to) => {
                    to.copy_from_slice(std::hint::black_box(from));
                    std::hint::black_box(&to);
                    2.0 * from.len() as f64
                }
                Work::Multiply(one) => {
                    let turns = 10_000;
                    (one.turns)(turns);
                    (2 * CHAINS * one.at_once * turns) as f64
                }
            }
        }
    }

    // So much a second, all processors at once, in the best of several tries.
    fn best(work: impl Fn() -> Work + Sync) -> f64 {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let barrier = Barrier::new(all);
        let one = || {
            let mut own = work();
            own.turn();
            let tries = (0..TRIES).map(|_| {
                barrier.wait();
                let (start, mut done) = (Instant::now(), 0.0);
                while start.elapsed() < LEAST || done == 0.0 {
                    done += own.turn();
                }
                done / start.elapsed().as_secs_f64()
            });
            tries.collect::<Vec<f64>>()
        };
        let each: Vec<Vec<f64>> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..all).map(|_| scope.spawn(one)).collect();
            started.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        (0..TRIES).map(|number| each.iter().map(|one| one[number]).sum::<f64>()).fold(0.0, f64::max)
    }

    fn read(bytes: &[u8]) {
        let (from, turns) = (bytes.as_ptr(), bytes.len() / 128);
        if turns == 0 {
            return;
        }
        // SAFETY: it reads `turns` times 128 bytes of the slice; a processor with fused multiply-adds has AVX
        unsafe {
            asm!("2:", "vmovups ymm0, [{p}]", "vmovups ymm1, [{p} + 32]", "vmovups ymm2, [{p} + 64]",
                 "vmovups ymm3, [{p} + 96]", "add {p}, 128", "dec {n}", "jnz 2b", "vzeroupper",
                 p = inout(reg) from => _, n = inout(reg) turns => _,
                 out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, options(nostack, readonly));
        }
    }

    // Each chain adds to a register of its own what it multiplies, which is itself and a zero.
    macro_rules! multiply {
        ($name:ident, $before:literal, $after:literal) => {
            fn $name(turns: u64) {
                // SAFETY: registers only, on a processor that was asked whether it has the instructions
                unsafe {
                    asm!("vxorps xmm12, xmm12, xmm12", "2:",
                         concat!($before, "0", $after, "0"),
                         concat!($before, "1", $after, "1"),
                         concat!($before, "2", $after, "2"),
                         concat!($before, "3", $after, "3"),
                         concat!($before, "4", $after, "4"),
                         concat!($before, "5", $after, "5"),
                         concat!($before, "6", $after, "6"),
                         concat!($before, "7", $after, "7"),
                         concat!($before, "8", $after, "8"),
                         concat!($before, "9", $after, "9"),
                         concat!($before, "10", $after, "10"),
                         concat!($before, "11", $after, "11"),
                         "dec {n}", "jnz 2b", "vzeroupper",
                         n = inout(reg) turns => _,
                         out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                         out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
                         out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _,
                         options(nostack, nomem));
                }
            }
        };
    }
    multiply!(f64_narrow, "vfmadd213pd ymm", ", ymm12, ymm");
    multiply!(f64_wide, "vfmadd213pd zmm", ", zmm12, zmm");
    multiply!(f32_narrow, "vfmadd213ps ymm", ", ymm12, ymm");
    multiply!(f32_wide, "vfmadd213ps zmm", ", zmm12, zmm");
    multiply!(f16_wide, "vfmadd213ph zmm", ", zmm12, zmm");
    multiply!(bf16_wide, "vdpbf16ps zmm", ", zmm12, zmm");
    multiply!(i8_wide, "vpdpbusd zmm", ", zmm12, zmm");
    multiply!(i8_narrow, "{{vex}} vpdpbusd ymm", ", ymm12, ymm");
    multiply!(
        i8_in_three,
        "vpmaddubsw ymm13, ymm12, ymm12\n vpmaddwd ymm13, ymm13, ymm12\n vpaddd ymm",
        ", ymm13, ymm"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roof_is_what_processors_do() {
        for factor in Factor::ALL {
            let Some(roof) = measure(1 << 16, factor) else { return };
            // from an old laptop's to what no machine has
            for bytes in [roof.cold, roof.warm] {
                assert!((1e8..1e14).contains(&bytes), "{roof:?}");
            }
            assert!((1e9..1e16).contains(&roof.flops), "{roof:?}");
            let wider = factor != Factor::F64 && roof.factor == Factor::F32;
            assert!(roof.factor == factor || wider, "{factor:?}: {roof:?}");
            eprintln!("{roof:?}");
        }
    }
}
