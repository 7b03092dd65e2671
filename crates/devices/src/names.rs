//! The list of devices, by which they are found, listed and tested. It touches no hardware before it is asked
//! to.

use ktwin_check::{Description, Device, Failure};
use ktwin_sim::Mode;

use crate::child::Limits;
use crate::{native, sim};

/// A device that may or may not be on this machine.
pub struct Entry {
    /// The name it is chosen by.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    make: fn(Limits) -> Box<dyn Device>,
    probe: fn(&'static str) -> Result<Description, Failure>,
}

impl Entry {
    /// The device, ready to compile kernels. Whether it is there shows when it compiles, or by
    /// [`Entry::probe`].
    pub fn open(&self, limits: Limits) -> Box<dyn Device> {
        (self.make)(limits)
    }

    /// What is there, or what is missing and how to get it.
    pub fn probe(&self) -> Result<Description, Failure> {
        (self.probe)(self.name)
    }
}

/// Every device, the embedded default first.
pub const DEVICES: &[Entry] = &[
    Entry {
        name: "sim",
        about: "a simulated GPU for WGSL, GLSL, SPIR-V, PTX and CUDA C++; needs no GPU, and sees what drivers hide",
        make: |_| Box::new(sim::Sim::new(Mode::Nearest)),
        probe: |_| Ok(sim::Sim::new(Mode::Nearest).describe()),
    },
    Entry {
        name: "sim-worst",
        about: "the same, its functions as wrong as the language allows",
        make: |_| Box::new(sim::Sim::new(Mode::Worst)),
        probe: |_| Ok(sim::Sim::new(Mode::Worst).describe()),
    },
    Entry {
        name: "sim-range",
        about: "the same, its functions anywhere inside what the language allows",
        make: |_| Box::new(sim::Sim::new(Mode::Range)),
        probe: |_| Ok(sim::Sim::new(Mode::Range).describe()),
    },
    #[cfg(all(feature = "gpu", not(target_vendor = "apple")))]
    Entry {
        name: "vulkan",
        about: "GPUs through Vulkan, for WGSL and SPIR-V",
        make: |limits| Box::new(crate::gpu::Gpu::new("vulkan", limits)),
        probe: crate::gpu::probe,
    },
    #[cfg(all(feature = "gpu", target_vendor = "apple"))]
    Entry {
        name: "metal",
        about: "GPUs through Metal, for WGSL and SPIR-V",
        make: |limits| Box::new(crate::gpu::Gpu::new("metal", limits)),
        probe: crate::gpu::probe,
    },
    #[cfg(all(feature = "gpu", windows))]
    Entry {
        name: "dx12",
        about: "GPUs through DirectX 12, for WGSL and SPIR-V",
        make: |limits| Box::new(crate::gpu::Gpu::new("dx12", limits)),
        probe: crate::gpu::probe,
    },
    Entry {
        name: "native",
        about: "this machine's processor, for C, C++, Rust and shared libraries",
        make: |limits| Box::new(native::Native::new(limits)),
        probe: |_| native::probe(),
    },
];

/// The device of this name, or an error that lists the names and suggests the nearest.
pub fn find(name: &str) -> Result<&'static Entry, String> {
    DEVICES.iter().find(|d| d.name == name).ok_or_else(|| {
        let names: Vec<&str> = DEVICES.iter().map(|d| d.name).collect();
        let hint = ktwin_num::did_you_mean(name, names.iter().copied());
        format!("no device `{name}`{hint}; devices are {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (i, device) in DEVICES.iter().enumerate() {
            assert!(DEVICES[..i].iter().all(|d| d.name != device.name));
            assert!(find(device.name).is_ok());
            assert_eq!(device.open(Limits::default()).describe().name, device.name);
        }
        let error = find("vulcan").err().unwrap_or_default();
        assert!(error.contains("vulkan"), "{error}");
    }
}
