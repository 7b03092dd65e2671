//! The loops of a graph whose blocks are in some order already.

/// The loops as ranges of positions in `order`, if each of them is then in one piece, entered at its first block alone,
/// and apart from all others or within them; else nothing. `order` has every block that can be reached, the entry
/// first.
pub fn loops(succs: &[Vec<u32>], order: &[u32]) -> Option<Vec<(u32, u32)>> {
    let mut place = vec![0; succs.len()];
    for (i, &block) in order.iter().enumerate() {
        place[block as usize] = i as u32;
    }
    let edges = || {
        let targets = |&block: &u32| succs[block as usize].iter().map(move |&to| (block, to));
        order.iter().flat_map(targets).map(|(from, to)| (place[from as usize], place[to as usize]))
    };
    // an edge back makes a loop of all that lies between
    let mut ends = vec![0; order.len()];
    for (from, to) in edges().filter(|(from, to)| to <= from) {
        ends[to as usize] = ends[to as usize].max(from + 1);
    }
    let nest = Nest::new(&ends)?;
    // the loops around the target that the source is outside of are entered at their top
    let entered_inside = |&(from, to): &(u32, u32)| {
        let around = std::iter::successors(nest.innermost[to as usize], |&top| nest.outer[top as usize]);
        let mut entered = around.take_while(|&top| !(top..ends[top as usize]).contains(&from));
        entered.any(|top| top != to)
    };
    if edges().any(|edge| entered_inside(&edge)) {
        return None;
    }
    let tops = (0..ends.len()).filter(|&top| ends[top] > 0);
    Some(tops.map(|top| (top as u32, ends[top])).collect())
}

/// Loops by their first block.
struct Nest {
    /// The innermost loop around each block.
    innermost: Vec<Option<u32>>,
    /// The loop around the one that begins at a block.
    outer: Vec<Option<u32>>,
}

impl Nest {
    /// Nothing, where loops overlap. `ends` says for the first block of each loop where the loop ends.
    fn new(ends: &[u32]) -> Option<Nest> {
        let mut open: Vec<u32> = Vec::new();
        let mut nest = Nest { innermost: Vec::with_capacity(ends.len()), outer: vec![None; ends.len()] };
        for at in 0..ends.len() as u32 {
            while open.last().is_some_and(|&top| ends[top as usize] <= at) {
                open.pop();
            }
            if ends[at as usize] > 0 {
                nest.outer[at as usize] = open.last().copied();
                if open.last().is_some_and(|&outer| ends[outer as usize] < ends[at as usize]) {
                    return None;
                }
                open.push(at);
            }
            nest.innermost.push(open.last().copied());
        }
        Some(nest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(succs: &[&[u32]]) -> Option<Vec<(u32, u32)>> {
        let succs: Vec<Vec<u32>> = succs.iter().map(|to| to.to_vec()).collect();
        let order: Vec<u32> = (0..succs.len() as u32).collect();
        loops(&succs, &order)
    }

    #[test]
    fn loops_within_loops_are_found() {
        let nest: &[&[u32]] = &[&[1], &[2, 5], &[3], &[2, 4], &[1], &[]];
        assert_eq!(found(nest), Some(vec![(1, 5), (2, 4)]));
        assert_eq!(found(&[&[1], &[1, 2], &[]]), Some(vec![(1, 2)]));
        assert_eq!(found(&[&[1, 2], &[2], &[]]), Some(vec![]));
    }

    #[test]
    fn a_way_into_the_middle_is_refused() {
        assert_eq!(found(&[&[1, 2], &[2], &[1, 3], &[]]), None);
        // into the inner loop of two, past its top
        assert_eq!(found(&[&[1], &[2, 3], &[3], &[2, 4], &[1, 5], &[]]), None);
    }

    #[test]
    fn loops_that_overlap_are_refused() {
        assert_eq!(found(&[&[1], &[2], &[1, 3], &[2, 4], &[]]), None);
    }

    #[test]
    fn two_loops_one_after_the_other_are_found() {
        assert_eq!(found(&[&[1], &[1, 2], &[2, 3], &[]]), Some(vec![(1, 2), (2, 3)]));
    }
}
