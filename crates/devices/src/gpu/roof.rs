//! What a GPU does at most: bytes read and copied, multiply-adds of a type.

use ktwin_check::Failure;
use ktwin_check::bench::{Factor, Roof};
use wgpu::BufferUsages;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

use super::run::{Opened, adapter, module, open, pipeline, scoped};
use super::time::Stamps;
use crate::child::roofs::{self, CHAINS, Kernels, Work};

/// Workgroups that a dispatch has at most, and lanes of each.
const GROUPS: u32 = 1024;
const LANES: u32 = 64;
/// Bytes of a piece.
const PIECE: usize = 16;

fn entry(buffer: &wgpu::Buffer, binding: u32) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}

/// Measures the roof for a case of so many bytes and of what its kernel multiplies.
pub fn roof(device: &str, bytes: usize, factor: Factor) -> Result<Roof, Failure> {
    let opened = open(&adapter(device)?, true)?;
    let stamps = Stamps::of(&opened)?;
    let made = |factor: Factor, works: &[Work]| {
        let module = scoped(&opened.device, Failure::Unsupported, || module(&opened.device, text(factor)))?;
        let one = |work: &Work| (*work, pipeline(&opened.device, &module, None, work.name(), &[]));
        scoped(&opened.device, Failure::Unsupported, || works.iter().map(one).collect::<Vec<_>>())
    };
    let mut pipelines = made(Factor::F32, &[Work::Copy, Work::Read, Work::Multiply(Factor::F32)])?;
    if factor != Factor::F32 && Multiply::of(factor).is_some() {
        // what the device lacks is refused
        pipelines.extend(made(factor, &[Work::Multiply(factor)]).unwrap_or_default());
    }
    roofs::measure(&mut Roofs { opened, stamps, pipelines, memory: None }, bytes, factor)
}

struct Roofs {
    opened: Opened,
    stamps: Stamps,
    pipelines: Vec<(Work, wgpu::ComputePipeline)>,
    /// So many bytes, twice.
    memory: Option<(usize, [wgpu::Buffer; 2])>,
}

impl Roofs {
    fn memory(&mut self, bytes: usize) -> Result<[wgpu::Buffer; 2], Failure> {
        if let Some((_, both)) = self.memory.as_ref().filter(|(len, _)| *len == bytes) {
            return Ok(both.clone());
        }
        self.memory = None;
        let room = || self.opened.room(bytes as u64, BufferUsages::STORAGE);
        let both = scoped(&self.opened.device, Failure::OutOfMemory, || [room(), room()])?;
        self.memory = Some((bytes, both.clone()));
        Ok(both)
    }
}

impl Kernels for Roofs {
    // what every device lets a shader bind
    const LARGE: usize = 128 << 20;

    fn time(&mut self, work: Work, bytes: usize, turns: u32) -> Result<f64, Failure> {
        let [from, to] = self.memory(bytes)?;
        let device = &self.opened.device;
        let read = if work == Work::Copy { bytes / 2 } else { bytes };
        let groups = roofs::groups(work, read / PIECE, LANES as usize, GROUPS as usize) as u32;
        let numbers = [(read / PIECE) as u32, turns].map(u32::to_le_bytes).concat();
        let usage = BufferUsages::UNIFORM;
        let numbers =
            device.create_buffer_init(&BufferInitDescriptor { label: None, contents: &numbers, usage });
        let Some((_, pipeline)) = self.pipelines.iter().find(|(own, _)| *own == work) else {
            return Err(Failure::Crash("no kernel".into()));
        };
        let group = scoped(device, Failure::Unsupported, || {
            // multiplying reads nothing
            let used = [&from, &to, &numbers].into_iter().zip(0..);
            let used = used.filter(|(_, binding)| *binding > 0 || !matches!(work, Work::Multiply(_)));
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &used.map(|(buffer, binding)| entry(buffer, binding)).collect::<Vec<_>>(),
            })
        })?;
        let span = self.stamps.pass(&self.opened, |pass| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups, 1, 1);
        })?;
        Ok(self.stamps.between(span))
    }

    fn operations(&self, factor: Factor) -> Option<f64> {
        let known = self.pipelines.iter().any(|(work, _)| *work == Work::Multiply(factor));
        let multiply = Multiply::of(factor).filter(|_| known)?;
        Some(2.0 * f64::from(GROUPS * LANES) * CHAINS as f64 * multiply.at_once)
    }
}

/// How WGSL multiplies a type.
struct Multiply {
    /// What the module asks for.
    enable: &'static str,
    /// The accumulators' type.
    number: &'static str,
    /// What an accumulator becomes, where it is called `A`.
    step: &'static str,
    /// What it is multiplied by: no compiler knows the number of turns.
    by: &'static str,
    /// Multiply-adds of a step.
    at_once: f64,
}

