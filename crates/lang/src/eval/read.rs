//! Reads of inputs and stages over a block: the place of every lane, checked, then the values.

use ktwin_num::Tensor;

use super::blocks::Block;
use super::lane::Lane;
use super::pool;
use super::run::{Machine, TensorView, Trouble};
use super::value::{FALSE, Ints, Reals, Truth, Val};
use crate::code::{Affine, Index, ReadCode};
use crate::node::{Source, Ty};

/// Where the lanes read.
enum Places {
    One(usize),
    Run(usize, isize),
    Each(Vec<usize>),
}

impl<L: Lane> Machine<'_, L> {
    /// The value of a read; lanes that `mask` leaves out may stand anywhere.
    pub fn read(
        &self,
        read: &ReadCode,
        ty: Ty,
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Val, Trouble> {
        if let Some(otherwise) = &read.otherwise
            && !read.inside
        {
            return self.padded_read(read, otherwise, ty, block, mask);
        }
        let places = self.places(read, block, mask, None)?;
        Ok(self.load(read, ty, &places, block.n))
    }

    /// What a read of a stage reads, where that lies in one piece: values that need not be copied.
    pub fn piece(&self, read: &ReadCode, block: &Block) -> Result<Option<(&[f64], &[f64])>, Trouble> {
        let Source::Stage(at) = read.source else { return Ok(None) };
        if read.otherwise.is_some() {
            return Ok(None);
        }
        let Places::Run(first, 1) = self.places(read, block, None, None)? else { return Ok(None) };
        let (plane, range) = (self.plane(at), first..first + block.n);
        let b = if L::SECOND { &plane.b[range.clone()] } else { &[] };
        Ok(Some((&plane.v[range], b)))
    }

    fn padded_read(
        &self,
        read: &ReadCode,
        otherwise: &crate::code::Code,
        ty: Ty,
        block: &Block,
        mask: Option<&[Truth]>,
    ) -> Result<Val, Trouble> {
        let mut outside = Vec::new();
        let places = self.places(read, block, mask, Some(&mut outside))?;
        let inner = self.load(read, ty, &places, block.n);
        if outside.is_empty() {
            return Ok(inner);
        }
        let other = self.eval(otherwise, block, Some(&outside))?;
        let inside: Vec<Truth> = outside.iter().map(|o| o ^ 1).collect();
        self.select(super::value::Truths::Column(inside), inner, other, block.n)
    }

    /// Strides and lower bounds of what is read, then its first place.
    fn layout(&self, source: Source) -> (&[i64], Option<&[i64]>, i64) {
        match source {
            Source::Tensor(at) => {
                let tensor = &self.tensors[at];
                (&tensor.strides, None, tensor.first)
            }
            Source::Stage(at) => {
                let plane = self.plane(at);
                (&plane.strides, Some(&plane.lo), 0)
            }
        }
    }

    fn places(
        &self,
        read: &ReadCode,
        block: &Block,
        mask: Option<&[Truth]>,
        outside: Option<&mut Vec<Truth>>,
    ) -> Result<Places, Trouble> {
        let (strides, lo, first) = self.layout(read.source);
        let lower = |at: usize| lo.map_or(0, |lo| lo[at]);
        if let Some((start, step)) = self.run(read, block, strides, &lower)? {
            let start = start + first;
            return Ok(match step == 0 || block.n == 1 {
                true => Places::One(start as usize),
                false => Places::Run(start as usize, step as isize),
            });
        }
        self.each_place(read, block, mask, outside, strides, &lower, first)
    }

    /// Start and step where every index is a run that stays inside.
    fn run(
        &self,
        read: &ReadCode,
        block: &Block,
        strides: &[i64],
        lower: &dyn Fn(usize) -> i64,
    ) -> Result<Option<(i64, i64)>, Trouble> {
        let (mut start, mut step) = (0i64, 0i64);
        for (at, index) in read.indices.iter().enumerate() {
            let Some((first, by)) = self.index_run(index, block)? else { return Ok(None) };
            let (lo, extent) = read.bounds[at];
            let last = first + by * (block.n as i64 - 1);
            if !read.inside && (first.min(last) < lo || first.max(last) >= lo + extent as i64) {
                return Ok(None);
            }
            start += (first - lower(at)) * strides[at];
            step += by * strides[at];
        }
        Ok(Some((start, step)))
    }

    fn index_run(&self, index: &Index, block: &Block) -> Result<Option<(i64, i64)>, Trouble> {
        if let Some(affine) = &index.affine {
            return Ok(affine_run(affine, block));
        }
        // an index such as `h // 4` may still be one number for the whole block
        let uniform =
            crate::code::vars(&index.code).iter().all(|v| matches!(block.var(*v), Ints::Uniform(_)));
        match uniform && !matches!(index.code.kind, crate::code::CodeKind::Read(_)) {
            true => match self.ints(&index.code, block, None)? {
                Ints::Uniform(v) => Ok(Some((v, 0))),
                _ => Ok(None),
            },
            false => Ok(None),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn each_place(
        &self,
        read: &ReadCode,
        block: &Block,
        mask: Option<&[Truth]>,
        mut outside: Option<&mut Vec<Truth>>,
        strides: &[i64],
        lower: &dyn Fn(usize) -> i64,
        first: i64,
    ) -> Result<Places, Trouble> {
        let mut places = vec![first; block.n];
        for (at, index) in read.indices.iter().enumerate() {
            let ints = self.ints(&index.code, block, mask)?;
            let (lo, extent) = read.bounds[at];
            let (inside, low, stride) = (lo..lo + extent as i64, lower(at), strides[at]);
            if add_all(&mut places, &ints, &inside, |value| (value - low) * stride) {
                continue;
            }
            for (lane, place) in places.iter_mut().enumerate() {
                let value = ints.at(lane);
                if inside.contains(&value) {
                    *place += (value - low) * stride;
                    continue;
                }
                match &mut outside {
                    Some(outside) => {
                        outside.resize(block.n, FALSE);
                        outside[lane] = 1;
                    }
                    None if mask.is_none_or(|m| m[lane] & 1 == 1) => {
                        return Err(Trouble::outside(read, at, value, lo, extent));
                    }
                    None => {}
                }
            }
        }
        Ok(Places::Each(places.into_iter().map(|p| p.max(0) as usize).collect()))
    }

    fn load(&self, read: &ReadCode, ty: Ty, places: &Places, n: usize) -> Val {
        match read.source {
            Source::Tensor(at) if ty == Ty::Int => Val::Int(load_ints(self.tensors[at].data, places, n)),
            Source::Tensor(at) => {
                let TensorView { data, bars, minima, .. } = self.tensors[at];
                let v = load_tensor(data, places, n);
                let b = match (L::SECOND, bars.is_empty()) {
                    (false, _) => Vec::new(),
                    (true, true) => pool::filled(v.len(), 0.0),
                    (true, false) => load_plane(bars, places, n),
                };
                let mut reals = Reals { v, b };
                self.lane.input(at, &mut reals);
                if read.operand {
                    self.lane.operand(&mut reals);
                }
                if let Some(minima) = minima.filter(|_| L::SECOND && read.factor) {
                    let minima = load_tensor(minima, places, n);
                    self.lane.taken_apart(&minima, &mut reals);
                    pool::give(minima);
                }
                Val::Real(reals)
            }
            Source::Stage(at) => {
                let plane = self.plane(at);
                let v = load_plane(&plane.v, places, n);
                if ty == Ty::Int {
                    if L::DOUBTS && load_plane(&plane.b, places, n).iter().any(|b| *b > 0.0) {
                        self.doubted();
                    }
                    return Val::Int(match v.len() {
                        1 => Ints::Uniform(v[0] as i64),
                        _ => Ints::Column(v.iter().map(|x| *x as i64).collect()),
                    });
                }
                let b = if L::SECOND { load_plane(&plane.b, places, n) } else { Vec::new() };
                if ty == Ty::Bool {
                    let b = if L::DOUBTS { &b[..] } else { &[] };
                    return Val::Bool(super::value::Truths::of_reals(&v, b));
                }
                Val::Real(Reals { v, b })
            }
        }
    }
}

/// Adds what each value of an index adds to the places, if all of them are inside.
fn add_all(
    places: &mut [i64],
    ints: &Ints,
    inside: &std::ops::Range<i64>,
    adds: impl Fn(i64) -> i64,
) -> bool {
    let within = match ints {
        Ints::Uniform(value) => inside.contains(value),
        Ints::Run(first, by) => {
            let last = first + by * (places.len() as i64 - 1);
            inside.contains(first) && inside.contains(&last)
        }
        Ints::Column(values) => values.iter().all(|value| inside.contains(value)),
    };
    match ints {
        _ if !within => {}
        Ints::Uniform(value) => places.iter_mut().for_each(|place| *place += adds(*value)),
        Ints::Run(first, by) => (0..).zip(places).for_each(|(lane, place)| *place += adds(first + by * lane)),
        Ints::Column(values) => {
            places.iter_mut().zip(values).for_each(|(place, value)| *place += adds(*value))
        }
    }
    within
}

fn affine_run(affine: &Affine, block: &Block) -> Option<(i64, i64)> {
    let (mut start, mut step) = (affine.constant, 0);
    for (var, coefficient) in &affine.terms {
        match block.var(*var) {
            Ints::Uniform(v) => start += v * coefficient,
            Ints::Run(first, by) => {
                start += first * coefficient;
                step += by * coefficient;
            }
            Ints::Column(_) => return None,
        }
    }
    Some((start, step))
}

fn load_tensor(tensor: &Tensor, places: &Places, n: usize) -> Vec<f64> {
    match places {
        Places::One(at) => {
            let mut out = vec![0.0];
            tensor.load_run(*at, 1, &mut out);
            out
        }
        Places::Run(first, step) => {
            let mut out = pool::lanes(n);
            tensor.load_run(*first, *step, &mut out);
            out
        }
        Places::Each(places) => {
            let mut out = pool::lanes(n);
            tensor.load_at(places, &mut out);
            out
        }
    }
}

fn load_ints(tensor: &Tensor, places: &Places, n: usize) -> Ints {
    match places {
        Places::One(at) => {
            let mut out = [0];
            tensor.load_run_int(*at, 1, &mut out);
            Ints::Uniform(out[0])
        }
        Places::Run(first, step) => {
            let mut out = vec![0; n];
            tensor.load_run_int(*first, *step, &mut out);
            Ints::Column(out)
        }
        Places::Each(places) => {
            let mut out = vec![0; n];
            tensor.load_at_int(places, &mut out);
            Ints::Column(out)
        }
    }
}

fn load_plane(plane: &[f64], places: &Places, n: usize) -> Vec<f64> {
    match places {
        Places::One(at) => vec![plane[*at]],
        Places::Run(first, 1) => pool::copied(&plane[*first..*first + n]),
        Places::Run(first, step) => {
            (0..n as isize).map(|i| plane[(*first as isize + i * step) as usize]).collect()
        }
        // a lane that reads outside, which may be all of an empty range, takes what is written otherwise
        Places::Each(places) => places.iter().map(|p| plane.get(*p).copied().unwrap_or(0.0)).collect(),
    }
}
