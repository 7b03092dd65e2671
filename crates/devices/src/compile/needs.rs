//! What Triton asks of launches: it says how many lanes and how much shared memory its kernels take, values of a struct
//! are parameters of their own, and pointers to memory that is not needed follow those of the user.

use ktwin_check::{Argument, Failure, Step, Word};
use ktwin_num::DType;
use serde::{Deserialize, Serialize};

/// What a kernel of Triton needs to be launched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// Lanes of a block.
    pub lanes: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
}

/// The step as a kernel of so many parameters takes it.
pub fn launched(step: &Step, own: usize, needs: Needs) -> Result<Step, Failure> {
    let mut args: Vec<Argument> = Vec::new();
    for arg in &step.args {
        match arg {
            Argument::Words(words) => {
                args.extend(words.iter().map(|word| Argument::Words(vec![word.clone()])))
            }
            buffer => args.push(buffer.clone()),
        }
    }
    let given = args.len();
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

    #[test]
    fn values_are_parameters_and_what_is_left_points_nowhere() {
        let word =
            |name: &str| Word { name: name.into(), dtype: DType::I32, bytes: vec![1, 0, 0, 0], buffer: None };
        let args = vec![Argument::Buffer(0), Argument::Words(vec![word("m"), word("n")])];
        let step = Step { grid: [1; 3], args, ..Step::default() };
        let launched_with = |own| launched(&step, own, Needs { lanes: 64, shared: 32 });
        let made = launched_with(5).unwrap();
        assert_eq!((made.args.len(), made.block, made.shared), (5, Some([64, 1, 1]), 32));
        assert!(matches!(&made.args[4], Argument::Words(words) if words[0].bytes == [0; 8]));
        assert!(launched_with(2).is_err());
    }
}
