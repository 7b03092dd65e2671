//! Whether arrays fit into memory: said before they are made.

/// Refuses so many bytes where the machine does not have them.
pub fn room(bytes: f64, instead: &str) -> Result<(), String> {
    let most = machine_memory().unwrap_or(usize::MAX as f64 / 4.0);
    let room = bytes < most && Vec::<u8>::new().try_reserve_exact(bytes as usize).is_ok();
    match room {
        true => Ok(()),
        false => {
            let gib = bytes / GIB;
            let there = machine_memory().map_or("less is".into(), |most| format!("{:.0} GiB", most / GIB));
            Err(format!("this case needs about {gib:.0} GiB; {there} available: {instead}"))
        }
    }
}

const GIB: f64 = (1u64 << 30) as f64;

/// All memory of the machine, swap included, where the system says: some systems promise more than they have.
fn machine_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |key: &str| -> Option<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some(1024.0 * (kilobytes("MemTotal:")? + kilobytes("SwapTotal:").unwrap_or(0.0)))
}
