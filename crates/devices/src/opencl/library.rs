//! OpenCL's functions, as far as they are needed, in a library that is found at run time. The only unsafe code of this
//! folder. It calls drivers, and knows nothing of kernels' contracts.
#![expect(unsafe_code, reason = "functions of a library that is found at run time")]

use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr;

use ktwin_check::Failure;
use libloading::Library;

use super::GET;
use super::status::Status;

/// A platform, a device, a kernel …: what OpenCL hands out.
pub type Handle = *mut c_void;
type Out = *mut c_void;
type Length = *mut usize;

/// Where a loader of drivers is found.
const NAMES: &[&str] = match () {
    () if cfg!(windows) => &["OpenCL.dll"],
    () if cfg!(target_vendor = "apple") => &["/System/Library/Frameworks/OpenCL.framework/OpenCL"],
    () => &["libOpenCL.so.1", "libOpenCL.so"],
};

macro_rules! functions {
    ($($name:ident($($arg:ty),*) -> $result:ty;)*) => {
        /// The functions that every version since 1.2 has.
        #[expect(non_snake_case, reason = "OpenCL's own names")]
        struct Functions { $($name: unsafe extern "system" fn($($arg),*) -> $result,)* }

        impl Functions {
            fn of(library: &Library) -> Result<Functions, libloading::Error> {
                // SAFETY: the types are those that OpenCL's specification gives these functions
                Ok(Functions { $($name: unsafe { *library.get(stringify!($name).as_bytes())? },)* })
            }
        }
    };
}

functions! {
    clGetPlatformIDs(u32, *mut Handle, *mut u32) -> i32;
    clGetPlatformInfo(Handle, u32, usize, Out, Length) -> i32;
    clGetDeviceIDs(Handle, u64, u32, *mut Handle, *mut u32) -> i32;
    clGetDeviceInfo(Handle, u32, usize, Out, Length) -> i32;
    clCreateContext(*const isize, u32, *const Handle, *const c_void, *const c_void, *mut i32) -> Handle;
    clCreateCommandQueue(Handle, Handle, u64, *mut i32) -> Handle;
    clCreateProgramWithSource(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle;
    clBuildProgram(Handle, u32, *const Handle, *const c_char, *const c_void, *const c_void) -> i32;
    clGetProgramBuildInfo(Handle, Handle, u32, usize, Out, Length) -> i32;
    clCreateKernelsInProgram(Handle, u32, *mut Handle, *mut u32) -> i32;
    clGetKernelInfo(Handle, u32, usize, Out, Length) -> i32;
    clGetKernelArgInfo(Handle, u32, u32, usize, Out, Length) -> i32;
    clGetKernelWorkGroupInfo(Handle, Handle, u32, usize, Out, Length) -> i32;
    clCreateBuffer(Handle, u64, usize, *const c_void, *mut i32) -> Handle;
    clCreateSubBuffer(Handle, u64, u32, *const [usize; 2], *mut i32) -> Handle;
    clReleaseMemObject(Handle) -> i32;
    clSetKernelArg(Handle, u32, usize, *const c_void) -> i32;
    clEnqueueNDRangeKernel(
        Handle, Handle, u32, *const usize, *const usize, *const usize, u32, *const Handle, *mut Handle
    ) -> i32;
    clEnqueueCopyBuffer(
        Handle, Handle, Handle, usize, usize, usize, u32, *const Handle, *mut Handle
    ) -> i32;
    clEnqueueFillBuffer(
        Handle, Handle, *const c_void, usize, usize, usize, u32, *const Handle, *mut Handle
    ) -> i32;
    clGetEventProfilingInfo(Handle, u32, usize, Out, Length) -> i32;
    clReleaseEvent(Handle) -> i32;
    clEnqueueReadBuffer(Handle, Handle, u32, usize, usize, Out, u32, *const Handle, *const Handle) -> i32;
    clFinish(Handle) -> i32;
}

type SubGroups =
    unsafe extern "system" fn(Handle, Handle, u32, usize, *const c_void, usize, Out, Length) -> i32;

/// OpenCL, loaded.
pub struct Api {
    library: Library,
    call: Functions,
}

type Answer<T> = Result<T, Status>;

fn fine(status: i32) -> Answer<()> {
    if status == 0 { Ok(()) } else { Err(Status(status)) }
}

/// Memory of a device, or a part of it.
pub struct Memory<'a> {
    api: &'a Api,
    handle: Handle,
    /// Its length.
    pub len: usize,
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: it was created by this library, and nothing uses it any more
        unsafe { (self.api.call.clReleaseMemObject)(self.handle) };
    }
}

