//! Which device runs what: those that are named, or the first for each language; and what is named in vain.

use std::path::PathBuf;
use std::sync::Arc;

use ktwin_check::Device;
use ktwin_devices::Registry as Devices;

use super::{Job, Suite};

impl Suite {
    /// What would run: each file with the name of its device.
    pub fn list(&self) -> Result<Vec<(PathBuf, String)>, String> {
        let (names, devices) = self.open()?;
        let jobs = self.jobs_on(&devices).into_iter();
        Ok(jobs.map(|job| (job.file.clone(), names[job.device].clone())).collect())
    }

    /// The devices and their names.
    pub(super) fn open(&self) -> Result<(Vec<String>, Vec<Arc<dyn Device>>), String> {
        let registry = Devices::new(self.limits);
        let asked =
            if self.devices.is_empty() { self.first_devices(&registry) } else { self.devices.clone() };
        let mut names: Vec<String> = Vec::new();
        for name in asked.iter().chain(&self.required) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let devices = names.iter().map(|name| registry.find(name)).collect::<Result<Vec<_>, _>>()?;
        Ok((names, devices))
    }

    /// The first device for every language there is.
    fn first_devices(&self, registry: &Devices) -> Vec<String> {
        let first =
            |file: &PathBuf| Some(registry.running(self.language_of(file)?).next()?.name().to_string());
        let found: Vec<String> = self.files.iter().filter_map(first).collect();
        let mut names: Vec<String> = registry.all().iter().map(|d| d.name().to_string()).collect();
        names.retain(|n| found.contains(n));
        if names.is_empty() { vec!["sim".to_string()] } else { names }
    }

    /// Every file on every device that runs its language; on the first where none does.
    pub(super) fn jobs_on<'a>(&'a self, devices: &[Arc<dyn Device>]) -> Vec<Job<'a>> {
        let mut jobs = Vec::new();
        for file in &self.files {
            let runs = |d: &&usize| self.language_of(file).is_some_and(|k| devices[**d].accepts(k));
            let all: Vec<usize> = (0..devices.len()).collect();
            let mut able: Vec<usize> = all.iter().filter(runs).copied().collect();
            if able.is_empty() {
                able.push(0);
            }
            jobs.extend(able.into_iter().map(|device| Job { file, device }));
        }
        jobs
    }

    /// Refuses a sanitizer where no device that runs a kernel here has one.
    pub fn a_sanitizer_if_asked(&self) -> Result<(), String> {
        if !self.sanitize {
            return Ok(());
        }
        let (names, devices) = self.open()?;
        let mut used: Vec<usize> = self.jobs_on(&devices).iter().map(|job| job.device).collect();
        used.sort_unstable();
        used.dedup();
        match used.iter().any(|at| devices[*at].has_sanitizer()) {
            true => Ok(()),
            false => {
                let here: Vec<&str> = used.iter().map(|at| names[*at].as_str()).collect();
                Err(format!(
                    "--sanitize: compute-sanitizer runs beside the device cuda, and these kernels run on {}: add \
                     --device cuda for CUDA C++ and PTX, or remove it",
                    here.join(", ")
                ))
            }
        }
    }
}
