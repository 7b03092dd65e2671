//! The devices of all platforms, in one order: GPUs and accelerators before processors. In the child.

use ktwin_check::{Description, Failure};

use super::library::{Api, Handle, number, set, text};
use super::status::Status;
use super::{GET, Work, oclgrind, words};

const PLATFORM_NAME: u32 = 0x0902;
const PLATFORM_VERSION: u32 = 0x0901;
const TYPE: u32 = 0x1000;
const UNITS: u32 = 0x1002;
const ALIGNMENT: u32 = 0x1019;
const CACHE: u32 = 0x101e;
const STEP: u32 = 0x1025;
const NAME: u32 = 0x102b;
const EXTENSIONS: u32 = 0x1030;
const LANGUAGE: u32 = 0x103d;
const LANGUAGES: u32 = 0x1066;
const SUBGROUPS: u32 = 0x105c;
const COLLECTIVE: u32 = 0x1068;

/// A device of type `CL_DEVICE_TYPE_CPU`.
const PROCESSOR: u64 = 2;

/// Extensions that kernels use, and what they are called elsewhere.
const WANTED: &[(&str, &str)] = &[
    ("cl_khr_fp16", "f16"),
    ("cl_khr_fp64", "f64"),
    ("cl_khr_int64_base_atomics", "i64 atomics"),
    ("cl_khr_subgroups", "subgroups"),
];

/// A device, opened.
pub struct Device {
    pub api: Api,
    pub handle: Handle,
    /// What it and the others are called.
    names: Vec<String>,
    number: usize,
}

struct Found {
    handle: Handle,
    processor: bool,
    name: String,
}

/// The devices of all platforms; where a checker is wanted, of its platform alone.
fn found(api: &Api, checker: bool) -> Result<Vec<Found>, Failure> {
    let mut all = Vec::new();
    for platform in api.platforms().map_err(|e| e.of("clGetPlatformIDs"))? {
        let words = |what| api.platform_info(platform, what).map(|bytes| text(&bytes));
        let name = words(PLATFORM_NAME).unwrap_or_default();
        if (name == oclgrind::PLATFORM) != checker {
            continue;
        }
        let version = words(PLATFORM_VERSION).unwrap_or_default();
        let devices = match api.devices(platform) {
            Err(Status::NO_DEVICE) => continue,
            devices => devices.map_err(|e| e.of("clGetDeviceIDs"))?,
        };
        for handle in devices {
            let info = |what| api.device_info(handle, what).map_err(|e| e.of("clGetDeviceInfo"));
            all.push(Found {
                handle,
                processor: number(&info(TYPE)?) & PROCESSOR != 0,
                name: format!("{} ({version})", text(&info(NAME)?)),
            });
        }
    }
    all.sort_by_key(|device| device.processor);
    Ok(all)
}

impl Device {
    /// Loads OpenCL and chooses the device.
    pub fn open(work: &Work) -> Result<Device, Failure> {
        work.variables.iter().for_each(|(name, value)| set(name, value));
        let api = Api::load()?;
        let all = found(&api, work.checker)?;
        let get = if work.checker { oclgrind::GET } else { GET };
        let absent = |why: String| Failure::Absent { why, get: get.into() };
        let names: Vec<String> = all.iter().map(|device| device.name.clone()).collect();
        let Some(chosen) = all.get(work.number) else {
            return Err(absent(match all.len() {
                0 if work.checker => format!("OpenCL's loader did not take {}", oclgrind::PLATFORM),
                0 => "no OpenCL device".into(),
                count => format!("no OpenCL device {}: there are {count}, counted from 0", work.number),
            }));
        };
        Ok(Device { handle: chosen.handle, api, names, number: work.number })
    }

    fn info(&self, what: u32) -> Vec<u8> {
        self.api.device_info(self.handle, what).unwrap_or_default()
    }

    /// Whether it has an extension.
    pub fn has(&self, extension: &str) -> bool {
        let all = text(&self.info(EXTENSIONS));
        let listed = all.split_whitespace().any(|own| own == extension);
        // since OpenCL 3.0 they are no extension
        listed || extension == "cl_khr_subgroups" && number(&self.info(SUBGROUPS)) > 0
    }

    /// What it is, and how to choose the others.
    pub fn describe(&self) -> Result<Description, Failure> {
        let others = self.names.iter().enumerate().filter(|(number, _)| *number != self.number);
        let others = others.map(|(number, name)| format!("; opencl:{number} is {name}"));
        let detail = self.names[self.number].clone() + &others.collect::<String>();
        let features = WANTED.iter().filter(|(extension, _)| self.has(extension));
        Ok(Description { detail, features: features.map(|(_, name)| (*name).into()).collect() })
    }

    /// The extensions that it does not have.
    pub fn lacks(&self) -> Vec<&'static str> {
        let own = WANTED.iter().map(|(extension, _)| *extension).filter(|extension| !self.has(extension));
        let collective = Some(words::COLLECTIVE).filter(|_| number(&self.info(COLLECTIVE)) == 0);
        own.chain(collective).collect()
    }

    /// Where a part of a buffer may begin, in bytes.
    pub fn alignment(&self) -> usize {
        (number(&self.info(ALIGNMENT)) as usize / 8).max(1)
    }

    /// Whether it is a processor, and no GPU or accelerator.
    pub fn is_processor(&self) -> bool {
        number(&self.info(TYPE)) & PROCESSOR != 0
    }

    /// Parts of it that work side by side.
    pub fn units(&self) -> usize {
        number(&self.info(UNITS)).max(1) as usize
    }

    /// Bytes of its cache.
    pub fn cache(&self) -> usize {
        number(&self.info(CACHE)) as usize
    }

    /// Nanoseconds between two times that its queue can tell apart.
    pub fn step(&self) -> f64 {
        number(&self.info(STEP)) as f64
    }

    /// The newest OpenCL C that it compiles, as an option; none for the oldest.
    pub fn standard(&self) -> Option<String> {
        // `OpenCL C 1.2 ...`
        let said = text(&self.info(LANGUAGE));
        let mut numbers = said.split(' ').nth(2)?.split('.').map(|n| n.parse().ok());
        let mut newest: (u32, u32) = (numbers.next()??, numbers.next()??);
        // a version in 10, 10 and 12 bits, and 64 bytes of a name
        for listed in self.info(LANGUAGES).chunks_exact(68) {
            let version = number(&listed[..4]) as u32;
            newest = newest.max((version >> 22, version >> 12 & 0x3ff));
        }
        Some(newest)
            .filter(|version| *version > (1, 1))
            .map(|(major, minor)| format!("-cl-std=CL{major}.{minor}"))
    }
}
