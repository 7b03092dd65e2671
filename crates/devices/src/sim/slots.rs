//! Where a shader binds each entry of a contract's `args`: bindings by their numbers, one group after the other.

use ktwin_check::{Access, Argument, Buffer, Failure, Launch, MOST_GROUPS, Source, Step, Word, pack};
use ktwin_sim::{BindingInfo, EntryPoint, Init};

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

/// A launch of the simulator, and the number in the launch of each of its buffers; none for values.
pub type Bound = (ktwin_sim::Launch, Vec<Option<usize>>);

/// A shader that is launched.
pub struct Shader<'s> {
    pub entry: Option<&'s EntryPoint>,
    pub overrides: &'s [(String, f64)],
    /// Its text, where the types in it are those of the values.
    pub typed: Option<&'s str>,
}

impl Shader<'_> {
    /// A launch of the simulator, and which of the launch's buffers each of its own is.
    pub fn bind(&self, step: &Step, launch: &Launch, known: &[Init]) -> Result<Bound, Failure> {
        if let Some(groups) = step.grid.iter().find(|groups| **groups > MOST_GROUPS) {
            let text = format!(
                "{groups} workgroups in one direction, {MOST_GROUPS} at most: limit the size in `dims`"
            );
            return Err(Failure::Mismatch(text));
        }
        let numbers = step.args.iter().filter_map(|a| match a {
            Argument::Buffer(number) | Argument::Returned(number) => Some(number),
            Argument::Words(_) => None,
        });
        let twice = |n: &usize| numbers.clone().filter(|m| *m == n).count() > 1;
        // of what nobody writes, each binding may have a copy
        let written = |n: &usize| launch.buffers.get(*n).is_some_and(|b| b.access != Access::Read);
        if numbers.clone().any(|n| twice(n) && written(n)) {
            let text = "a buffer that is written is bound twice, which is not allowed in a shader";
            return Err(Failure::Mismatch(text.into()));
        }
        let mut sim = ktwin_sim::Launch::new(step.grid).entry(&step.entry);
        sim.overrides = self.overrides.to_vec();
        sim.dynamic_shared = step.shared;
        if !step.push.is_empty() {
            sim.params = vec![ktwin_sim::Param::bytes(pack(&step.push))];
        }
        let slots = self.entry.map_or_else(Vec::new, |entry| slots(entry, step.args.len()));
        if slots.len() < step.args.len() {
            let (given, own) = (step.args.len(), slots.len());
            return Err(Failure::Mismatch(format!(
                "`args` has {given} entries, the shader has {own} bindings"
            )));
        }
        for ((group, binding), argument) in slots.into_iter().zip(&step.args) {
            if let (Some(entry), Some(text)) = (self.entry, self.typed) {
                fit(entry, (group, binding), (argument, &launch.buffers), text)?;
            }
            sim = sim.buffer(match argument {
                Argument::Words(words) => ktwin_sim::Buffer::input(group, binding, pack(words)),
                Argument::Buffer(number) | Argument::Returned(number) => {
                    let buffer = launch.buffers.get(*number).ok_or_else(|| {
                        Failure::Mismatch(format!(
                            "binding {binding} is given buffer {number}, which does not exist"
                        ))
                    })?;
                    let bytes = buffer.bytes[buffer.body.clone()].to_vec();
                    let init = known[*number].clone();
                    ktwin_sim::Buffer { init, ..ktwin_sim::Buffer::input(group, binding, bytes) }
                }
            });
        }
        let bound = step.args.iter().map(|a| match a {
            Argument::Buffer(number) | Argument::Returned(number) => Some(*number),
            Argument::Words(_) => None,
        });
        Ok((sim, bound.collect()))
    }
}

/// The text of a source that reads all values as what they are declared. SPIR-V does not tell.
pub fn typed(source: &Source) -> Option<String> {
    let text = source.text();
    (!source.kind.is_binary() && !text.contains("bitcast") && !text.contains("BitsTo")).then_some(text)
}

/// Refuses what a shader with this text reads as another type than the contract's.
pub fn fit(
    entry: &EntryPoint,
    (group, binding): (u32, u32),
    (argument, buffers): (&Argument, &[Buffer]),
    text: &str,
) -> Result<(), Failure> {
    let own = entry.bindings.iter().find(|b| (b.group, b.binding) == (group, binding));
    let Some(own) = own else { return Ok(()) };
    let wrong = match argument {
        Argument::Words(words) => values(own, words),
        Argument::Buffer(number) | Argument::Returned(number) => {
            buffers.get(*number).and_then(|buffer| elements(own, buffer))
        }
    };
    let Some((read, given)) = wrong else { return Ok(()) };
    let place = line_of(text, &own.name).map(|line| format!(" (line {line})")).unwrap_or_default();
    // the line of what the contract gives is added where that is known
    Err(Failure::Mismatch(format!("the shader reads {read}{place}, and {given}")))
}

