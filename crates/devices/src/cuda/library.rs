//! CUDA's driver API, as far as it is needed, in a library that is found at run time. The only unsafe code of this
//! folder. It calls the driver, and knows nothing of kernels' contracts.
#![expect(unsafe_code, reason = "functions of a library that is found at run time")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use ktwin_check::Failure;
use libloading::Library;

use super::GET;

/// A context, a module, a function, an event: what the driver hands out.
pub type Handle = *mut c_void;
/// A place in the card's memory.
pub type Place = u64;
type Out<T> = *mut T;

/// Where the driver is found.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvcuda.dll"]
} else {
    &["libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"]
};

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($arg:ty),*);)*) => {
        struct Functions { $($name: unsafe extern "system" fn($($arg),*) -> u32,)* }

        impl Functions {
            fn of(library: &Library) -> Result<Functions, libloading::Error> {
                // SAFETY: the types are those that CUDA's documentation gives these functions
                Ok(Functions { $($name: unsafe { *library.get($symbol.as_bytes())? },)* })
            }
        }
    };
}

functions! {
    init = "cuInit"(u32);
    version = "cuDriverGetVersion"(Out<i32>);
    devices = "cuDeviceGetCount"(Out<i32>);
    device = "cuDeviceGet"(Out<i32>, i32);
    device_name = "cuDeviceGetName"(*mut c_char, i32, i32);
    device_attribute = "cuDeviceGetAttribute"(Out<i32>, i32, i32);
    device_memory = "cuDeviceTotalMem_v2"(Out<usize>, i32);
    context = "cuDevicePrimaryCtxRetain"(Out<Handle>, i32);
    use_context = "cuCtxSetCurrent"(Handle);
    wait = "cuCtxSynchronize"();
    load = "cuModuleLoadDataEx"(Out<Handle>, *const c_void, u32, *const i32, *const *mut c_void);
    variable = "cuModuleGetGlobal_v2"(Out<Place>, Out<usize>, Handle, *const c_char);
    function_count = "cuModuleGetFunctionCount"(Out<u32>, Handle);
    functions = "cuModuleEnumerateFunctions"(Out<Handle>, u32, Handle);
    load_function = "cuFuncLoad"(Handle);
    function_name = "cuFuncGetName"(Out<*const c_char>, Handle);
    function_attribute = "cuFuncGetAttribute"(Out<i32>, i32, Handle);
    set_function_attribute = "cuFuncSetAttribute"(Handle, i32, i32);
    parameter = "cuFuncGetParamInfo"(Handle, usize, Out<usize>, Out<usize>);
    allocate = "cuMemAlloc_v2"(Out<Place>, usize);
    free = "cuMemFree_v2"(Place);
    to_card = "cuMemcpyHtoD_v2"(Place, *const c_void, usize);
    from_card = "cuMemcpyDtoH_v2"(*mut c_void, Place, usize);
    copy = "cuMemcpyDtoD_v2"(Place, Place, usize);
    fill = "cuMemsetD8_v2"(Place, u8, usize);
    launch = "cuLaunchKernel"(
        Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *const *const c_void, *const *mut c_void
    );
    launch_together = "cuLaunchCooperativeKernel"(
        Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *const *const c_void
    );
    event = "cuEventCreate"(Out<Handle>, u32);
    record = "cuEventRecord"(Handle, Handle);
    between = "cuEventElapsedTime"(Out<f32>, Handle, Handle);
    error_name = "cuGetErrorName"(u32, Out<*const c_char>);
    error_text = "cuGetErrorString"(u32, Out<*const c_char>);
}

/// CUDA's driver, loaded.
pub struct Api {
    call: Functions,
    _library: Library,
}

/// What the driver says other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    const NOT_FOUND: Status = Status(500);
    /// There is no other parameter.
    pub const INVALID_VALUE: Status = Status(1);
}

type Answer<T> = Result<T, Status>;

fn fine(status: u32) -> Answer<()> {
    if status == 0 { Ok(()) } else { Err(Status(status)) }
}

// A value that a function writes.
fn out<T: Copy>(start: T, ask: impl FnOnce(Out<T>) -> u32) -> Answer<T> {
    let mut value = start;
    fine(ask(&raw mut value)).map(|()| value)
}

/// Memory of a card.
pub struct Memory<'a> {
    api: &'a Api,
    /// Where it begins.
    pub place: Place,
    /// Its bytes.
    pub len: usize,
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: it was allocated by this driver, and nothing uses it any more
        unsafe { (self.api.call.free)(self.place) };
    }
}

fn text(start: *const c_char) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the driver's own texts end with a zero and live as long as it does
    unsafe { CStr::from_ptr(start) }.to_string_lossy().into_owned()
}

