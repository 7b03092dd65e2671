//! What OpenCL's functions answer when they do not succeed.

use ktwin_check::Failure;

use super::GET;

/// What a status other than success means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub i32);

/// Statuses that are told apart.
impl Status {
    pub const NO_DEVICE: Status = Status(-1);
    pub const DOES_NOT_BUILD: Status = Status(-11);
    pub const ARGUMENT_SIZE: Status = Status(-51);

    /// As a failure of this function.
    pub fn of(self, function: &str) -> Failure {
        let (name, number) = (self.name(), self.0);
        let text = format!("{function}: {name} ({number})");
        match number {
            -1001 => Failure::Absent { why: "no OpenCL platform".into(), get: GET.into() },
            -6 | -4 | -61 => Failure::OutOfMemory(text),
            -5 if function != "clFinish" => Failure::OutOfMemory(text),
            -54 | -55 | -68 => Failure::Unsupported(text),
            _ => Failure::Crash(text),
        }
    }

    fn name(self) -> &'static str {
        match self.0 {
            -1 => "no device",
            -3 => "no compiler",
            -4 => "a buffer cannot be had",
            -5 => "out of the device's resources",
            -6 => "out of the host's memory",
            -11 => "the program does not build",
            -13 => "a buffer begins where the device does not allow it",
            -36 => "the command queue broke",
            -48 => "not a kernel",
            -52 => "an argument is missing",
            -54 => "a work-group of a size that the device does not start",
            -55 => "a work-group longer in one direction than the device allows",
            -61 => "a buffer of a size that the device does not allow",
            -1001 => "no platform",
            _ => "an error of the driver",
        }
    }
}
