//! What the tests of ops share: finding the catalogue, arrays, and calling an op on arrays. Knows the
//! crate's public
//! interface alone.
#![allow(dead_code)] // each test binary uses its part

pub mod vectors;

use std::path::PathBuf;

use ktwin_lang::{Case, Elements, Meaning, Op, Output, Value};
use ktwin_num::{DType, Tensor};

/// The repository's folder of this name.
pub fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The stems of all files with this extension in a folder, sorted.
pub fn stems(folder: &std::path::Path, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path());
    let wanted = paths.filter(|path| path.extension().is_some_and(|e| e == extension));
    let mut out: Vec<String> =
        wanted.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    out.sort();
    out
}

/// An op of the catalogue.
pub fn op(name: &str) -> Op {
    let (file, text) = find(name).unwrap_or_else(|| panic!("ops/{name}.op cannot be read"));
    parse(&file, &text)
}

/// The file and the text of an op of the catalogue.
pub fn find(name: &str) -> Option<(String, String)> {
    let file = format!("ops/{name}.op");
    Some((file.clone(), std::fs::read_to_string(folder(&file)).ok()?))
}

/// An op that may call those of the catalogue; a random one takes its draws as inputs.
pub fn parse(file: &str, text: &str) -> Op {
    Op::parse_with(file, text, &find).unwrap_or_else(|mistake| panic!("{mistake}")).with_draws()
}

/// Numbers and their shape, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

impl Array {
    pub fn new(shape: &[usize], values: Vec<f64>) -> Array {
        assert_eq!(shape.iter().product::<usize>(), values.len());
        Array { shape: shape.to_vec(), values }
    }

    /// An array made from each element's place.
    pub fn of(shape: &[usize], value: impl Fn(usize) -> f64) -> Array {
        Array::new(shape, (0..shape.iter().product()).map(value).collect())
    }

    /// The rows along the last dimension.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.shape.last().copied().unwrap_or(1).max(1))
    }

    /// Each element changed.
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Array {
        Array::new(&self.shape, self.values.iter().map(|v| change(*v)).collect())
    }

    /// Two arrays of one shape joined element by element.
    pub fn zip(&self, other: &Array, join: impl Fn(f64, f64) -> f64) -> Array {
        assert_eq!(self.shape, other.shape);
        let pairs = self.values.iter().zip(&other.values);
        Array::new(&self.shape, pairs.map(|(a, b)| join(*a, *b)).collect())
    }

    fn tensor(&self, integer: bool, real: DType) -> Tensor {
        match integer {
            true => {
                let whole: Vec<i64> = self.values.iter().map(|v| *v as i64).collect();
                Tensor::from_i64(DType::I64, &self.shape, &whole)
            }
            false => Tensor::from_f64(real, &self.shape, &self.values),
        }
    }
}

/// An op about to be evaluated: sizes follow from the inputs, unless they are given.
pub struct Call {
    pub op: Op,
    dims: Vec<(String, i64)>,
    scalars: Vec<(String, Value)>,
    inputs: Vec<Option<Array>>,
    storage: DType,
}

/// A call of an op of the catalogue.
pub fn call(name: &str) -> Call {
    Call::new(op(name))
}

impl Call {
    pub fn new(op: Op) -> Call {
        let inputs = vec![None; op.inputs.len()];
        Call { op, dims: Vec::new(), scalars: Vec::new(), inputs, storage: DType::F64 }
    }

    /// Gives an input, and its sizes to the dimensions by which it is declared.
    pub fn input(mut self, name: &str, array: &Array) -> Call {
        let at = self.op.input(name).unwrap_or_else(|| panic!("{} has no input {name}", self.op.name));
        for (dim, size) in self.op.inputs[at].axes.clone().iter().zip(&array.shape) {
            if self.op.dim(dim).is_some() {
                self = self.dim(dim, *size);
            }
        }
        self.inputs[at] = Some(array.clone());
        self
    }

    /// Stores real inputs in this type instead of f64.
    pub fn stored(mut self, storage: DType) -> Call {
        self.storage = storage;
        self
    }

    pub fn dim(mut self, name: &str, size: usize) -> Call {
        self.dims.push((name.to_string(), size as i64));
        self
    }

    pub fn scalar(mut self, name: &str, value: Value) -> Call {
        self.scalars.push((name.to_string(), value));
        self
    }

    pub fn int(self, name: &str, value: usize) -> Call {
        self.scalar(name, Value::Int(value as i64))
    }

    pub fn real(self, name: &str, value: f64) -> Call {
        self.scalar(name, Value::Real(value))
    }

    /// Its case and the inputs in order, or why there is none.
    pub fn bound(&self) -> Result<(Case<'_>, Vec<Tensor>), String> {
        let dims: Vec<(&str, i64)> = self.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let scalars: Vec<(&str, Value)> = self.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let case = self.op.bind(&dims, &scalars).map_err(|e| e.to_string())?;
        let given = self.inputs.iter().zip(&self.op.inputs);
        let tensors: Vec<Tensor> = given
            .map(|(array, info)| {
                array.as_ref().map(|a| a.tensor(info.integer, self.storage)).ok_or(&info.name)
            })
            .collect::<Result<_, _>>()
            .map_err(|name| format!("input {name} is not given"))?;
        Ok((case, tensors))
    }

    /// Its outputs in one of the meanings of numbers, all elements or some.
    pub fn evaluate(&self, meaning: &Meaning, of: Elements) -> Result<Vec<Output>, String> {
        let (case, tensors) = self.bound()?;
        case.evaluate(&tensors, meaning, of).map_err(|e| e.to_string())
    }

    /// All outputs by name, or why there are none.
    pub fn run(&self) -> Result<Vec<(String, Array)>, String> {
        let outputs = self.evaluate(&Meaning::Exact, Elements::All)?;
        Ok(outputs.into_iter().map(|o| (o.name, Array::new(&o.shape, o.values))).collect())
    }

    /// The output of this name.
    pub fn output(&self, name: &str) -> Array {
        let outputs = self.run().unwrap_or_else(|e| panic!("{}: {e}", self.op.name));
        let found = outputs.into_iter().find(|(n, _)| n == name);
        found.unwrap_or_else(|| panic!("{} has no output {name}", self.op.name)).1
    }

    /// The only output, or the first of several.
    pub fn first(&self) -> Array {
        let name = self.op.outputs[0].name.clone();
        self.output(&name)
    }
}

/// How far `got` is from `want`, measured by the largest finite element of `want`; none where they agree to
/// `limit`.
pub fn disagreement(got: &Array, want: &Array, limit: f64) -> Option<String> {
    if got.shape != want.shape {
        return Some(format!("shape {:?}, expected {:?}", got.shape, want.shape));
    }
    let finite = want.values.iter().map(|v| v.abs()).filter(|v| v.is_finite());
    let scale = finite.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut pairs = got.values.iter().zip(&want.values).enumerate();
    let bad = pairs.find(|(_, (g, w))| {
        let same = g == w || (g.is_nan() && w.is_nan());
        let near = (*g - *w).abs() <= limit * scale;
        !(same || near)
    });
    bad.map(|(at, (g, w))| format!("element {at} is {g:e}, expected {w:e}"))
}
