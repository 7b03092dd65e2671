//! The functions that an object file or a shared library offers. Pure: bytes in, names out.

use ktwin_check::Failure;
use object::{
    Architecture, Object, ObjectSymbol, ObjectSymbolTable, Relocation, RelocationFlags, RelocationTarget,
    SymbolKind,
};

/// Names of the functions that others may call, in the order of the file, but for those that compilers and C++ add and
/// for a program's `main`.
pub fn functions(bytes: &[u8]) -> Result<Vec<String>, Failure> {
    let odd = |e: object::Error| Failure::Mismatch(format!("not a library or object file: {e}"));
    let file = object::File::parse(bytes).map_err(odd)?;
    if let Some(other) = other_processor(file.architecture()) {
        return Err(Failure::Mismatch(format!("it is compiled for {other}, and this processor is another")));
    }
    let dynamic: Vec<_> = file.dynamic_symbols().collect();
    let symbols = if dynamic.is_empty() { file.symbols().collect() } else { dynamic };
    let offered = symbols.iter();
    let mut offered: Vec<_> =
        offered.filter(|s| s.is_global() && s.is_definition() && s.kind() == SymbolKind::Text).collect();
    offered.sort_by_key(|s| s.address());
    let names = offered.into_iter().filter_map(|s| s.name().ok()).map(|n| plain(n).to_owned());
    Ok(names.filter(|n| !n.starts_with('_') && !n.contains("rust_eh") && n != "main").collect())
}

/// The processor that code is for, where it is not one like this machine's.
fn other_processor(of: Architecture) -> Option<String> {
    let is_own = match of {
        Architecture::X86_64 => cfg!(target_arch = "x86_64"),
        Architecture::Aarch64 => cfg!(target_arch = "aarch64"),
        Architecture::Riscv64 => cfg!(target_arch = "riscv64"),
        Architecture::I386 | Architecture::Arm | Architecture::Riscv32 => false,
        // the loader knows
        _ => true,
    };
    (!is_own).then(|| format!("{of:?}"))
}

/// Whether the library has variables that must be found in others when it is loaded, the system's own left out:
/// functions are looked for when they are called.
pub fn lacks_variables(bytes: &[u8]) -> bool {
    const SYSTEM: [&str; 8] =
        ["std", "_", "environ", "opt", "sys_", "errno", "timezone", "program_invocation_name"];
    let Ok(file) = object::File::parse(bytes) else { return false };
    let lacking = |target: RelocationTarget| {
        let RelocationTarget::Symbol(index) = target else { return false };
        let table = file.dynamic_symbol_table();
        let Some(symbol) = table.and_then(|table| table.symbol_by_index(index).ok()) else { return false };
        let own = symbol.name().is_ok_and(|name| !SYSTEM.iter().any(|start| name.starts_with(start)));
        symbol.is_undefined() && !symbol.is_weak() && own
    };
    let data = |relocation: &Relocation| match relocation.flags() {
        RelocationFlags::Elf { r_type } => !JUMPS.contains(&r_type),
        _ => false,
    };
    let relocations = file.dynamic_relocations().into_iter().flatten();
    relocations.filter(|(_, relocation)| data(relocation)).any(|(_, relocation)| lacking(relocation.target()))
}

/// Relocations of calls, on x86-64 and on 64-bit Arm.
const JUMPS: [object::elf::RelocationType; 2] =
    [object::elf::R_X86_64_JUMP_SLOT, object::elf::R_AARCH64_JUMP_SLOT];

// Apple's linker puts an underscore before the names of C.
fn plain(name: &str) -> &str {
    if cfg!(target_vendor = "apple") { name.strip_prefix('_').unwrap_or(name) } else { name }
}

/// The function that is meant by `entry`: that of this name, or the only one.
pub fn meant(entry: &str, functions: &[String]) -> Result<String, Failure> {
    let list = functions.join(", ");
    match functions {
        _ if functions.iter().any(|f| f == entry) => Ok(entry.to_owned()),
        [] => Err(Failure::Mismatch("the library exports no function under a C name".into())),
        [only] if entry.is_empty() => Ok(only.clone()),
        _ if entry.is_empty() => {
            Err(Failure::Mismatch(format!("several functions ({list}): say which one with `entry`")))
        }
        _ => Err(Failure::Mismatch(format!("no function `{entry}` (the file has {list})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_that_is_meant() {
        let names = ["one".to_owned(), "two".to_owned()];
        assert_eq!(meant("two", &names), Ok("two".into()));
        assert_eq!(meant("", &names[..1]), Ok("one".into()));
        for (entry, names, says) in
            [("", &names[..], "one, two"), ("three", &names, "three"), ("", &[], "exports no")]
        {
            let Err(Failure::Mismatch(text)) = meant(entry, names) else { unreachable!() };
            assert!(text.contains(says), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_file_is_refused() {
        assert!(matches!(functions(b"hello"), Err(Failure::Mismatch(_))));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_another_processor_runs_is_refused() -> std::io::Result<()> {
        let mut own = std::fs::read(std::env::current_exe()?)?;
        assert!(functions(&own).is_ok());
        // the processor in the header of ELF: a 32-bit x86
        own[18..20].copy_from_slice(&3u16.to_le_bytes());
        let Err(Failure::Mismatch(text)) = functions(&own) else { unreachable!() };
        assert_eq!(text, "it is compiled for I386, and this processor is another");
        Ok(())
    }
}
