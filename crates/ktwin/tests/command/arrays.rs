//! Arrays in files: those that NumPy wrote are read, damaged ones refused in one line, and no bytes make it
//! panic.

use std::path::Path;

use crate::support::{files, folder, load, sample, save};
use ktwin::arrays::{ArrayFile, NpyWriter};
use ktwin_num::{DType, Rng, Tensor};

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|i| i as f64 / 4.0 - 1.0).collect()
}

#[test]
fn arrays_of_numpy_are_read() {
    for (name, dtype, shape) in [
        ("f32.npy", "f32", &[3, 4][..]),
        ("version2.npy", "f32", &[3, 4]),
        ("version3.npy", "f32", &[3, 4]),
        ("f64_fortran.npy", "f64", &[2, 3, 4]),
        ("f16_big_endian.npy", "f16", &[3, 4]),
        ("f64_big_endian_fortran.npy", "f64", &[3, 4]),
        ("empty.npy", "f32", &[0, 3]),
    ] {
        let tensor = load(Path::new(&sample(name)));
        assert_eq!((tensor.dtype.name(), tensor.shape.as_slice()), (dtype, shape), "{name}");
        assert_eq!(tensor.to_f64(), numbers(tensor.len()), "{name}");
    }
    let single = load(Path::new(&sample("single.npy")));
    assert_eq!((single.shape.len(), single.to_f64()), (0, vec![0.5]));
    for (name, dtype, values) in [
        ("i64.npy", "i64", &[0, 1, 2, 3, 4][..]),
        ("i16_big_endian.npy", "i16", &[0, 1, 2, 3, 4]),
        ("bool.npy", "bool", &[1, 0, 1]),
    ] {
        let tensor = load(Path::new(&sample(name)));
        assert_eq!((tensor.dtype.name(), tensor.to_i64().as_slice()), (dtype, values), "{name}");
    }
}

#[test]
fn raw_bytes_are_read_as_what_they_are_said_to_be() {
    let path = sample("bf16.npy");
    let file = ArrayFile::open(Path::new(&path)).unwrap();
    assert_eq!(file.read("bf16", Some(DType::BF16)).unwrap().to_f64(), numbers(12));
    assert!(file.read("bf16", None).unwrap_err().0.contains("2 raw bytes"));
}

#[test]
fn archives_hold_arrays_by_name() {
    for (name, arrays) in [
        ("stored.npz", &[("x", "f32", 12), ("w", "f16", 4)][..]),
        ("deflated.npz", &[("x", "f32", 12)]),
        (
            "model.safetensors",
            &[("x", "f32", 12), ("w", "bf16", 4), ("h", "f16", 4), ("e4", "e4m3", 4), ("e5", "e5m2", 4)],
        ),
    ] {
        let file = ArrayFile::open(Path::new(&sample(name))).unwrap();
        for (array, dtype, count) in arrays {
            let tensor = file.read(array, None).unwrap();
            assert_eq!((tensor.dtype.name(), tensor.to_f64()), (*dtype, numbers(*count)), "{name} {array}");
        }
        let error = file.read("xx", None).unwrap_err().0;
        assert!(error.ends_with("no array `xx`, did you mean `x`?"), "{error}");
    }
    let model = ArrayFile::open(Path::new(&sample("model.safetensors"))).unwrap();
    assert_eq!(model.names(), ["x", "w", "h", "e4", "e5", "n", "t"]);
    assert_eq!(model.read("n", None).unwrap().to_i64(), [0, 1, 2, 3, 4]);
    assert_eq!(model.read("t", None).unwrap().to_i64(), [1, 0, 1]);
}

#[test]
fn tensors_of_gguf_are_read_in_their_formats() {
    let file = ArrayFile::open(Path::new(&sample("model.gguf"))).unwrap();
    assert_eq!(file.names(), ["x", "h", "b", "q", "n"]);
    for (name, dtype, shape) in
        [("x", "f32", &[3, 4][..]), ("h", "f16", &[4]), ("b", "bf16", &[2, 2]), ("q", "q8_0", &[2, 32])]
    {
        let tensor = file.read(name, None).unwrap();
        assert_eq!((tensor.dtype.name(), tensor.shape.as_slice()), (dtype, shape), "{name}");
        assert_eq!(tensor.to_f64(), numbers(tensor.len()), "{name}");
    }
    assert_eq!(file.read("n", None).unwrap().to_i64(), [0, 1, 2, 3, 4]);
    assert_eq!(load(Path::new(&sample("version2.gguf"))).to_f64(), numbers(12));
}