/// What a shader reads that the contract gives as something else. Vectors are left alone: what stands before them may
/// be padding.
fn values(own: &BindingInfo, words: &[Word]) -> Option<(String, String)> {
    if own.holds.iter().any(|held| held.count != 1) {
        return None;
    }
    for (word, held) in words.iter().zip(&own.holds) {
        let (given, read) = (word.dtype.name(), held.scalar.as_str());
        let kind = |name: &str| {
            (name.starts_with('f'), name.trim_start_matches(|c: char| c.is_alphabetic()).to_owned())
        };
        if read.is_empty() || kind(given).1 != kind(read).1 {
            return None;
        }
        if kind(given).0 != kind(read).0 {
            let member = if held.name.is_empty() { String::new() } else { format!(".{}", held.name) };
            return Some((
                format!("`{}{member}` as {read}", own.name),
                format!("`args` gives `{}` as {given}", word.name),
            ));
        }
    }
    None
}

/// The same of a tensor that is read as floats of another type than its own. What is read as whole numbers may be the
/// bits of anything, and a scratch buffer's type is its size alone.
fn elements(own: &BindingInfo, buffer: &Buffer) -> Option<(String, String)> {
    let [held] = &own.holds[..] else { return None };
    let (given, read) = (buffer.dtype.name(), held.scalar.as_str());
    let differs = read.starts_with('f') && given != read && buffer.access != Access::Scratch;
    let said = || (format!("`{}` as {read}", own.name), format!("by `types`, `{}` is {given}", buffer.name));
    differs.then(said)
}

/// The line on which a source declares a binding, counted from 1.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let names = |line: &str| line.split(|c| !word(c)).any(|own| own == name);
    let declares = |line: &str| ["var<", "buffer", "uniform"].iter().any(|key| line.contains(key));
    text.lines().position(|line| declares(line) && names(line)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_sim::BindingKind;

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
        let text = "struct P { n: u32, eps: f32 }\n@group(0) @binding(0) var<uniform> p: P;\n";
        let fits = |first: &str, second: &str| {
            let words = Argument::Words(vec![word("N", first), word("eps", second)]);
            fit(&entry, (0, 0), (&words, &[]), text)
        };
        assert!(fits("i32", "f32").is_ok() && fits("u16", "u32").is_ok());
        let refused = fits("u32", "u32");
        let wanted = "the shader reads `p.eps` as f32 (line 2), and `args` gives `eps` as u32";
        assert!(matches!(refused, Err(Failure::Mismatch(text)) if text == wanted));
    }

    #[test]
    fn floats_of_another_type_are_refused() {
        let mut entry = entry(&[(0, 0)]);
        entry.bindings[0].name = "x".into();
        let mut refused = |read: &str, given: &str, access: Access| {
            let held =
                |scalar: &str| ktwin_sim::Held { name: String::new(), scalar: scalar.into(), count: 4 };
            entry.bindings[0].holds = vec![held(read)];
            let dtype = ktwin_num::DType::parse(given).unwrap();
            let buffer = Buffer { name: "x".into(), dtype, bytes: Vec::new(), body: 0..0, access };
            let said =
                fit(&entry, (0, 0), (&Argument::Buffer(0), &[buffer]), "\nvar<storage> x: array<f32>;\n");
            said.err().map_or(String::new(), |failure| failure.to_string())
        };
        for (read, given) in
            [("f32", "f16"), ("f16", "f32"), ("f32", "u32"), ("f16", "bf16"), ("f32", "q4_0")]
        {
            let said = refused(read, given, Access::Read);
            let wanted = format!("the shader reads `x` as {read} (line 2), and by `types`, `x` is {given}");
            assert!(said.contains(&wanted), "{said}");
        }
        for (read, given) in [("f32", "f32"), ("u32", "f16"), ("u32", "q4_0"), ("i32", "u32"), ("", "f16")] {
            assert_eq!(refused(read, given, Access::Read), "", "{read} {given}");
        }
        assert_eq!(refused("f32", "u32", Access::Scratch), "");
    }
}
