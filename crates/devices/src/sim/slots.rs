//! Where a shader binds each entry of a contract's `args`: bindings by their numbers, one group after the other.

use ktwin_sim::EntryPoint;

/// Group and binding of this many arguments of an entry point. A group's numbers go on where those of the group before
/// it end, with its largest binding; without other groups, all are in group 0.
pub fn slots(entry: &EntryPoint, args: usize) -> Vec<(u32, u32)> {
    let most = u32::try_from(args).unwrap_or(u32::MAX);
    let mut groups: Vec<u32> = entry.bindings.iter().map(|b| b.group).filter(|group| *group > 0).collect();
    groups.sort_unstable();
    groups.dedup();
    if groups.is_empty() {
        return (0..most).map(|binding| (0, binding)).collect();
    }
    let of = |group: u32| {
        let own = entry.bindings.iter().filter(move |b| b.group == group);
        let end = own.map(|b| b.binding.saturating_add(1)).max().unwrap_or(0);
        (0..end.min(most)).map(move |binding| (group, binding))
    };
    [0].into_iter().chain(groups).flat_map(of).take(args).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_sim::{BindingInfo, BindingKind};

    fn entry(bindings: &[(u32, u32)]) -> EntryPoint {
        let info = |&(group, binding): &(u32, u32)| BindingInfo {
            name: String::new(),
            group,
            binding,
            kind: BindingKind::Read,
            min_size: 4,
            stride: 4,
            holds: Vec::new(),
        };
        EntryPoint { bindings: bindings.iter().map(info).collect(), ..EntryPoint::default() }
    }

    #[test]
    fn groups_follow_each_other() {
        assert_eq!(slots(&entry(&[(0, 1)]), 3), [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(slots(&entry(&[(0, 1), (2, 0), (1, 1)]), 5), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]);
        assert_eq!(slots(&entry(&[(3, 0)]), 2), [(3, 0)]);
        assert_eq!(slots(&entry(&[(1, u32::MAX)]), 2), [(1, 0), (1, 1)]);
    }
}