/// Something that was started on a queue.
pub struct Event<'a> {
    api: &'a Api,
    handle: Handle,
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: it was created by this library, and nothing uses it any more
        unsafe { (self.api.call.clReleaseEvent)(self.handle) };
    }
}

impl Event<'_> {
    fn asked(&self, what: u32) -> Answer<u64> {
        // SAFETY: see `Api`
        let ask = |n, out, length| unsafe {
            (self.api.call.clGetEventProfilingInfo)(self.handle, what, n, out, length)
        };
        bytes(ask).map(|said| number(&said))
    }

    /// When it began, in nanoseconds of the device's clock.
    pub fn began(&self) -> Answer<u64> {
        const START: u32 = 0x1282;
        self.asked(START)
    }

    /// When it ended.
    pub fn ended(&self) -> Answer<u64> {
        const END: u32 = 0x1283;
        self.asked(END)
    }
}

// Asks for the length of an answer, and then for the answer.
fn bytes(ask: impl Fn(usize, Out, Length) -> i32) -> Answer<Vec<u8>> {
    let mut length = 0;
    fine(ask(0, ptr::null_mut(), &raw mut length))?;
    let mut out = vec![0u8; length];
    fine(ask(length, out.as_mut_ptr().cast(), ptr::null_mut()))?;
    Ok(out)
}

// The same of a list of handles.
fn handles(ask: impl Fn(u32, *mut Handle, *mut u32) -> i32) -> Answer<Vec<Handle>> {
    let mut count = 0;
    fine(ask(0, ptr::null_mut(), &raw mut count))?;
    let mut out = vec![ptr::null_mut(); count as usize];
    fine(ask(count, out.as_mut_ptr(), ptr::null_mut()))?;
    Ok(out)
}

fn created(make: impl FnOnce(*mut i32) -> Handle) -> Answer<Handle> {
    let mut status = 0;
    let made = make(&raw mut status);
    fine(status).map(|()| made)
}

/// Sets a variable, which drivers read when they are loaded.
pub fn set(name: &str, value: &Path) {
    // SAFETY: the worker has no other thread yet
    unsafe { std::env::set_var(name, value) };
}

/// A text that ends with a zero.
pub fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

/// A number in as many bytes as there are, at most eight.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

// In all that follows, handles come from this library and live as long as the process, if nothing else is said; what
// drivers write goes to room whose length they are told.
impl Api {
    /// Loads the library that knows the drivers.
    pub fn load() -> Result<Api, Failure> {
        let absent = |why: String| Failure::Absent { why, get: GET.into() };
        // SAFETY: the loader's initialisers are those of a C library; this process has nothing else to do
        let found = NAMES.iter().find_map(|name| unsafe { Library::new(name) }.ok());
        let library = found.ok_or_else(|| absent(format!("no {}", NAMES[0])))?;
        let call = Functions::of(&library).map_err(|e| absent(format!("an OpenCL before 1.2: {e}")))?;
        Ok(Api { library, call })
    }

    pub fn platforms(&self) -> Answer<Vec<Handle>> {
        // SAFETY: see above
        handles(|n, out, count| unsafe { (self.call.clGetPlatformIDs)(n, out, count) })
    }

    pub fn platform_info(&self, platform: Handle, what: u32) -> Answer<Vec<u8>> {
        // SAFETY: see above
        bytes(|n, out, length| unsafe { (self.call.clGetPlatformInfo)(platform, what, n, out, length) })
    }

    pub fn devices(&self, platform: Handle) -> Answer<Vec<Handle>> {
        const ALL: u64 = 0xffff_ffff;
        // SAFETY: see above
        handles(|n, out, count| unsafe { (self.call.clGetDeviceIDs)(platform, ALL, n, out, count) })
    }

    pub fn device_info(&self, device: Handle, what: u32) -> Answer<Vec<u8>> {
        // SAFETY: see above
        bytes(|n, out, length| unsafe { (self.call.clGetDeviceInfo)(device, what, n, out, length) })
    }

