//! NVRTC's functions, as far as they are needed. The only unsafe code of this folder but the worker's start.
#![expect(unsafe_code, reason = "functions of a library that is found at run time")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use super::worker::{Answer, Request};

type Handle = *mut c_void;
type Status = c_int;
type Create = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type Text = unsafe extern "C" fn(Handle, *mut c_char) -> Status;
type Expression = unsafe extern "C" fn(Handle, *const c_char) -> Status;
type Lowered = unsafe extern "C" fn(Handle, *const c_char, *mut *const c_char) -> Status;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
type Describe = unsafe extern "C" fn(Status) -> *const c_char;

/// The library, loaded.
pub struct Compiler {
    library: Library,
}

/// NVRTC's word for success, and for source that does not compile.
const FINE: Status = 0;
const DOES_NOT_COMPILE: Status = 6;

impl Compiler {
    /// Loads the library of this file.
    pub fn load(path: &Path) -> Result<Compiler, String> {
        // SAFETY: NVRTC's initialisers are those of a C++ library; this process has nothing else to do
        let library = unsafe { Library::new(path) };
        Ok(Compiler { library: library.map_err(|e| format!("cannot load {}: {e}", path.display()))? })
    }

    fn symbol<T: Copy>(&self, name: &str) -> Result<T, String> {
        // SAFETY: each caller names the type that NVRTC documents for this function since its version 8
        let found = unsafe { self.library.get::<T>(name.as_bytes()) };
        found.map(|symbol| *symbol).map_err(|e| format!("this is not NVRTC: {e}"))
    }

    fn fine(&self, status: Status, what: &str) -> Result<(), String> {
        if status == FINE {
            return Ok(());
        }
        let describe: Describe = self.symbol("nvrtcGetErrorString")?;
        // SAFETY: it returns a constant string for every number
        let words = unsafe { CStr::from_ptr(describe(status)) };
        Err(format!("{what}: {}", words.to_string_lossy()))
    }

    /// Its version: major, minor.
    pub fn version(&self) -> Result<(i32, i32), String> {
        let version: Version = self.symbol("nvrtcVersion")?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: it writes the two numbers
        self.fine(unsafe { version(&mut major, &mut minor) }, "nvrtcVersion")?;
        Ok((major, minor))
    }

    /// Compiles; what does not compile is an answer too.
    pub fn compile(&self, request: &Request) -> Result<Answer, String> {
        let handle = self.program(request)?;
        let expression: Expression = self.symbol("nvrtcAddNameExpression")?;
        let expressions = strings(&request.expressions)?;
        for text in &expressions {
            // SAFETY: the program is alive, the text ends with a zero and is copied
            self.fine(unsafe { expression(handle, text.as_ptr()) }, "nvrtcAddNameExpression")?;
        }
        let compile: Compile = self.symbol("nvrtcCompileProgram")?;
        let options = strings(&request.options)?;
        let pointers = pointers(&options);
        // SAFETY: as many pointers as are counted, all to strings that outlive the call
        let status = unsafe { compile(handle, count(&options)?, pointers.as_ptr()) };
        let log = self.text(handle, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
        if status == DOES_NOT_COMPILE {
            return Ok(Answer::Refused(log));
        }
        self.fine(status, &log)?;
        let ptx = self.text(handle, "nvrtcGetPTXSize", "nvrtcGetPTX")?;
        let names = expressions.iter().map(|e| self.lowered(handle, e)).collect::<Result<_, _>>()?;
        Ok(Answer::Made { ptx, names })
    }

    // It is never destroyed: the process ends when it has answered.
    fn program(&self, request: &Request) -> Result<Handle, String> {
        let create: Create = self.symbol("nvrtcCreateProgram")?;
        let zero = |text: &str| CString::new(text).map_err(|_| "the source contains a NUL byte".to_owned());
        let (text, name) = (zero(&request.text)?, zero(&request.name)?);
        let (names, texts): (Vec<String>, Vec<String>) = request.headers.iter().cloned().unzip();
        let (names, texts) = (strings(&names)?, strings(&texts)?);
        let (name_pointers, text_pointers) = (pointers(&names), pointers(&texts));
        let mut handle = ptr::null_mut();
        // SAFETY: all strings end with a zero and outlive the call, which copies them; both lists are as counted
        let status = unsafe {
            create(
                &mut handle,
                text.as_ptr(),
                name.as_ptr(),
                count(&names)?,
                text_pointers.as_ptr(),
                name_pointers.as_ptr(),
            )
        };
        self.fine(status, "nvrtcCreateProgram")?;
        Ok(handle)
    }

    fn text(&self, handle: Handle, size: &str, get: &str) -> Result<String, String> {
        let (size_of, read): (Size, Text) = (self.symbol(size)?, self.symbol(get)?);
        let mut size = 0;
        // SAFETY: the program is alive; it writes one number
        self.fine(unsafe { size_of(handle, &mut size) }, get)?;
        let mut text = vec![0u8; size.max(1)];
        // SAFETY: the buffer has the size that was asked for
        self.fine(unsafe { read(handle, text.as_mut_ptr().cast()) }, get)?;
        text.truncate(text.iter().position(|b| *b == 0).unwrap_or(text.len()));
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn lowered(&self, handle: Handle, expression: &CStr) -> Result<String, String> {
        let lowered: Lowered = self.symbol("nvrtcGetLoweredName")?;
        let mut name = ptr::null();
        // SAFETY: the program is alive and compiled; the string that it points to lives as long as the program
        self.fine(unsafe { lowered(handle, expression.as_ptr(), &mut name) }, "nvrtcGetLoweredName")?;
        if name.is_null() {
            return Err("nvrtcGetLoweredName gave no name".into());
        }
        // SAFETY: NVRTC's names end with a zero
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }
}

fn strings(texts: &[String]) -> Result<Vec<CString>, String> {
    let made = texts.iter().map(|text| CString::new(text.as_str()));
    made.collect::<Result<_, _>>().map_err(|_| "a header, an option or a name contains a NUL byte".to_owned())
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).collect()
}

fn count(texts: &[CString]) -> Result<c_int, String> {
    c_int::try_from(texts.len()).map_err(|_| "too many headers or options".to_owned())
}
