//! Shaders as devices look into them: WGSL as it is, SPIR-V, and what is compiled to SPIR-V. It starts compilers and
//! touches nothing else.

use ktwin_check::interface::{Interface, Param, Value};
use ktwin_check::{Build, Constant, Failure, Source, SourceKind};
use ktwin_sim::{BindingKind, CompileError, EntryPoint, Held, Module};

use crate::compile;
use crate::kernels;
use crate::preprocess::preprocess;

/// The SPIR-V of a source; none where it is WGSL.
pub fn spirv(source: &Source, build: &Build) -> Result<Option<Vec<u8>>, Failure> {
    match source.kind {
        SourceKind::Wgsl => Ok(None),
        SourceKind::SpirV => Ok(Some(source.bytes.clone())),
        _ => compile::spirv(source, build).map(Some),
    }
}

/// The text of a source in WGSL without directives, with the contract's constants in place that are no `override`.
pub fn wgsl(source: &Source, build: &Build) -> Result<String, Failure> {
    let text = source.text();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_override = |name: &str| words.windows(2).any(|pair| pair[0] == "override" && pair[1] == name);
    let given = build.defines.iter().filter(|(name, _)| !is_override(name));
    let given: Vec<(String, String)> = given.map(|(name, value)| (name.clone(), value.to_string())).collect();
    let directives = text.lines().any(|line| line.trim_start().starts_with('#'));
    if given.is_empty() && !directives {
        return Ok(text);
    }
    let (made, used) = preprocess(&text, &given, &compile::folders(source, build))?;
    match given.iter().find(|(name, _)| !used.contains(name)) {
        None => Ok(made),
        Some((name, _)) => {
            let message =
                format!("`define` names `{name}`, but the kernel has no such `override`, and no such word");
            Err(Failure::Mismatch(message))
        }
    }
}

/// The module of a source, or the compiler's words.
pub fn module(source: &Source, build: &Build) -> Result<Module, Failure> {
    let compiled = match spirv(source, build)? {
        None => Module::from_wgsl(&wgsl(source, build)?),
        Some(binary) if source.kind.is_binary() => Module::from_spirv(&binary),
        Some(binary) => Module::from_spirv_with_source(&binary, &source.text()),
    };
    compiled.map_err(|e: CompileError| match e.unsupported {
        true => {
            let why = e.rendered.lines().map(str::trim).collect::<Vec<_>>().join("; ");
            Failure::Unsupported(format!("sim does not run this kernel: {why}"))
        }
        false => Failure::Compile { line: e.line, message: e.rendered },
    })
}

/// What the entry points of a shader take, with these constants and folders.
pub fn interfaces(source: &Source, build: &Build) -> Result<Vec<Interface>, Failure> {
    let module = module(source, build)?;
    Ok(module.entry_points().iter().map(interface).collect())
}

fn interface(entry: &EntryPoint) -> Interface {
    let values = |held: &[Held], whole: &str| {
        let each = held.iter().flat_map(|h| {
            let name = if h.name.is_empty() { whole } else { &h.name };
            let part = move |at: usize| match h.count {
                1 => name.to_owned(),
                _ => format!("{name}.{}", ["x", "y", "z", "w"][at]),
            };
            (0..h.count.min(4) as usize).map(move |at| Value { name: part(at), dtype: h.scalar.clone() })
        });
        each.collect::<Vec<Value>>()
    };
    let params = entry.bindings.iter().map(|binding| match binding.kind {
        BindingKind::Uniform => Param::Values(values(&binding.holds, &binding.name)),
        kind => Param::Buffer {
            name: binding.name.clone(),
            dtype: binding.holds.first().map(|h| h.scalar.clone()).unwrap_or_default(),
            writes: kind == BindingKind::ReadWrite,
        },
    });
    Interface {
        entry: entry.name.clone(),
        block: Some(entry.workgroup),
        params: params.collect(),
        pushed: values(&entry.pushed, ""),
        ..Interface::default()
    }
}

/// Whether the source has the entry points that are to be launched.
pub fn entries(module: &Module, build: &Build) -> Result<(), Failure> {
    let all: Vec<&str> = module.entry_points().iter().map(|e| e.name.as_str()).collect();
    kernels::known(&all, build)
}

/// The values of overrides. One that the module does not have is a macro, or a mistake of the contract.
pub fn overrides(module: &Module, source: &Source, build: &Build) -> Result<Vec<(String, f64)>, Failure> {
    let mut set = Vec::new();
    let spirv = source.kind != SourceKind::Wgsl;
    let written: Vec<(String, String)> = match source.kind {
        #[cfg(feature = "compilers")]
        SourceKind::Glsl => compile::glsl::constants(source, build),
        _ => Vec::new(),
    };
    for (name, value) in &build.defines {
        let name = written.iter().find(|(own, _)| own == name).map_or(name, |(_, number)| number);
        let digits = |o: &ktwin_sim::OverrideInfo| spirv && o.id.is_some_and(|id| id.to_string() == *name);
        let known = module.overrides().iter().any(|o| o.name == *name || digits(o));
        if known {
            let Constant::Number(value) = value else {
                let message =
                    format!("`define` gives text to `{name}`, but a specialisation constant is a number");
                return Err(Failure::Mismatch(message));
            };
            set.push((name.clone(), value.to_f64()));
        } else if source.kind.is_binary() || spirv && name.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Failure::Mismatch(format!(
                "`define` names `{name}`, but the kernel has no such specialisation constant"
            )));
        }
    }
    Ok(set)
}