    /// A context and a queue of a device, which may keep times.
    pub fn queue(&self, device: Handle, timed: bool) -> Answer<(Handle, Handle)> {
        const PROFILING: u64 = 2;
        let (null, properties) = (ptr::null(), if timed { PROFILING } else { 0 });
        // SAFETY: one device, no properties, nobody who is told of errors
        let context = created(|status| unsafe {
            (self.call.clCreateContext)(ptr::null(), 1, &raw const device, null, null, status)
        })?;
        // SAFETY: see above
        let queue = created(|status| unsafe {
            (self.call.clCreateCommandQueue)(context, device, properties, status)
        })?;
        Ok((context, queue))
    }

    /// A program of a text, which is not compiled yet.
    pub fn program(&self, context: Handle, source: &str) -> Answer<Handle> {
        let (start, length) = (source.as_ptr().cast(), source.len());
        // SAFETY: one text of this length, which the call copies
        created(|status| unsafe {
            (self.call.clCreateProgramWithSource)(context, 1, &raw const start, &raw const length, status)
        })
    }

    /// Compiles a program for a device.
    pub fn build(&self, program: Handle, device: Handle, options: &CString) -> Answer<()> {
        let (list, null) = (&raw const device, ptr::null());
        // SAFETY: one device; the options end with a zero; without a function to call it returns when it is done
        fine(unsafe { (self.call.clBuildProgram)(program, 1, list, options.as_ptr(), null, null) })
    }

    pub fn build_log(&self, program: Handle, device: Handle) -> Answer<Vec<u8>> {
        const LOG: u32 = 0x1183;
        // SAFETY: see above
        bytes(|n, out, length| unsafe {
            (self.call.clGetProgramBuildInfo)(program, device, LOG, n, out, length)
        })
    }

    pub fn kernels(&self, program: Handle) -> Answer<Vec<Handle>> {
        // SAFETY: see above
        handles(|n, out, count| unsafe { (self.call.clCreateKernelsInProgram)(program, n, out, count) })
    }

    pub fn kernel_info(&self, kernel: Handle, what: u32) -> Answer<Vec<u8>> {
        // SAFETY: see above
        bytes(|n, out, length| unsafe { (self.call.clGetKernelInfo)(kernel, what, n, out, length) })
    }

    pub fn argument_info(&self, kernel: Handle, at: u32, what: u32) -> Answer<Vec<u8>> {
        // SAFETY: see above
        bytes(|n, out, length| unsafe { (self.call.clGetKernelArgInfo)(kernel, at, what, n, out, length) })
    }

    pub fn group_info(&self, kernel: Handle, device: Handle, what: u32) -> Answer<Vec<u8>> {
        let ask = self.call.clGetKernelWorkGroupInfo;
        // SAFETY: see above
        bytes(|n, out, length| unsafe { ask(kernel, device, what, n, out, length) })
    }

    /// Lanes of a subgroup in work-groups of this size; none where the driver does not say.
    pub fn subgroup(&self, kernel: Handle, device: Handle, block: [usize; 3]) -> Option<u64> {
        const MOST_FOR_RANGE: u32 = 0x2033;
        // SAFETY: the type is that of OpenCL 2.1
        let ask = unsafe { *self.library.get::<SubGroups>(b"clGetKernelSubGroupInfo").ok()? };
        let (size, start) = (size_of_val(&block), block.as_ptr().cast());
        // SAFETY: it reads three sizes
        let said = bytes(|n, out, length| unsafe {
            ask(kernel, device, MOST_FOR_RANGE, size, start, n, out, length)
        });
        said.ok().map(|bytes| number(&bytes)).filter(|lanes| *lanes > 0)
    }

