//! What a GPU does at most: bytes read and copied, multiply-adds in f32.

use ktwin_check::Failure;
use ktwin_check::bench::Roof;
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

/// Measures the roof for a case of so many bytes.
pub fn roof(device: &str, bytes: usize) -> Result<Roof, Failure> {
    let opened = open(&adapter(device)?, true)?;
    let stamps = Stamps::of(&opened)?;
    let device = &opened.device;
    let module = scoped(device, Failure::Unsupported, || module(device, text()))?;
    let pipelines = scoped(device, Failure::Unsupported, || {
        let made = |work: Work| (work, pipeline(device, &module, None, work.name(), &[]));
        [Work::Copy, Work::Read, Work::Multiply].map(made)
    })?;
    roofs::measure(&mut Roofs { opened, stamps, pipelines, memory: None }, bytes)
}

struct Roofs {
    opened: Opened,
    stamps: Stamps,
    pipelines: [(Work, wgpu::ComputePipeline); 3],
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
            let used = used.filter(|(_, binding)| *binding > 0 || work != Work::Multiply);
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

    fn operations(&self) -> f64 {
        2.0 * f64::from(GROUPS * LANES) * CHAINS as f64
    }
}

// In each turn a workgroup has a part of the pieces for itself, whose lanes take them in turn: a processor finds them
// side by side, and no core keeps its part from the turn before.
fn text() -> String {
    let each = |of: &dyn Fn(usize) -> String| (0..CHAINS).map(of).collect::<String>();
    let start = each(&|i| format!("  var a{i} = f32(lane + {i}u);\n"));
    let turn = each(&|i| format!("    a{i} = fma(a{i}, b, c);\n"));
    let sum = each(&|i| format!(" + a{i}"));
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
        "  let b = bitcast<f32>(0x3f7fffffu - (s.turns & 1u));\n  let c = 1e-7;\n{start}  \
         for (var t = 0u; t < s.turns; t++) {{\n{turn}  }}\n{}",
        never(&format!("bitcast<u32>(0.0{sum})"))
    );
    let kernels = [(Work::Copy, copy), (Work::Read, read), (Work::Multiply, multiply)];
    let kernels: String = kernels.iter().map(|(work, body)| kernel(*work, body)).collect();
    format!(
        "struct S {{ pieces: u32, turns: u32 }}\n\
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
        let module = Module::from_wgsl(&text()).unwrap_or_else(|e| panic!("{}", e.rendered));
        let bytes: Vec<u8> = (0..1u32 << 13).map(|i| (i % 251) as u8).collect();
        let numbers = [512u32, 3].map(u32::to_le_bytes).concat();
        for work in [Work::Copy, Work::Read, Work::Multiply] {
            let mut launch = Launch::new([GROUPS, 1, 1]).entry(work.name());
            for (number, contents) in [(0, bytes.clone()), (1, vec![0; bytes.len()]), (2, numbers.clone())] {
                launch = launch.buffer(Buffer::input(0, number, contents));
            }
            let run = module.run(&mut launch, &Options::default()).unwrap_or_else(|e| panic!("{e:?}"));
            assert!(run.findings.is_empty(), "{work:?}: {:?}", run.findings);
            assert_eq!(launch.buffers[1].bytes == bytes, work == Work::Copy, "{work:?}");
        }
    }
}
