//! Where a shader binds each entry of a contract's `args`: bindings by their numbers, one group after the other.

use ktwin_check::{Failure, Source, Word};
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

/// Whether a source reads the values of its structs as what they are declared. SPIR-V does not tell.
pub fn is_typed(source: &Source) -> bool {
    let text = source.text();
    !source.kind.is_binary() && !text.contains("bitcast") && !text.contains("BitsTo")
}

/// Refuses values that a shader reads as another type. Vectors are left alone: what stands before them may be padding.
pub fn fit(entry: &EntryPoint, (group, binding): (u32, u32), words: &[Word]) -> Result<(), Failure> {
    let own = entry.bindings.iter().find(|b| (b.group, b.binding) == (group, binding));
    let Some(own) = own.filter(|own| own.holds.iter().all(|held| held.count == 1)) else { return Ok(()) };
    for (word, held) in words.iter().zip(&own.holds) {
        let (given, read) = (word.dtype.name(), held.scalar.as_str());
        let kind = |name: &str| {
            (name.starts_with('f'), name.trim_start_matches(|c: char| c.is_alphabetic()).to_owned())
        };
        if read.is_empty() || kind(given).1 != kind(read).1 {
            return Ok(());
        }
        if kind(given).0 != kind(read).0 {
            let member = if held.name.is_empty() { String::new() } else { format!(".{}", held.name) };
            return Err(Failure::Mismatch(format!(
                "`args` gives `{}` as {given}, and the shader reads it as {read} (`{}{member}`)",
                word.name, own.name
            )));
        }
    }
    Ok(())
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

    #[test]
    fn what_is_read_as_another_type_is_refused() {
        let mut entry = entry(&[(0, 0)]);
        let held =
            |name: &str, scalar: &str| ktwin_sim::Held { name: name.into(), scalar: scalar.into(), count: 1 };
        entry.bindings[0].name = "p".into();
        entry.bindings[0].holds = vec![held("n", "u32"), held("eps", "f32")];
        let word = |name: &str, dtype: &str| Word {
            name: name.into(),
            dtype: ktwin_num::DType::parse(dtype).unwrap(),
            bytes: vec![0; 4],
            buffer: None,
        };
        let fits = |first: &str, second: &str| fit(&entry, (0, 0), &[word("N", first), word("eps", second)]);
        assert!(fits("i32", "f32").is_ok() && fits("u16", "u32").is_ok());
        let refused = fits("u32", "u32");
        let wanted = "`args` gives `eps` as u32, and the shader reads it as f32 (`p.eps`)";
        assert!(matches!(refused, Err(Failure::Mismatch(text)) if text == wanted));
    }
}
