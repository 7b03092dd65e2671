//! The control-flow graph: predecessors, dominators, immediate post-dominators, and what a branch controls.

use crate::ir::Program;

/// No block: the exit, in the tree of post-dominators.
pub const EXIT: u32 = u32::MAX;

/// Edges and trees of a program's blocks.
pub struct Graph {
    pub succs: Vec<Vec<u32>>,
    /// Immediate dominators; the entry has itself.
    pub idom: Vec<u32>,
    /// Immediate post-dominators; [`EXIT`] where only the end is on every path.
    pub ipdom: Vec<u32>,
}

impl Graph {
    pub fn new(prog: &Program) -> Graph {
        let len = prog.blocks.len();
        let succs: Vec<Vec<u32>> = prog.blocks.iter().map(|b| b.term.targets().collect()).collect();
        let mut preds = vec![Vec::new(); len];
        for (from, targets) in succs.iter().enumerate() {
            for &to in targets {
                preds[to as usize].push(from as u32);
            }
        }
        let idom = tree(&succs, &preds, &[0]);
        // the reverse graph; a block that cannot reach the end counts as an end of its own
        let mut ends: Vec<u32> = (0..len as u32).filter(|&b| succs[b as usize].is_empty()).collect();
        let mut reaches = reachable(&preds, &ends);
        for block in (0..len as u32).rev() {
            if !reaches[block as usize] {
                ends.push(block);
                reaches = reachable(&preds, &ends);
            }
        }
        let ipdom = tree(&preds, &succs, &ends);
        Graph { succs, idom, ipdom }
    }

    /// The blocks that run or not as a branch at the end of `block` decides.
    pub fn controlled(&self, block: u32) -> Vec<u32> {
        let join = self.ipdom[block as usize];
        let mut seen = vec![false; self.succs.len()];
        let mut stack = self.succs[block as usize].clone();
        let mut out = Vec::new();
        while let Some(at) = stack.pop() {
            if at != join && !std::mem::replace(&mut seen[at as usize], true) {
                out.push(at);
                stack.extend(&self.succs[at as usize]);
            }
        }
        out
    }
}

/// The tree of dominators, for questions.
pub struct Dominators {
    /// When a walk of the tree enters and leaves each block; nothing for blocks that cannot be reached.
    spans: Vec<Option<(u32, u32)>>,
}

impl Dominators {
    pub fn new(graph: &Graph) -> Dominators {
        let len = graph.idom.len();
        let mut below = vec![Vec::new(); len];
        for (block, &over) in graph.idom.iter().enumerate() {
            if over != EXIT {
                below[over as usize].push(block as u32);
            }
        }
        let (mut spans, mut time) = (vec![None; len], 0);
        let mut stack = if len > 0 { vec![(0u32, 0usize)] } else { Vec::new() };
        while let Some((block, next)) = stack.pop() {
            let span = spans[block as usize].get_or_insert((time, time));
            if let Some(&child) = below[block as usize].get(next) {
                stack.push((block, next + 1));
                stack.push((child, 0));
            } else {
                span.1 = time;
            }
            time += 1;
        }
        Dominators { spans }
    }

    /// Whether every way to `b` goes through `a`.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        match (self.spans[a as usize], self.spans[b as usize]) {
            (Some(a), Some(b)) => a.0 <= b.0 && b.1 <= a.1,
            _ => false,
        }
    }

    /// Whether anything leads to a block.
    pub fn reached(&self, block: u32) -> bool {
        self.spans[block as usize].is_some()
    }
}

/// What can be reached from some blocks, they included.
pub fn reachable(edges: &[Vec<u32>], from: &[u32]) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut stack = from.to_vec();
    while let Some(at) = stack.pop() {
        if !std::mem::replace(&mut seen[at as usize], true) {
            stack.extend(&edges[at as usize]);
        }
    }
    seen
}

/// Dominators by the iterative method of Cooper, Harvey and Kennedy, from one root or from several below a
/// virtual one.
fn tree(succs: &[Vec<u32>], preds: &[Vec<u32>], roots: &[u32]) -> Vec<u32> {
    let order = postorder(succs, roots);
    let len = succs.len();
    let top = len; // the virtual root
    let mut number = vec![usize::MAX; len + 1];
    for (i, &block) in order.iter().enumerate() {
        number[block as usize] = i;
    }
    number[top] = order.len();
    let mut idom = vec![usize::MAX; len + 1];
    idom[top] = top;
    for &root in roots {
        idom[root as usize] = top;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev() {
            let b = block as usize;
            let mut new = if roots.contains(&block) { top } else { usize::MAX };
            for &pred in &preds[b] {
                let p = pred as usize;
                if idom[p] != usize::MAX {
                    new = if new == usize::MAX { p } else { meet(&idom, &number, p, new) };
                }
            }
            if new != idom[b] {
                idom[b] = new;
                changed = true;
            }
        }
    }
    idom.truncate(len);
    idom.into_iter().map(|d| if d >= top { EXIT } else { d as u32 }).collect()
}

fn meet(idom: &[usize], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = idom[a];
        }
        while number[b] < number[a] {
            b = idom[b];
        }
    }
    a
}

fn postorder(succs: &[Vec<u32>], roots: &[u32]) -> Vec<u32> {
    let mut out = Vec::new();
    let mut seen = vec![false; succs.len()];
    for &root in roots {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((block, next)) = stack.pop() {
            match succs[block as usize].get(next) {
                Some(&to) => {
                    stack.push((block, next + 1));
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                }
                None => out.push(block),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Block, Term};

    fn program(terms: &[Term]) -> Program {
        let block = |&term| Block { ins: Vec::new(), term, at: 0 };
        Program { blocks: terms.iter().map(block).collect(), ..Program::default() }
    }

    #[test]
    fn an_if_joins_after_both_sides() {
        let graph =
            Graph::new(&program(&[Term::Branch(0, 1, 2), Term::Jump(3), Term::Jump(3), Term::Return]));
        assert_eq!(graph.ipdom, [3, 3, 3, EXIT]);
        assert_eq!(graph.idom, [EXIT, 0, 0, 0]);
        assert_eq!(graph.controlled(0).len(), 2);
    }

    #[test]
    fn a_loop_is_controlled_by_its_exit() {
        let graph =
            Graph::new(&program(&[Term::Jump(1), Term::Branch(0, 2, 3), Term::Jump(1), Term::Return]));
        assert_eq!(graph.ipdom, [1, 3, 1, EXIT]);
        let mut controlled = graph.controlled(1);
        controlled.sort_unstable();
        assert_eq!(controlled, [1, 2]);
    }

    #[test]
    fn an_endless_loop_has_no_exit() {
        let graph = Graph::new(&program(&[Term::Jump(1), Term::Jump(1)]));
        assert_eq!(graph.ipdom[1], EXIT);
    }
}