// In all that follows, handles come from this driver and live as long as the process, if nothing else is said; what
// the driver writes goes to room whose length it is told, or of the one size that its documentation names.
impl Api {
    /// Loads the driver and starts it.
    pub fn load() -> Result<Api, Failure> {
        let absent = |why: String| Failure::Absent { why, get: GET.into() };
        // SAFETY: the initialisers are those of a driver; this process has nothing else to do
        let found = NAMES.iter().find_map(|name| unsafe { Library::new(name) }.ok());
        let library = found.ok_or_else(|| absent(format!("no {}", NAMES[0])))?;
        let old = |e| absent(format!("a driver older than CUDA 12.4 ({e})"));
        let api = Api { call: Functions::of(&library).map_err(old)?, _library: library };
        // SAFETY: it takes no flags
        fine(unsafe { (api.call.init)(0) }).map_err(|status| api.failure(status, "cuInit"))?;
        Ok(api)
    }

    /// What a status means.
    pub fn failure(&self, status: Status, function: &str) -> Failure {
        // SAFETY: see above
        let name = out(ptr::null(), |to| unsafe { (self.call.error_name)(status.0, to) });
        // SAFETY: see above
        let words = out(ptr::null(), |to| unsafe { (self.call.error_text)(status.0, to) });
        let (name, words) = (name.map(text).unwrap_or_default(), words.map(text).unwrap_or_default());
        super::words::failure(status.0, &format!("{function}: {words} ({name}, {})", status.0))
    }

    /// The version of CUDA that the driver speaks.
    pub fn version(&self) -> Answer<(i32, i32)> {
        // SAFETY: see above
        let number = out(0, |to| unsafe { (self.call.version)(to) })?;
        Ok((number / 1000, number % 1000 / 10))
    }

    /// The cards.
    pub fn devices(&self) -> Answer<Vec<i32>> {
        // SAFETY: see above
        let count = out(0, |to| unsafe { (self.call.devices)(to) })?;
        // SAFETY: see above
        (0..count).map(|number| out(0, |to| unsafe { (self.call.device)(to, number) })).collect()
    }

    pub fn name(&self, device: i32) -> Answer<String> {
        let mut name = [0u8; 256];
        // SAFETY: see above
        fine(unsafe { (self.call.device_name)(name.as_mut_ptr().cast(), 256, device) })?;
        Ok(CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned())
    }

    pub fn attribute(&self, device: i32, what: i32) -> Answer<i32> {
        // SAFETY: see above
        out(0, |to| unsafe { (self.call.device_attribute)(to, what, device) })
    }

    /// Bytes of memory of a card.
    pub fn memory(&self, device: i32) -> Answer<usize> {
        // SAFETY: see above
        out(0, |to| unsafe { (self.call.device_memory)(to, device) })
    }

    /// Uses a card from now on.
    pub fn open(&self, device: i32) -> Answer<()> {
        // SAFETY: see above
        let context = out(ptr::null_mut(), |to| unsafe { (self.call.context)(to, device) })?;
        // SAFETY: see above
        fine(unsafe { (self.call.use_context)(context) })
    }

    /// Waits for all that was started.
    pub fn wait(&self) -> Answer<()> {
        // SAFETY: it takes nothing
        fine(unsafe { (self.call.wait)() })
    }

    /// Compiles PTX for the card. Beside the status, what the driver's compiler says.
    pub fn module(&self, ptx: &CString) -> Result<Handle, (Status, String)> {
        const LOG: i32 = 5;
        const LOG_LENGTH: i32 = 6;
        let mut log = vec![0u8; 1 << 14];
        let values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
        let options = [LOG, LOG_LENGTH];
        // SAFETY: the text ends with a zero; a length is given in the place of a pointer, as documented
        let loaded = out(ptr::null_mut(), |to| unsafe {
            (self.call.load)(to, ptx.as_ptr().cast(), 2, options.as_ptr(), values.as_ptr())
        });
        let said =
            || CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy().trim().to_owned();
        loaded.map_err(|status| (status, said()))
    }

    /// Puts bytes into a variable of a module, as many as it has.
    pub fn put_into(&self, module: Handle, name: &CStr, bytes: &[u8]) -> Answer<()> {
        let (mut place, mut size): (Place, usize) = (0, 0);
        // SAFETY: the name ends with a zero; both are written before they are read
        fine(unsafe { (self.call.variable)(&raw mut place, &raw mut size, module, name.as_ptr()) })?;
        let count = bytes.len().min(size);
        // SAFETY: the variable has so many bytes, and so have these
        fine(unsafe { (self.call.to_card)(place, bytes.as_ptr().cast(), count) })
    }

    /// The kernels of a module, by their names.
    pub fn functions(&self, module: Handle) -> Answer<Vec<(String, Handle)>> {
        // SAFETY: see above
        let count = out(0, |to| unsafe { (self.call.function_count)(to, module) })?;
        let mut all = vec![ptr::null_mut(); count as usize];
        // SAFETY: see above
        fine(unsafe { (self.call.functions)(all.as_mut_ptr(), count, module) })?;
        let named = all.into_iter().map(|handle| {
            // SAFETY: it is one of this module's
            fine(unsafe { (self.call.load_function)(handle) })?;
            // SAFETY: see above
            let name = out(ptr::null(), |to| unsafe { (self.call.function_name)(to, handle) })?;
            Ok((text(name), handle))
        });
        named.collect()
    }

