//! Contracts as people write them, and mistakes with what is said about them.

use super::*;

const RMSNORM: &str = r#"/*--- ktwin
op      = "rmsnorm"
types   = { x = "f16", w = "f16", y = "f16" }
compute = "f32"
args    = ["x", "w", "y", { D = "u32", eps = "f32", "D / 2" = "u32", x.stride0 = "u32", "x.offset" = "u32" }]
grid    = ["R", 1, 1]
block   = [256, 1, 1]
tile    = { D = 256 }
dims    = { D = ["multiple of 2", "1..=16384"] }
where   = ["R * D <= 65536"]
layout  = { x = ["strided", "offset"] }
scratch = { partial = "f32[R * 4]" }
nan     = "propagate"
---*/
fn main() {}
"#;

#[test]
fn a_whole_contract() {
    let contract = Contract::find("k.wgsl", RMSNORM).unwrap();
    assert_eq!(&*contract.op, "rmsnorm");
    assert_eq!(contract.op.spot, Spot { line: 2, column: 12 });
    assert_eq!(contract.type_of("x"), Some(DType::F16));
    assert_eq!(contract.type_of("z"), None);
    let link = &contract.chain[0];
    let Arg::Fields(fields) = &link.args[3] else { panic!("values") };
    let half = &fields[2].value;
    assert_eq!((half.text.as_str(), half.spot.line), ("D / 2", 5));
    assert_eq!(&RMSNORM.lines().nth(4).unwrap()[half.spot.column - 1..][..5], "D / 2");
    assert_eq!([&fields[3], &fields[4]].map(|field| field.value.text.as_str()), ["x.stride0", "x.offset"]);
    assert_eq!(contract.limits_of("D").collect::<Vec<_>>().len(), 2);
    assert_eq!(contract.scratch[0].elements.text, "R * 4");
    assert_eq!(contract.promises.nan, Nan::Propagate);
    assert!(contract.promises.deterministic && !contract.promises.batch_invariant);
}

#[test]
fn accumulate_is_compute_where_not_named() {
    let read = |text: &str| Contract::parse("k.toml", &format!("op = 'a'\nargs = ['x']\n{text}")).unwrap();
    assert_eq!(read("compute = 'f16'").accumulate, Float::F16);
    assert_eq!(read("compute = 'f16'\naccumulate = 'f32'").accumulate, Float::F32);
}

#[test]
fn what_cuda_is_compiled_with() {
    let read = |text: &str| Contract::parse("k.toml", &format!("op = 'a'\nargs = ['x']\n{text}")).unwrap();
    assert_eq!(&*read("arch = 'sm_90a'").arch.unwrap(), "sm_90a");
    assert_eq!(read("include = 'a'").include.len(), 1);
    assert!(read("fast_math = true").fast_math.is_some() && read("fast_math = false").fast_math.is_none());
}

#[test]
fn chains_of_kernels() {
    let text = "op = 'sum'\nchain = [{ entry = 'a', args = ['x', 'p'], grid = ['ceil(N / 256)'] },\n\
                { entry = 'b', args = ['p', 'y'], grid = [1] }]\nscratch = { p = 'f32[ceil(N / 256)]' }\n";
    let contract = Contract::parse("k.toml", text).unwrap();
    let entries: Vec<&str> = contract.chain.iter().map(|s| s.entry.as_str()).collect();
    assert_eq!(entries, ["a", "b"]);
}