/// Opens a file and reads all in it.
#[test]
fn tensors_of_pytorch_are_read_without_running_code() {
    let one = ArrayFile::open(Path::new(&sample("single.pt"))).unwrap();
    assert_eq!(one.names(), ["single"]);
    assert_eq!(one.read("single", None).unwrap().to_f64(), numbers(12));
    let file = ArrayFile::open(Path::new(&sample("model.pt"))).unwrap();
    for (name, dtype, shape) in [
        ("layers.x", "f32", &[3, 4][..]),
        ("layers.h", "f16", &[4]),
        ("layers.b", "bf16", &[4]),
        ("layers.none", "f32", &[0, 3]),
        ("model.weight", "f32", &[1, 4]),
        ("list.0", "f32", &[3, 4]),
        ("list.1", "f32", &[3, 4]),
    ] {
        let tensor = file.read(name, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((tensor.dtype.name(), tensor.shape.as_slice()), (dtype, shape), "{name}");
        assert_eq!(tensor.to_f64(), numbers(tensor.len()), "{name}");
    }
    let turned = file.read("layers.turned", None).unwrap();
    assert_eq!((turned.shape.as_slice(), turned.get_f64(&[1, 2])), (&[3, 4][..], 7.0 / 4.0 - 1.0));
    let part = file.read("layers.part", None).unwrap();
    assert_eq!((part.shape.as_slice(), part.get_f64(&[1, 2])), (&[2, 3][..], 11.0 / 4.0 - 1.0));
    assert_eq!(file.read("layers.i", None).unwrap().to_i64(), [0, 1, 2, 3, 4]);
    assert_eq!(file.read("layers.flags", None).unwrap().to_i64(), [1, 0, 1]);
    assert!(file.read("layers.c", None).unwrap_err().0.contains("`ComplexFloatStorage` is not supported"));
}

fn read_all(path: &Path) -> Result<Vec<Tensor>, String> {
    let file = ArrayFile::open(path).map_err(|e| e.0)?;
    file.names().iter().map(|name| file.read(name, None).map_err(|e| e.0)).collect()
}

#[test]
fn a_size_of_zero_may_stand_beside_any_others() {
    let all = read_all(Path::new(&sample("zero_of_huge_shape.gguf"))).unwrap();
    assert!(all.iter().any(|tensor| tensor.is_empty() && tensor.shape.iter().any(|size| *size > 1 << 40)));
}

#[test]
fn damage_is_named_in_one_line() {
    for (name, part) in [
        ("bad_objects.npy", "Python objects (pickled)"),
        ("bad_complex.npy", "complex numbers"),
        ("bad_text.npy", "text"),
        ("bad_records.npy", "records of several fields"),
        ("bad_truncated.npy", "promises 48 bytes of numbers, there are at most 45"),
        ("bad_longer.npy", "more bytes than its header says"),
        ("bad_huge.npy", "there are at most 64"),
        ("bad_overflow.npy", "does not fit in memory"),
        ("bad_version.npy", "version 9"),
        ("bad_magic.npy", "not an .npy, .npz, .safetensors, .gguf or .pt"),
        ("bad_empty.npy", "empty"),
        ("bad_twice.npz", "two arrays named `x`"),
        ("bad_huge.npz", "promises 68719476736 bytes"),
        ("bad_truncated.npz", "damaged"),
        ("bad_checksum.npz", "cannot read it"),
        ("bad_size.safetensors", "which takes 48"),
        ("bad_end.safetensors", "there are at most 32"),
        ("bad_twice.safetensors", "two arrays named `x`"),
        ("bad_type.safetensors", "`C64` is not supported"),
        ("bad_json.safetensors", "its header is damaged"),
        ("bad_cut.gguf", "there are at most"),
        ("bad_head.gguf", "it ends inside its header"),
        ("bad_version.gguf", ".gguf version 9; 2 and 3 are supported"),
        ("bad_kind.gguf", "the unknown type 99"),
        ("bad_twice.gguf", "two tensors named `x`"),
        ("bad_huge.gguf", "does not fit in memory"),
        ("bad_block.gguf", "31"),
        ("bad_alignment.gguf", "alignment 63 is not a power of two"),
        ("bad_code.pt", "no tensor that can be read without running code"),
        ("bad_old.pt", "before 1.6"),
        ("bad_repeats.pt", "it repeats its numbers"),
        ("bad_storage.pt", "promises 48 bytes of numbers, there are at most 45"),
        ("nowhere.npy", "cannot open it"),
        ("", "this is a folder"),
    ] {
        let path = sample(name);
        let error = read_all(Path::new(&path)).unwrap_err();
        assert!(error.starts_with(&path) && error.contains(part), "{name}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/arrays");
    let good: Vec<String> = files(&here).into_iter().filter(|f| f.starts_with("bad_")).collect();
    assert_eq!(good.len(), 32, "each file with a fault is in the list above");
}

#[test]
fn what_is_written_is_read_again() {
    let folder = folder("arrays_written");
    let values = [0.0, -1.5, 0.3, 7e4, 1e-9, 240.0];
    for name in [
        "f64", "f32", "f16", "bf16", "tf32", "e5m2", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64",
        "bool",
    ] {
        let dtype = DType::parse(name).unwrap();
        for shape in [&[6][..], &[2, 3], &[1, 3, 2]] {
            let path = save(&folder, "a.npy", dtype, shape, &values);
            let tensor = load(Path::new(&path));
            assert_eq!(tensor.shape, shape);
            let expected: Vec<f64> = values.iter().map(|v| dtype.round(*v)).collect();
            assert_eq!(tensor.to_f64(), expected, "{name}");
        }
    }
    let start = std::fs::read(folder.join("a.npy")).unwrap();
    let header = usize::from(start[8]) + 256 * usize::from(start[9]) + 10;
    assert_eq!((header % 64, start.len() - header), (0, 6), "numbers begin at a multiple of 64");
}

#[test]
fn blocks_are_written_as_their_bytes() {
    let folder = folder("arrays_blocks");
    let q4 = DType::parse("q4_0").unwrap();
    let tensor = Tensor::from_f64(q4, &[2, 64], &numbers(128));
    let path = folder.join("q.npy");
    let mut writer = NpyWriter::new(std::fs::File::create(&path).unwrap(), q4, &[2, 64]).unwrap();
    writer.tensor(&tensor).unwrap();
    writer.finish().unwrap();
    let bytes = load(&path);
    assert_eq!((bytes.dtype.name(), bytes.shape.as_slice()), ("u8", &[2, 36][..]));
    assert_eq!(bytes.bytes, tensor.bytes);
    let same = load(Path::new(&save(&folder, "r.npy", q4, &[2, 64], &numbers(128))));
    assert_eq!(same.bytes, tensor.bytes);
}

#[test]
fn no_bytes_make_it_panic() {
    let folder = folder("arrays_fuzz");
    let path = folder.join("mutant");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/arrays");
    let mut rng = Rng::new(20, 26);
    let (mut read, mut refused) = (0, 0);
    for name in files(&here).iter().filter(|f| !f.ends_with(".py")) {
        let whole = std::fs::read(here.join(name)).unwrap();
        for _ in 0..30 {
            std::fs::write(&path, mutant(&whole, &mut rng)).unwrap();
            match read_all(&path) {
                Ok(_) => read += 1,
                Err(error) => {
                    assert!(error.lines().count() == 1 && error.len() < 600, "{name}: {error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 10 && refused > 300, "{read} read, {refused} refused: mutants of both kinds are needed");
}

/// The bytes with some changed, cut, or put in. Headers, which stand at the start or the end, are hit most.
fn mutant(whole: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = whole.to_vec();
    for _ in 0..=rng.below(3) {
        let near = (out.len() as u64).min(160);
        let at = match rng.below(3) {
            0 => rng.below(near),
            1 => out.len() as u64 - rng.below(near) - u64::from(near > 0),
            _ => rng.below(out.len() as u64),
        } as usize;
        match rng.below(6) {
            0 => out.truncate(at),
            1 => out.insert(at.min(out.len()), rng.below(256) as u8),
            2 if at < out.len() => drop(out.remove(at)),
            3 if at < out.len() => out[at] ^= 1 << rng.below(8),
            4 if at < out.len() => out[at] = *b"(),'0L9{}\xff\x00".get(rng.below(11) as usize).unwrap_or(&0),
            _ if at < out.len() => out[at] = rng.below(256) as u8,
            _ => {}
        }
    }
    out
}
