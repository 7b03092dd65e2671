//! The registry of a project, whose devices are such as ktwin has somewhere: nobody would ever heed another name.

use std::path::Path;

use ktwin_check::{Registry, Says};
use ktwin_devices::{Limits, Registry as Devices};
use ktwin_num::did_you_mean;

/// Devices that another build, or another system, may have.
const ELSEWHERE: [&str; 8] = ["dx12", "metal", "native", "opencl", "sim", "sim-range", "sim-worst", "vulkan"];

/// The registry of a file's project, if it has one.
pub fn of(file: &Path) -> Result<Option<Registry>, String> {
    let registry = Registry::of(file).map_err(|e| e.to_string())?;
    registry.as_ref().map_or(Ok(()), devices)?;
    Ok(registry)
}

/// Refuses the name of a device that there is nowhere. A path is a program, and OpenCL names what it finds.
fn devices(registry: &Registry) -> Result<(), String> {
    let here = Devices::new(Limits::default());
    let mut known: Vec<&str> = here.all().iter().map(|device| device.name()).chain(ELSEWHERE).collect();
    known.sort_unstable();
    known.dedup();
    let free = |name: &str| name.contains(['/', '\\', ':']) || name.starts_with("opencl");
    for entry in &registry.entries {
        let Says::Expect(expect) = &entry.says else { continue };
        let Some(name) = expect.device.as_deref().filter(|name| !known.contains(name) && !free(name)) else {
            continue;
        };
        let near = did_you_mean(name, known.iter().copied());
        let all = known.join(", ");
        return Err(format!("{}: no device `{name}`{near}; devices are {all}", registry.at(entry)));
    }
    Ok(())
}