    /// Memory of the device with these contents.
    pub fn memory(&self, context: Handle, contents: &[u8]) -> Answer<Memory<'_>> {
        const READ_WRITE_COPIED: u64 = 1 | 1 << 5;
        let (length, start) = (contents.len(), contents.as_ptr().cast());
        // SAFETY: it copies as many bytes as it is told
        let handle = created(|status| unsafe {
            (self.call.clCreateBuffer)(context, READ_WRITE_COPIED, length, start, status)
        })?;
        Ok(Memory { api: self, handle, len: length })
    }

    /// Memory of the device that holds anything.
    pub fn room(&self, context: Handle, len: usize) -> Answer<Memory<'_>> {
        const READ_WRITE: u64 = 1;
        // SAFETY: memory without contents
        let handle = created(|status| unsafe {
            (self.call.clCreateBuffer)(context, READ_WRITE, len, ptr::null(), status)
        })?;
        Ok(Memory { api: self, handle, len })
    }

    /// Copies memory to other memory that is as long.
    pub fn copy(&self, queue: Handle, from: &Memory<'_>, to: &Memory<'_>) -> Answer<()> {
        let (length, none, event) = (from.len.min(to.len), ptr::null(), ptr::null_mut());
        // SAFETY: as many bytes as both have
        fine(unsafe {
            (self.call.clEnqueueCopyBuffer)(queue, from.handle, to.handle, 0, 0, length, 0, none, event)
        })
    }

    /// Fills memory with zeros.
    pub fn clear(&self, queue: Handle, memory: &Memory<'_>) -> Answer<()> {
        let (zero, length, none) = (0u32, memory.len, ptr::null());
        let (pattern, size, event) = ((&raw const zero).cast(), size_of_val(&zero), ptr::null_mut());
        // SAFETY: as many bytes as it has, of a pattern that the call copies
        fine(unsafe {
            (self.call.clEnqueueFillBuffer)(queue, memory.handle, pattern, size, 0, length, 0, none, event)
        })
    }

    /// A part of memory.
    pub fn part(&self, of: &Memory<'_>, start: usize, length: usize) -> Answer<Memory<'_>> {
        const READ_WRITE: u64 = 1;
        const REGION: u32 = 0x1220;
        let region = [start, length];
        // SAFETY: a region is its start and its length
        let handle = created(|status| unsafe {
            (self.call.clCreateSubBuffer)(of.handle, READ_WRITE, REGION, &raw const region, status)
        })?;
        Ok(Memory { api: self, handle, len: length })
    }

    /// Reads memory back when all that was started has ended.
    pub fn read(&self, queue: Handle, memory: &Memory<'_>, start: usize, into: &mut [u8]) -> Answer<()> {
        let (length, to, none) = (into.len(), into.as_mut_ptr().cast(), ptr::null());
        // SAFETY: it writes as many bytes as it is told, and returns when that is done
        fine(unsafe {
            (self.call.clEnqueueReadBuffer)(queue, memory.handle, 1, start, length, to, 0, none, none)
        })
    }

    /// Gives a kernel a parameter that is a buffer.
    pub fn give_memory(&self, kernel: Handle, at: u32, memory: &Memory<'_>) -> Answer<()> {
        let handle = &raw const memory.handle;
        // SAFETY: the parameter is a pointer, as its caller found out
        fine(unsafe { (self.call.clSetKernelArg)(kernel, at, size_of::<Handle>(), handle.cast()) })
    }

    /// Gives a kernel a parameter that is a value.
    pub fn give_value(&self, kernel: Handle, at: u32, bytes: &[u8]) -> Answer<()> {
        // SAFETY: it reads as many bytes as it is told
        fine(unsafe { (self.call.clSetKernelArg)(kernel, at, bytes.len(), bytes.as_ptr().cast()) })
    }

    /// Gives a kernel so many bytes of local memory.
    pub fn give_local(&self, kernel: Handle, at: u32, bytes: usize) -> Answer<()> {
        // SAFETY: of local memory there is a size and no value
        fine(unsafe { (self.call.clSetKernelArg)(kernel, at, bytes, ptr::null()) })
    }

    /// Starts a kernel whose parameters are given.
    pub fn start(
        &self,
        queue: Handle,
        kernel: Handle,
        global: [usize; 3],
        local: [usize; 3],
    ) -> Answer<Event<'_>> {
        let (zero, global, local) = (ptr::null(), global.as_ptr(), local.as_ptr());
        let (none, mut event) = (ptr::null(), ptr::null_mut());
        let started = &raw mut event;
        // SAFETY: three sizes each; the kernel may do anything, in a process of its own, in a box
        fine(unsafe {
            (self.call.clEnqueueNDRangeKernel)(queue, kernel, 3, zero, global, local, 0, none, started)
        })?;
        Ok(Event { api: self, handle: event })
    }

    /// Waits for what was started.
    pub fn finish(&self, queue: Handle) -> Answer<()> {
        // SAFETY: see above
        fine(unsafe { (self.call.clFinish)(queue) })
    }
}
