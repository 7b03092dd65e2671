//! The front end for WGSL: parsed and validated by naga, with naga's own errors.

mod bits;
mod describe;
mod lower;
mod mend;
mod narrow;

use crate::api::error::{CompileError, RunError};
use crate::api::launch::Launch;
use crate::api::module::{EntryPoint, OverrideInfo};
use crate::api::options::Options;
use crate::front::Front;
use crate::ir::Program;
use naga::back::PipelineConstants;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage};
use narrow::narrow;
use std::borrow::Cow;

/// A module that naga accepts.
#[derive(Debug)]
pub struct Wgsl {
    pub module: Module,
    pub info: ModuleInfo,
    pub text: String,
}

impl Front for Wgsl {
    fn entry_points(&self) -> Vec<EntryPoint> {
        describe::entry_points(self)
    }

    fn overrides(&self) -> Vec<OverrideInfo> {
        describe::overrides(self)
    }

    fn lower(&self, name: &str, launch: &Launch, options: &Options) -> Result<Program, RunError> {
        let (module, info) = specialise(self, name, &launch.overrides)?;
        let is_it = |e: &naga::EntryPoint| e.name == name && e.stage == ShaderStage::Compute;
        let Some(entry) = module.entry_points.iter().position(is_it) else {
            return Err(RunError::Launch(format!("`{name}` is not a compute shader")));
        };
        lower::lower(&module, &info, entry, &self.text, options.limits)
    }

    fn size(&self) -> usize {
        self.text.len()
    }
}

/// The longest source: naga's time grows with the square of its expressions, to some seconds at this length.
const MOST_TOKENS: usize = 1 << 17;

/// Parses and validates WGSL.
pub fn parse(text: &str) -> Result<Wgsl, CompileError> {
    let mended = mend::mend(text).map_err(|refused| {
        let before = &text[..refused.at];
        let line = before.matches('\n').count() as u32 + 1;
        let column = (refused.at - before.rfind('\n').map_or(0, |at| at + 1)) as u32 + 1;
        let rendered = format!("error: {}\n  wgsl:{line}:{column}\n", refused.message);
        CompileError {
            message: refused.message,
            line: Some(line),
            column: Some(column),
            rendered,
            unsupported: false,
        }
    })?;
    let text = &*mended;
    if mend::tokens(text).len() > MOST_TOKENS {
        let message =
            format!("more than {MOST_TOKENS} words and marks, which naga would take minutes to read");
        let (line, column, rendered) = (None, None, message.clone());
        return Err(CompileError { message, line, column, rendered, unsupported: true });
    }
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let at = error.location(text);
        let preprocessed = at.is_some_and(|l| text[l.offset as usize..].starts_with('#'));
        let hint = if preprocessed { PREPROCESSED } else { "" };
        CompileError {
            message: format!("{}{hint}", error.message()),
            line: at.map(|l| l.line_number),
            column: at.map(|l| l.line_position),
            rendered: format!("{}{}", narrow(&error.emit_to_string(text)), hint.trim_start_matches(": ")),
            unsupported: false,
        }
    })?;
    validate(module, text)
}

const PREPROCESSED: &str = ": WGSL has no preprocessor; give the text that is left after it has run";

fn validate(module: Module, text: &str) -> Result<Wgsl, CompileError> {
    for (handle, var) in module.global_variables.iter() {
        if var.space == AddressSpace::Handle {
            let span = module.global_variables.get_span(handle);
            let at = span.location(text);
            let name = var.name.as_deref().unwrap_or("a variable");
            let message =
                format!("`{name}` is a texture or a sampler, which the simulator does not have: use buffers");
            return Err(CompileError {
                rendered: message.clone(),
                message,
                line: Some(at.line_number),
                column: Some(at.line_position),
                unsupported: true,
            });
        }
    }
    // a barrier in non-uniform control flow is the machine's to find
    let flags = ValidationFlags::all() & !ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    let mut validator = Validator::new(flags, Capabilities::all());
    validator.subgroup_stages(naga::valid::ShaderStages::all());
    validator.subgroup_operations(naga::valid::SubgroupOperationSet::all());
    let info = validator.validate(&in_one_dimension(&module)).map_err(|error| {
        let at = error.location(text);
        let mut message = error.to_string();
        let mut source = std::error::Error::source(error.as_inner());
        while let Some(cause) = source {
            message += &format!(": {cause}");
            source = cause.source();
        }
        CompileError {
            rendered: narrow(&error.emit_to_string(text)),
            message,
            line: at.map(|l| l.line_number),
            column: at.map(|l| l.line_position),
            unsupported: false,
        }
    })?;
    Ok(Wgsl { module, info, text: text.to_owned() })
}

/// The module with workgroups of one dimension: of others naga does not allow subgroup ids, which number the lanes in
/// the order of their index all the same.
fn in_one_dimension(module: &Module) -> Cow<'_, Module> {
    let lanes = |size: [u32; 3]| size.iter().try_fold(1u32, |n, &s| n.checked_mul(s));
    let plain =
        |e: &naga::EntryPoint| e.workgroup_size_overrides.is_none() && e.workgroup_size[1..] != [1, 1];
    if !module.entry_points.iter().any(plain) {
        return Cow::Borrowed(module);
    }
    let mut flat = module.clone();
    for entry in flat.entry_points.iter_mut().filter(|e| plain(e)) {
        if let Some(lanes) = lanes(entry.workgroup_size).filter(|&n| n > 0) {
            entry.workgroup_size = [lanes, 1, 1];
        }
    }
    Cow::Owned(flat)
}

/// The module with its overrides set, for one entry point.
fn specialise<'a>(
    parsed: &'a Wgsl,
    entry: &str,
    overrides: &[(String, f64)],
) -> Result<(Cow<'a, Module>, Cow<'a, ModuleInfo>), RunError> {
    let mut constants = PipelineConstants::default();
    for (name, value) in overrides {
        constants.insert(name.clone(), *value);
    }
    let point = Some((ShaderStage::Compute, entry));
    naga::back::pipeline_constants::process_overrides(&parsed.module, &parsed.info, point, &constants)
        .map_err(|error| RunError::Launch(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_take_naga_minutes_is_refused_at_once() {
        let sum = |terms: usize| {
            format!("@compute @workgroup_size(1) fn f() {{ var a = 1.0; a = a{}; }}", " + a".repeat(terms))
        };
        assert!(parse(&sum(64)).is_ok());
        let refused = parse(&sum(200_000)).err().unwrap();
        assert!(refused.unsupported && refused.message.contains("131072 words and marks"), "{refused:?}");
    }
}