#[test]
fn every_mistake_is_found_at_its_line() {
    let mistakes: &[(&str, usize, &str)] = &[
        ("op = 'a'\nargs = ['x']\ntpyes = {}", 3, "unknown key `tpyes`, did you mean `types`?"),
        ("op = 3\nargs = ['x']", 1, "an integer is not expected here"),
        ("op = 'a'\nargs = ['x']\ntypes = { x = 'f61' }", 3, "no type `f61`"),
        ("op = 'a'\nargs = ['x']\ncompute = 'f33'", 3, "no rung `f33`, did you mean `f32`?"),
        ("op = 'a'\nargs = [3]", 2, "expected a tensor name or a table, found an integer"),
        ("op = 'a'\nargs = [{ x.strude0 = 'u32' }]", 2, "`x` has no `strude0`"),
        ("op = 'a'\nargs = ['x']\ndims = { D = 'some' }", 3, "this is not a limit"),
        ("op = 'a'\nargs = ['x']\ndims = { D = '9..3' }", 3, "no size is within this"),
        ("op = 'a'\nargs = ['x']\ndims = { D = '0..=4' }", 3, "no size is 0"),
        ("op = 'a'\nargs = ['x']\ndims = { D = [] }", 3, "an empty list says nothing"),
        ("op = 'a'\nargs = ['x']\ndefine = { 'A B' = 1 }", 3, "`A B` cannot name a constant"),
        ("op = 'a'\ngrid = [2]\nchain = [{ args = ['x'] }]", 2, "`grid` is a key of one launch"),
        ("op = 'a'\nargs = ['x']\nlayout = { x = 'stridden' }", 3, "no layout `stridden`"),
        ("op = 'a'\nargs = ['x']\ngrid = [1, 2, 3, 4]", 3, "grid has one, two or three parts"),
        ("op = 'a'\nargs = ['x']\nnan = 'perhaps'", 3, "unknown value `perhaps` for `nan`"),
        ("op = 'a'\nargs = ['x']\nscratch = { p = 'f32' }", 3, "this does not give a type and a size"),
        ("op = 'a'\nargs = ['x']\ntile = { D = 0 }", 3, "0 is not above 0"),
        ("op = 'a'\nchain = [{ entri = 'a' }]", 2, "unknown chain key `entri`, did you mean `entry`?"),
        ("op = 'a'\nargs = ['x']\narch = 'sm_8x'", 3, "`sm_8x` is not a CUDA architecture"),
        ("op = 'a'\nargs = ['x']\nfast_math = 1", 3, "an integer is not expected"),
        ("op = 'a'\nargs = ['x']\ninclude = [1]", 3, "an integer is not expected"),
        ("op = 'a'", 1, "the contract has no `args`"),
        ("args = ['x']", 1, "the contract has no `op`"),
        ("op = 'a'\nop = 'b'\nargs = ['x']", 2, "duplicate key"),
        ("op = \n", 1, ""),
    ];
    for (text, line, message) in mistakes {
        let found = Contract::parse("k.toml", text).unwrap_err();
        assert_eq!(found[0].line, *line, "{text}: {}", found[0]);
        assert!(found[0].message.contains(message), "{text}: {}", found[0]);
    }
}

#[test]
fn several_mistakes_are_told_at_once() {
    let found = Contract::parse("k.toml", "op = 'a'\nargs = [1]\ncompute = 'x'\nbogus = 1").unwrap_err();
    assert_eq!(found.iter().map(|m| m.line).collect::<Vec<_>>(), [2, 3, 4]);
}

#[test]
fn keys_of_parts_are_named_in_english() {
    let policy = "op = 'a'\nargs = ['x']\npolicy = { use = 'exact', whi = 'x', why = 'y' }";
    let found = Contract::parse("k.toml", policy).unwrap_err();
    assert_eq!(found[0].help.as_deref(), Some("keys of a policy are use, why"));
}

#[test]
fn keys_are_sorted() {
    assert!(keys::KEYS.is_sorted_by(|a, b| a.0 < b.0));
}

#[test]
fn many_keys_take_no_longer_each_than_few() {
    let keys: String = (0..200_000).map(|n| format!("k{n} = 0\n")).collect();
    let dims: String = (0..200_000).map(|n| format!("K{n} = 1, ")).collect();
    let started = std::time::Instant::now();
    let text = format!("op = 'a'\nargs = ['x']\n{keys}");
    assert_eq!(Contract::parse("k.toml", &text).unwrap_err().len(), 100);
    let contract =
        Contract::parse("k.toml", &format!("op = 'a'\nargs = ['x']\ndims = {{ {dims} }}")).unwrap();
    assert_eq!(contract.dims.len(), 200_000);
    let took = started.elapsed();
    assert!(took < std::time::Duration::from_secs(30), "{took:?}");
}
