//! Where naga does less than WGSL, or something else: mended before and after it, or refused with a message.

use ktwin_sim::{Buffer, Launch, Module, Options};

fn run(top: &str, body: &str) -> Result<Vec<u32>, String> {
    let source = format!(
        "{top}\n@group(0) @binding(0) var<storage, read_write> r: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@compute @workgroup_size(4, 2) fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) place: u32,
) {{\n{body}\n}}"
    );
    let module = Module::from_wgsl(&source).map_err(|e| e.rendered)?;
    let x: Vec<u8> =
        [0x3c00_4000u32, 7, 0xffff_fffe, 0x4248_0000].iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut launch = Launch::new([1, 1, 1]).buffer(Buffer::output(0, 0, 64)).buffer(Buffer::input(0, 1, x));
    let options = Options { warp: 4, ..Options::default() };
    let run = module.run(&mut launch, &options).map_err(|e| e.to_string())?;
    if let Some(e) = run.errors().next() {
        return Err(e.to_string());
    }
    Ok(launch.buffers[0].bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}

// What the first lane finds.
fn first(top: &str, body: &str) -> Result<[u32; 2], String> {
    let words = run(top, &format!("if lane == 0u {{ {body} }}"))?;
    Ok([words[0], words[1]])
}

#[test]
fn casts_to_halves_and_back() {
    let half = "enable f16;";
    // 0x3c004000 is 2 and 1
    assert_eq!(
        first(half, "let v = bitcast<vec2<f16>>(x[0]); r[0] = u32(v.x); r[1] = u32(v.y);"),
        Ok([2, 1])
    );
    let four = "let v = bitcast<vec4h>(vec2(x[3], x[0])); r[0] = u32(v.y * 16.0h); r[1] = u32(v.w);";
    assert_eq!(first(half, four), Ok([50, 1]));
    let back = first(half, "let h = vec2<f16>(f16(x[1]), 1.0h); r[0] = bitcast<u32>(h);");
    assert_eq!(back, Ok([0x3c00_4700, 0]));
}

#[test]
fn numbers_as_the_standard_says() {
    let scalar = "let v = frexp(f16(x[1])); r[0] = u32(v.exp); r[1] = bitcast<u32>(f32(v.fract));";
    assert_eq!(first("enable f16;", scalar), Ok([3, 0.875f32.to_bits()]));
    let vector = "let v = frexp(vec2<f16>(f16(x[1]), 8.0h)); r[0] = u32(v.exp.y); \
                  r[1] = bitcast<u32>(f32(v.fract.x));";
    assert_eq!(first("enable f16;", vector), Ok([4, 0.875f32.to_bits()]));
    assert_eq!(first("", "let a = 5; let b = 3; r[0] = u32(a--b);"), Ok([8, 0]));
    let atanh = "r[0] = bitcast<u32>(c); r[1] = bitcast<u32>(atanh(f32(x[1]) / 14.0));";
    assert_eq!(first("const c = atanh(0.5);", atanh), Ok([0.549_306_15f32.to_bits(); 2]));
    assert_eq!(
        first("const c = atanh(0.5f);", "r[0] = bitcast<u32>(c);"),
        Ok([0.549_306_15f32.to_bits(), 0])
    );
    assert_eq!(
        first("const c = -8 >> 1u;", "r[0] = bitcast<u32>(c); r[1] = u32(1i << 3u);"),
        Ok([-4i32 as u32, 8])
    );
    assert_eq!(first("const c = vec2(1u, 2u) << vec2(3u);", "r[0] = c.x; r[1] = c.y;"), Ok([8, 16]));
    assert_eq!(first("const c = (1 << 40u) >> 38u;", "r[0] = u32(c);"), Ok([4, 0]));
    assert!(first("", "r[0] = x[1] << 32u;").unwrap_err().contains("exceeds the bit width"));
    assert!(first("", "r[0] = 0xffffffffu << 4u;").unwrap_err().contains("overflow"));
}

#[test]
fn subgroups_of_workgroups_in_two_dimensions() {
    let every = |top, body| run(top, body).map(|words| words[..8].to_vec());
    assert_eq!(every("", "r[lane] = subgroup * 16u + place;"), Ok(vec![0, 1, 2, 3, 16, 17, 18, 19]));
    assert_eq!(every("", "if subgroupElect() { r[lane] = 5u; }"), Ok(vec![5, 0, 0, 0, 5, 0, 0, 0]));
    let odd = "if lane % 2u == 1u { if subgroupElect() { r[lane] = 5u; } }";
    assert_eq!(every("", odd), Ok(vec![0, 5, 0, 0, 0, 5, 0, 0]));
    for top in ["enable subgroups;", "enable f16, subgroups;", "enable f16;\nenable subgroups;"] {
        assert_eq!(every(top, "r[lane] = subgroupAdd(1u);"), Ok(vec![4; 8]));
    }
}

#[test]
fn members_stand_where_their_alignment_puts_them() {
    let body = "o.d.b = 7u; r[0] = o.d.b;";
    let inner = "struct I { a: u32, @align(16) b: u32 }";
    let refused =
        first(&format!("{inner}\nstruct O {{ c: u32, d: I }} var<private> o: O;"), body).unwrap_err();
    assert!(refused.contains("inside `O`") && refused.contains("2:"), "{refused}");
    let good = format!("{inner} struct O {{ c: u32, @align(16) d: I }} var<private> o: O;");
    assert_eq!(first(&good, body), Ok([7, 0]));
}