impl Multiply {
    fn of(factor: Factor) -> Option<Multiply> {
        let of = |enable, number, step, by, at_once| Some(Multiply { enable, number, step, by, at_once });
        match factor {
            Factor::F64 => of("", "f64", "fma(A, b, 0.0000001lf)", "f64(1u - (s.turns & 1u))", 1.0),
            Factor::F32 => {
                of("", "f32", "fma(A, b, 1e-7)", "bitcast<f32>(0x3f7fffffu - (s.turns & 1u))", 1.0)
            }
            Factor::F16 => of(
                "enable f16;\n",
                "vec2<f16>",
                "fma(A, b, vec2<f16>(0.0001h))",
                "vec2<f16>(f16(1u - (s.turns & 1u)))",
                2.0,
            ),
            Factor::BF16 => None,
            Factor::I8 => of("", "i32", "dot4I8Packed(bitcast<u32>(A), b) + 1", "0x01020304u + s.turns", 4.0),
        }
    }
}

// In each turn a workgroup has a part of the pieces for itself, whose lanes take them in turn: a processor finds them
// side by side, and no core keeps its part from the turn before.
fn text(factor: Factor) -> String {
    let each = |of: &dyn Fn(usize) -> String| (0..CHAINS).map(of).collect::<String>();
    let Some(Multiply { enable, number, step, by, .. }) = Multiply::of(factor) else { return String::new() };
    let scalar = number.trim_start_matches("vec2<").trim_end_matches('>');
    let start = each(&|i| format!("  var a{i} = {number}({scalar}(lane + {i}u));\n"));
    let turn = each(&|i| format!("    a{i} = {};\n", step.replace('A', &format!("a{i}"))));
    let sum = (1..CHAINS).fold("a0".to_owned(), |sum, i| format!("{sum} + a{i}"));
    let one = if scalar == number { "f32(all)" } else { "f32(all.x + all.y)" };
    let head = "@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) all_groups: vec3u, \
                @builtin(local_invocation_index) lane: u32";
    let part = "  let groups = all_groups.x;\n  let part = (s.pieces + groups - 1u) / groups;\n";
    let walk = |work: &str| {
        format!(
            "  for (var t = 0u; t < s.turns; t++) {{\n    let first = (group.x + t) % groups * part;\n    \
             let end = min(first + part, s.pieces);\n    \
             for (var i = first + lane; i < end; i += {LANES}u) {{ {work} }}\n  }}\n"
        )
    };
    let kernel = |work: Work, body: &str| {
        format!("@compute @workgroup_size({LANES})\nfn {}({head}) {{\n{body}}}\n", work.name())
    };
    let never = |value: &str| format!("  if {value} == 3735928559u {{ y[lane] = vec4u(1u); }}\n");
    let copy = format!("{part}{}", walk("y[i] = x[i];"));
    let gather = walk("all ^= x[i] + vec4u(t);");
    let read = format!("{part}  var all = vec4u(0u);\n{gather}{}", never("(all.x ^ all.y ^ all.z ^ all.w)"));
    let multiply = format!(
        "  let b = {by};\n{start}  for (var t = 0u; t < s.turns; t++) {{\n{turn}  }}\n  let all = {sum};\n{}",
        never(&format!("bitcast<u32>({one})"))
    );
    let kernels = [(Work::Copy, copy), (Work::Read, read), (Work::Multiply(factor), multiply)];
    let kernels: String = kernels.iter().map(|(work, body)| kernel(*work, body)).collect();
    format!(
        "{enable}struct S {{ pieces: u32, turns: u32 }}\n\
         @group(0) @binding(0) var<storage, read> x: array<vec4u>;\n\
         @group(0) @binding(1) var<storage, read_write> y: array<vec4u>;\n\
         @group(0) @binding(2) var<uniform> s: S;\n{kernels}"
    )
}

#[cfg(all(test, feature = "sim"))]
mod tests {
    use super::*;
    use ktwin_sim::{Buffer, Launch, Module, Options};

    #[test]
    fn the_kernels_copy_read_and_multiply() {
        for factor in Factor::ALL.into_iter().filter(|factor| Multiply::of(*factor).is_some()) {
            let module = Module::from_wgsl(&text(factor)).unwrap_or_else(|e| panic!("{}", e.rendered));
            let bytes: Vec<u8> = (0..1u32 << 13).map(|i| (i % 251) as u8).collect();
            let numbers = [512u32, 3].map(u32::to_le_bytes).concat();
            for work in [Work::Copy, Work::Read, Work::Multiply(factor)] {
                let mut launch = Launch::new([GROUPS, 1, 1]).entry(work.name());
                for (number, contents) in
                    [(0, bytes.clone()), (1, vec![0; bytes.len()]), (2, numbers.clone())]
                {
                    launch = launch.buffer(Buffer::input(0, number, contents));
                }
                let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e:?}"));
                assert!(run.findings.is_empty(), "{work:?}: {:?}", run.findings);
                assert_eq!(launch.buffers[1].bytes == bytes, work == Work::Copy, "{work:?}");
            }
        }
    }
}
