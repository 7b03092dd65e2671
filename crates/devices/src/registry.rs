//! The devices that there are to choose from: those of this crate, and whatever is added. It touches no hardware.

use std::path::Path;
use std::sync::Arc;

use ktwin_check::{Device, SourceKind};

#[cfg(feature = "cuda")]
use crate::cuda::Cuda;
use crate::limits::Limits;
#[cfg(feature = "opencl")]
use crate::opencl::OpenCl;
#[cfg(feature = "worker")]
use crate::program::Program;

/// Devices by name, the default first.
pub struct Registry {
    devices: Vec<Arc<dyn Device>>,
    #[cfg_attr(not(feature = "worker"), expect(dead_code, reason = "nothing runs in a child process"))]
    limits: Limits,
}

impl Registry {
    /// All devices of this build, whether or not this machine has them. `limits` are those of every launch in a child
    /// process.
    pub fn new(limits: Limits) -> Registry {
        #[allow(unused_mut, reason = "a build may have no devices of its own")]
        let mut all: Vec<Box<dyn Device>> = Vec::new();
        #[cfg(feature = "sim")]
        all.extend(crate::sim::devices());
        #[cfg(feature = "vulkan")]
        all.extend(crate::gpu::devices(limits));
        #[cfg(feature = "cuda")]
        all.extend(Cuda::named("cuda", limits).map(|device| Box::new(device) as Box<dyn Device>));
        #[cfg(feature = "native")]
        all.push(Box::new(crate::native::Native::new(limits)));
        #[cfg(feature = "opencl")]
        all.extend(OpenCl::all(limits).map(|device| Box::new(device) as Box<dyn Device>));
        #[cfg(feature = "compilers")]
        all.push(Box::new(crate::python::Python::new(limits)));
        Registry { devices: all.into_iter().map(Arc::from).collect(), limits }
    }

    /// Adds a device, which is then found by its name.
    pub fn add(&mut self, device: Box<dyn Device>) -> Result<(), String> {
        if self.devices.iter().any(|d| d.name() == device.name()) {
            return Err(format!("there is already a device `{}`: give yours another name", device.name()));
        }
        self.devices.push(Arc::from(device));
        Ok(())
    }

    /// All of them.
    pub fn all(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }

    /// The device of this name; where the name is a path, the program there, which is asked what it is. The error lists
    /// the names, and suggests the nearest.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Device>, String> {
        if let Some(device) = self.devices.iter().find(|d| d.name() == name) {
            return Ok(device.clone());
        }
        #[cfg(feature = "cuda")]
        if let Some(device) = Cuda::named(name, self.limits) {
            return Ok(Arc::new(device));
        }
        #[cfg(feature = "opencl")]
        if let Some(device) = OpenCl::named(name, self.limits) {
            return Ok(Arc::new(device));
        }
        #[cfg(feature = "worker")]
        if name.contains(['/', '\\']) {
            return Ok(Arc::new(
                Program::open(Path::new(name), self.limits).map_err(|e| format!("{name}: {e}"))?,
            ));
        }
        let names: Vec<&str> = self.devices.iter().map(|d| d.name()).collect();
        let hint = ktwin_num::did_you_mean(name, names.iter().copied());
        let own = match Path::new(name).is_file() {
            true => format!("; to run the program of this name, write ./{name}"),
            false => String::new(),
        };
        Err(format!("no device `{name}`{hint}{own}; devices are {}", names.join(", ")))
    }

    /// Those that run a language, the usual one first.
    pub fn running(&self, kind: SourceKind) -> impl Iterator<Item = &Arc<dyn Device>> {
        self.devices.iter().filter(move |d| d.accepts(kind))
    }
}

/// The device of this name among those of this build, or the program at this path.
pub fn find(name: &str, limits: Limits) -> Result<Arc<dyn Device>, String> {
    Registry::new(limits).find(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_check::Closure;

    #[test]
    fn names_are_unique_and_found() {
        let mut registry = Registry::new(Limits::default());
        let all: Vec<String> = registry.all().iter().map(|d| d.name().to_owned()).collect();
        for (i, name) in all.iter().enumerate() {
            assert!(!all[..i].contains(name));
            assert!(registry.find(name).is_ok_and(|d| d.name() == name));
        }
        assert!(registry.add(Box::new(Closure::new(|_| ()))).is_ok());
        assert!(registry.find("closure").is_ok());
        assert!(registry.add(Box::new(Closure::new(|_| ()))).is_err_and(|why| why.contains("another name")));
    }

    #[test]
    fn the_nearest_name_is_suggested() {
        let registry = Registry::new(Limits::default());
        let error = |name| registry.find(name).err().unwrap_or_default();
        assert!(error("vulcan").contains("vulkan"), "{}", error("vulcan"));
        assert!(error("./no/such/device").contains("cannot start"), "{}", error("./no/such/device"));
        assert!(error("Cargo.toml").contains("write ./Cargo.toml"), "{}", error("Cargo.toml"));
    }
}
