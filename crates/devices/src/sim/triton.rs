//! Launches of Triton's kernels: Triton says how many lanes and how much shared memory they take, values of a struct
//! are parameters of their own, and pointers to memory that is not needed follow those of the user.

use ktwin_check::{Argument, Failure, Step, Word};
use ktwin_num::DType;
use ktwin_sim::EntryPoint;

use crate::compile::Needs;

/// The step as the kernel takes it.
pub fn launched(step: &Step, entry: &EntryPoint, needs: Needs) -> Result<Step, Failure> {
    let mut args: Vec<Argument> = Vec::new();
    for arg in &step.args {
        match arg {
            Argument::Words(words) => {
                args.extend(words.iter().map(|word| Argument::Words(vec![word.clone()])))
            }
            buffer => args.push(buffer.clone()),
        }
    }
    let (given, own) = (args.len(), entry.params.len());
    if given > own {
        let message = format!("`args` gives {given} values, the compiled kernel takes {own}");
        return Err(Failure::Mismatch(message));
    }
    let nothing = Word { name: "scratch".into(), dtype: DType::I64, bytes: vec![0; 8], buffer: None };
    args.resize(own, Argument::Words(vec![nothing]));
    let shared = step.shared.saturating_add(needs.shared);
    Ok(Step { args, shared, block: Some([needs.lanes, 1, 1]), ..step.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ktwin_sim::ParamInfo;

    #[test]
    fn values_are_parameters_and_what_is_left_points_nowhere() {
        let word =
            |name: &str| Word { name: name.into(), dtype: DType::I32, bytes: vec![1, 0, 0, 0], buffer: None };
        let args = vec![Argument::Buffer(0), Argument::Words(vec![word("m"), word("n")])];
        let (entry, grid, push) = (String::new(), [1; 3], Vec::new());
        let step = Step { entry, grid, block: None, shared: 0, args, push };
        let params = |n: usize| (0..n).map(|_| ParamInfo { name: "p".into(), size: 8, align: 8 }).collect();
        let entry = EntryPoint { params: params(5), ..EntryPoint::default() };
        let launched_with = |entry: &EntryPoint| launched(&step, entry, Needs { lanes: 64, shared: 32 });
        let made = launched_with(&entry).unwrap();
        assert_eq!((made.args.len(), made.block, made.shared), (5, Some([64, 1, 1]), 32));
        assert!(matches!(&made.args[4], Argument::Words(words) if words[0].bytes == [0; 8]));
        assert!(launched_with(&EntryPoint { params: params(2), ..entry }).is_err());
    }
}
