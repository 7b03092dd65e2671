//! Random compute shaders that are right by construction: no race, no bad index, no undefined value, and
//! every number exact, so that any correct device gives the same bits. Makes text; runs nothing.
//!
//! Integers wrap and are exact anyway. Floats are whole numbers kept so small that sums and products are
//! exact in any order, fused or not, so that a difference is never one that the language allows. Loops end
//! after a few turns. Barriers occur only where control flow is uniform; between two of them a cell of
//! workgroup memory is written by one lane, or by one kind of atomic.

mod expr;
mod helpers;
mod scope;
mod stmt;
mod types;

use crate::rng::Rng;
use crate::shader::Shader;
use scope::Scope;
use std::fmt::Write;
use types::{Kind, Ty};

/// Lanes of a workgroup.
const LANES: u32 = 64;
const GROUPS: u32 = 2;
/// Results of a lane.
const RESULTS: u32 = 4;

/// What is written so far.
struct Writer {
    rng: Rng,
    text: String,
    depth: usize,
    fresh: usize,
    scope: Scope,
    helpers: Vec<helpers::Helper>,
    /// Inside a loop that lanes may leave apart.
    loops: usize,
    /// Inside a loop's `continuing` or a switch in a loop, where `break` means something else.
    no_break: bool,
    /// Statements that may still be written.
    fuel: usize,
    /// Lanes are here together.
    uniform: bool,
    /// What the helper being written returns.
    returns: Option<Ty>,
}

/// The shader of a seed.
pub fn shader(seed: u64) -> Result<Shader, String> {
    let mut w = Writer {
        rng: Rng::new(seed ^ 0x9a3f_77c1),
        text: header(seed),
        depth: 0,
        fresh: 0,
        scope: Scope::default(),
        helpers: Vec::new(),
        loops: 0,
        no_break: false,
        fuel: 0,
        uniform: false,
        returns: None,
    };
    w.helpers();
    w.entry();
    Shader::new(&format!("random_{seed}"), w.text)
}

fn header(seed: u64) -> String {
    let (n, results) = (LANES * GROUPS, LANES * GROUPS * RESULTS);
    let mut text = String::from("/*--- sim\n");
    let _ = writeln!(text, "about   = \"random, seed {seed}\"\ngrid    = [{GROUPS}, 1, 1]\nbuffers = [");
    let _ = writeln!(text, "  {{ type = \"u32\", len = {n}, fill = \"edges\", seed = {seed} }},");
    let _ = writeln!(text, "  {{ type = \"f32\", len = {n}, fill = \"iota\" }},");
    let _ = writeln!(text, "  {{ type = \"u32\", len = {results}, check = \"bits\" }},");
    let _ = writeln!(text, "  {{ type = \"u32\", len = 8, fill = \"zeros\", check = \"bits\" }},\n]\n---*/");
    text.push_str(
        "struct Pair { p: vec2<i32>, q: u32, f: f32 }\n\n\
         @group(0) @binding(0) var<storage, read> in_u: array<u32>;\n\
         @group(0) @binding(1) var<storage, read> in_f: array<f32>;\n\
         @group(0) @binding(2) var<storage, read_write> out: array<u32>;\n\
         @group(0) @binding(3) var<storage, read_write> totals: array<atomic<u32>, 8>;\n\n\
         var<workgroup> cells: array<u32, 64>;\n\
         var<workgroup> vectors: array<vec4<i32>, 64>;\n\
         var<workgroup> counts: array<atomic<i32>, 8>;\n\
         var<private> state: array<u32, 4>;\n\n",
    );
    text
}

impl Writer {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn entry(&mut self) {
        self.line("@compute @workgroup_size(64)");
        self.line("fn main(");
        self.line("    @builtin(global_invocation_id) gid: vec3<u32>,");
        self.line("    @builtin(workgroup_id) wid: vec3<u32>,");
        self.line("    @builtin(local_invocation_index) lane: u32,");
        self.line(") {");
        self.depth += 1;
        self.line("let id = gid.x;");
        self.line("let group = wid.x;");
        self.scope = Scope::default();
        for (name, ty) in [("id", Ty::U32), ("lane", Ty::U32), ("group", Ty::U32)] {
            self.scope.add(name, ty, false);
        }
        self.line("let u = in_u[id];");
        self.line("let f = in_f[id];");
        self.scope.add("u", Ty::U32, false);
        self.scope.add("f", Ty::F32, false);
        self.uniform = true;
        self.fuel = 8 + self.rng.below(20);
        for ty in [Ty::U32, Ty::I32, Ty::F32, Ty::new(Kind::U, 3), Ty::new(Kind::I, 4), Ty::new(Kind::F, 2)] {
            self.declare(ty);
        }
        self.block(0);
        self.results();
        self.depth -= 1;
        self.line("}");
    }

    fn results(&mut self) {
        for k in 0..RESULTS {
            let value = self.hash();
            self.line(&format!("out[id * {RESULTS}u + {k}u] = {value};"));
        }
    }

    // A u32 that most variables take part in.
    fn hash(&mut self) -> String {
        let mut text = self.expr(Ty::U32, 2).text;
        for (name, ty) in self.scope.all() {
            let k = self.rng.below(1000);
            let _ = write!(text, " + {k}u * {}", ty.to_u32(&name));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_seed_is_valid_wgsl() {
        for seed in 0..300 {
            let shader = super::shader(seed).unwrap();
            let module = naga::front::wgsl::parse_str(&shader.source);
            let module = module.unwrap_or_else(|e| panic!("{}", e.emit_to_string(&shader.source)));
            crate::simulate::validate(&module).unwrap_or_else(|e| panic!("{e}\n{}", shader.source));
        }
    }

    #[test]
    fn a_seed_is_one_shader() {
        assert_eq!(super::shader(5).unwrap().source, super::shader(5).unwrap().source);
        assert_ne!(super::shader(5).unwrap().source, super::shader(6).unwrap().source);
    }
}
