//! What the simulator counts, as figures of a benchmark: the same on every run and on every machine.

use ktwin_sim::Counts;

/// Bytes of a sector, which memory moves as a whole.
const SECTOR: u64 = 32;

/// The figures, each with its name.
pub fn rows(counts: &Counts) -> Vec<(&'static str, f64)> {
    vec![
        ("warp instructions", counts.warp_instructions as f64),
        ("lanes active", counts.lanes_active()),
        ("flops", counts.flops as f64),
        ("bytes loaded", counts.global.loaded as f64),
        ("bytes stored", counts.global.stored as f64),
        ("sectors", counts.sectors as f64),
        ("bytes of sectors", (counts.sectors * SECTOR) as f64),
        ("bytes used of sectors", counts.coalescing()),
        ("bank conflicts", counts.bank_conflicts as f64),
        ("barriers", counts.barriers as f64),
        ("atomics", counts.atomics as f64),
    ]
}