    pub fn function_attribute(&self, function: Handle, what: i32) -> Answer<i32> {
        // SAFETY: see above
        out(0, |to| unsafe { (self.call.function_attribute)(to, what, function) })
    }

    pub fn set_function_attribute(&self, function: Handle, what: i32, value: i32) -> Answer<()> {
        // SAFETY: see above
        fine(unsafe { (self.call.set_function_attribute)(function, what, value) })
    }

    /// Bytes of each parameter of a kernel.
    pub fn parameters(&self, function: Handle) -> Answer<Vec<usize>> {
        let mut sizes = Vec::new();
        loop {
            let (mut offset, mut size) = (0, 0);
            let (at, offset, to) = (sizes.len(), &raw mut offset, &raw mut size);
            // SAFETY: see above
            match fine(unsafe { (self.call.parameter)(function, at, offset, to) }) {
                Ok(()) => sizes.push(size),
                Err(Status::INVALID_VALUE | Status::NOT_FOUND) => return Ok(sizes),
                Err(other) => return Err(other),
            }
        }
    }

    /// Memory of the card, of one byte at least, which holds whatever was there.
    pub fn allocate(&self, len: usize) -> Answer<Memory<'_>> {
        // SAFETY: see above
        let place = out(0, |to| unsafe { (self.call.allocate)(to, len.max(1)) })?;
        Ok(Memory { api: self, place, len })
    }

    /// Copies bytes into memory that is as long.
    pub fn put(&self, memory: &Memory<'_>, bytes: &[u8]) -> Answer<()> {
        let len = bytes.len().min(memory.len);
        // SAFETY: both have so many bytes
        fine(unsafe { (self.call.to_card)(memory.place, bytes.as_ptr().cast(), len) })
    }

    /// Reads memory that is as long back.
    pub fn get(&self, memory: &Memory<'_>, into: &mut [u8]) -> Answer<()> {
        let len = into.len().min(memory.len);
        // SAFETY: both have so many bytes
        fine(unsafe { (self.call.from_card)(into.as_mut_ptr().cast(), memory.place, len) })
    }

    /// Copies memory to other memory of the card.
    pub fn copy(&self, to: &Memory<'_>, from: &Memory<'_>) -> Answer<()> {
        // SAFETY: both have so many bytes
        fine(unsafe { (self.call.copy)(to.place, from.place, to.len.min(from.len)) })
    }

    /// Writes to all of it, which puts everything else out of the cache.
    pub fn fill(&self, memory: &Memory<'_>, byte: u8) -> Answer<()> {
        // SAFETY: it has so many bytes
        fine(unsafe { (self.call.fill)(memory.place, byte, memory.len) })
    }

    /// Starts a kernel: its parameters' bytes, each as long as the kernel takes them, as the caller found out.
    pub fn start(&self, start: &Start) -> Answer<()> {
        let [x, y, z] = start.grid;
        let [lanes, rows, layers] = start.block;
        let pointers: Vec<*const c_void> = start.parameters.iter().map(|p| p.as_ptr().cast()).collect();
        let (stream, all) = (ptr::null_mut(), pointers.as_ptr());
        let (function, shared, none) = (start.function, start.shared, ptr::null());
        // SAFETY: see above; the kernel may do anything on the card, in a process of its own
        fine(unsafe {
            if start.together {
                (self.call.launch_together)(function, x, y, z, lanes, rows, layers, shared, stream, all)
            } else {
                (self.call.launch)(function, x, y, z, lanes, rows, layers, shared, stream, all, none)
            }
        })
    }

    /// A moment on the card that can be looked back at.
    pub fn event(&self) -> Answer<Handle> {
        // SAFETY: see above
        out(ptr::null_mut(), |to| unsafe { (self.call.event)(to, 0) })
    }

    /// The card notes the moment at which it comes to this.
    pub fn record(&self, event: Handle) -> Answer<()> {
        // SAFETY: see above
        fine(unsafe { (self.call.record)(event, ptr::null_mut()) })
    }

    /// Nanoseconds between two moments that have passed.
    pub fn between(&self, first: Handle, last: Handle) -> Answer<f64> {
        // SAFETY: see above
        out(0.0, |to| unsafe { (self.call.between)(to, first, last) }).map(|ms: f32| f64::from(ms) * 1e6)
    }
}

/// A kernel with all that it is started with.
pub struct Start {
    pub function: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub parameters: Vec<Vec<u8>>,
    /// Whether its blocks wait for each other, so that all must run at once.
    pub together: bool,
}
