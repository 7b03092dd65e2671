//! What this machine's processors do at most, all of them together: bytes read and copied, multiply-adds in f32.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "loops that no compiler may improve are assembly")
)]

use ktwin_check::bench::Roof;

/// Measures the roof for a case of so many bytes; none on processors whose loops nobody wrote.
#[cfg(target_arch = "x86_64")]
pub fn measure(bytes: usize) -> Option<Roof> {
    x86::measure(bytes)
}

#[cfg(not(target_arch = "x86_64"))]
pub fn measure(_bytes: usize) -> Option<Roof> {
    None
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::asm;
    use std::sync::Barrier;
    use std::time::{Duration, Instant};

    use super::Roof;

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

    pub fn measure(bytes: usize) -> Option<Roof> {
        let lanes = lanes()?;
        let warm = best_bytes(bytes.clamp(SMALL, LARGE));
        Some(Roof { cold: best_bytes(LARGE), warm, flops: best(|| Work::Multiply(lanes)) })
    }

    fn lanes() -> Option<u64> {
        let has = (is_x86_feature_detected!("avx512f"), is_x86_feature_detected!("fma"));
        match has {
            (true, _) => Some(16),
            (false, true) => Some(8),
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
        Multiply(u64),
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
                Work::Multiply(lanes) => {
                    let turns = 10_000;
                    if *lanes == 16 {
                        multiply_16(turns)
                    } else {
                        multiply_8(turns)
                    }
                    (2 * CHAINS * *lanes * turns) as f64
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

    macro_rules! multiply {
        ($name:ident, $register:literal) => {
            fn $name(turns: u64) {
                // SAFETY: registers only, on a processor that was asked whether it has them
                unsafe {
                    asm!("vxorps xmm12, xmm12, xmm12", "2:",
                         concat!("vfmadd231ps ", $register, "0, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "1, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "2, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "3, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "4, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "5, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "6, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "7, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "8, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "9, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "10, ", $register, "12, ", $register, "12"),
                         concat!("vfmadd231ps ", $register, "11, ", $register, "12, ", $register, "12"),
                         "dec {n}", "jnz 2b", "vzeroupper",
                         n = inout(reg) turns => _,
                         out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                         out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
                         out("xmm10") _, out("xmm11") _, out("xmm12") _, options(nostack, nomem));
                }
            }
        };
    }
    multiply!(multiply_8, "ymm");
    multiply!(multiply_16, "zmm");
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_roof_is_what_processors_do() {
        let Some(roof) = super::measure(1 << 16) else { return };
        // from an old laptop's to what no machine has
        for bytes in [roof.cold, roof.warm] {
            assert!((1e8..1e14).contains(&bytes), "{roof:?}");
        }
        assert!((1e9..1e15).contains(&roof.flops), "{roof:?}");
    }
}
