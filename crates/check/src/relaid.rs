//! Whether a kernel computes its op from tensors that it takes to lie in memory in another order of their axes:
//! channels last, columns first. An order is told only if it explains every element of every case at hand, right ones
//! too.

use std::cell::OnceCell;

use ktwin_lang::{Open, TensorInfo};
use ktwin_num::Tensor;

use crate::formula::{self, More};
use crate::inputs::Prepared;
use crate::pattern::{LaidOut, What};
use crate::trial::Trial;

/// A case of more points than this is left out.
const LARGE: f64 = 5e5;
/// Wrong elements that an order must explain: one may be chance.
const LEAST: usize = 2;

/// Tensors of the op, inputs first, and the order that the axes of each are taken to lie in.
struct Order<'o> {
    tensors: Vec<usize>,
    axes: &'o [usize],
}

/// Which axis lies where, the one that lies closest together last.
fn orders(rank: usize) -> &'static [&'static [usize]] {
    match rank {
        2 => &[&[1, 0]],
        3 => &[&[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]],
        4 => &[&[0, 2, 3, 1], &[0, 3, 1, 2], &[0, 2, 1, 3], &[0, 1, 3, 2], &[1, 0, 2, 3], &[3, 2, 1, 0]],
        5 => &[&[0, 2, 3, 4, 1], &[0, 4, 1, 2, 3]],
        _ => &[],
    }
}

/// The order that explains all of these trials, at least one of which fails, and more of them, which are made when one
/// is found.
pub fn relaid<'a>(trials: &[&Trial<'a>], more: More<'_, 'a>) -> Option<What> {
    let handy = |t: &&&Trial| t.prepared.at.points() < LARGE && t.prepared.case.layouts.is_empty();
    let mut trials: Vec<&Trial> = trials.iter().filter(handy).copied().collect();
    trials.sort_by(|a, b| a.prepared.at.points().total_cmp(&b.prepared.at.points()));
    let op = &trials.first()?.prepared.kernel.op;
    let infos: Vec<&TensorInfo> = op.inputs.iter().chain(&op.outputs).collect();
    let others = OnceCell::new();
    let explains = |order: &Order| {
        let of = |trial: &Trial| explained(trial, order);
        let wrong: usize = trials.iter().map(|trial| of(trial)).sum::<Option<usize>>()?;
        let more = (wrong >= LEAST).then(|| others.get_or_init(more))?;
        more.iter().all(|trial| of(trial).is_some()).then_some(())
    };
    let order = candidates(&infos, op.inputs.len()).into_iter().find(|order| explains(order).is_some())?;
    let laid = |number: &usize| LaidOut {
        tensor: infos[*number].name.clone(),
        axes: order.axes.iter().map(|axis| infos[*number].axes[*axis].clone()).collect(),
    };
    Some(What::LaidOut { tensors: order.tensors.iter().map(laid).collect() })
}

/// One tensor by itself, all inputs of as many axes, and all tensors.
fn candidates<'o>(infos: &[&TensorInfo], inputs: usize) -> Vec<Order<'o>> {
    let mut out = Vec::new();
    for rank in 2..=5 {
        let of_rank = |end: usize| (0..end).filter(|n| infos[*n].axes.len() == rank).collect::<Vec<_>>();
        let (taken, all) = (of_rank(inputs), of_rank(infos.len()));
        let mut groups: Vec<Vec<usize>> = all.iter().map(|one| vec![*one]).collect();
        groups.extend([taken, all].into_iter().filter(|group| group.len() > 1));
        groups.dedup();
        let orders = orders(rank).iter();
        out.extend(orders.flat_map(|axes| groups.iter().map(|g| Order { tensors: g.clone(), axes })));
    }
    out
}

/// The wrong elements that an order explains; none where it leaves any element unexplained.
fn explained(trial: &Trial, order: &Order) -> Option<usize> {
    if !trial.prepared.case.layouts.is_empty() || trial.prepared.at.points() >= LARGE {
        return Some(0);
    }
    let mut inputs = trial.prepared.inputs.clone();
    let count = inputs.len();
    for number in order.tensors.iter().filter(|number| **number < count) {
        inputs[*number] = taken(&inputs[*number], order.axes)?;
    }
    let other = Prepared { inputs, ..trial.prepared.clone() };
    let places: Vec<Option<Vec<usize>>> = (0..trial.expected.len())
        .map(|output| {
            let shape = &trial.expected[output].shape;
            order.tensors.contains(&(count + output)).then(|| inverse(&places(shape, order.axes)))
        })
        .collect();
    let place = |output: usize, at: usize| places[output].as_ref().map_or(at, |places| places[at]);
    formula::explained_at(trial, &other, Open::Nothing, &place).map(|all| all.wrong)
}

/// Where each element lies, counted in elements, if its axes lie in this order.
fn places(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; shape.len()];
    let mut stride = 1;
    for axis in axes.iter().rev() {
        strides[*axis] = stride;
        stride *= shape[*axis];
    }
    let place = |at| crate::compare::indices(shape, at).iter().zip(&strides).map(|(i, s)| i * s).sum();
    (0..shape.iter().product()).map(place).collect()
}

fn inverse(places: &[usize]) -> Vec<usize> {
    let mut out = vec![0; places.len()];
    places.iter().enumerate().for_each(|(at, place)| out[*place] = at);
    out
}

/// The tensor that is read where its axes are taken to lie in this order; none of blocks.
fn taken(tensor: &Tensor, axes: &[usize]) -> Option<Tensor> {
    if !tensor.is_contiguous() || tensor.dtype.elements_per_block() != 1 {
        return None;
    }
    let bytes = tensor.dtype.bytes_per_block();
    let part = |place: usize| &tensor.bytes[place * bytes..(place + 1) * bytes];
    let read = places(&tensor.shape, axes).into_iter().flat_map(|place| part(place).iter().copied());
    Some(Tensor { bytes: read.collect(), ..tensor.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_in_another_order_are_read_elsewhere() {
        // [2, 3] with its columns one after another
        assert_eq!(places(&[2, 3], &[1, 0]), [0, 2, 4, 1, 3, 5]);
        assert_eq!(inverse(&places(&[2, 3], &[1, 0])), [0, 3, 1, 4, 2, 5]);
        assert_eq!(places(&[1, 2, 2], &[0, 1, 2]), [0, 1, 2, 3]);
    }

    #[test]
    fn every_order_has_each_axis_once() {
        for rank in 2..=5 {
            for order in orders(rank) {
                let mut axes = order.to_vec();
                axes.sort_unstable();
                assert!(axes.iter().copied().eq(0..rank), "{order:?}");
                assert!(!order.iter().copied().eq(0..rank), "{order:?}");
            }
        }
    }
}
