//! What a kernel rounds further than its rungs: definitions of the op, and inputs that it quantises itself.

use ktwin_num::{DType, Float, did_you_mean};

use crate::op::Op;

/// Roundings beyond those of the promised rungs.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// By stage of the op: the format its values are rounded to.
    pub stages: Vec<Option<Float>>,
    /// By input of the op: the type its rows are rounded to once they are read.
    pub inputs: Vec<Option<DType>>,
}

impl Rounds {
    /// None.
    pub fn none(op: &Op) -> Rounds {
        Rounds { stages: vec![None; op.stages.len()], inputs: vec![None; op.inputs.len()] }
    }

    /// What is rounded of the inputs alone, for an op that has them first.
    pub fn on_inputs_of(&self, op: &Op) -> Rounds {
        let mut out = Rounds::none(op);
        out.inputs.iter_mut().zip(&self.inputs).for_each(|(own, dtype)| *own = *dtype);
        out
    }

    /// Whether nothing is rounded further.
    pub fn is_none(&self) -> bool {
        self.stages.iter().all(Option::is_none) && self.inputs.iter().all(Option::is_none)
    }

    /// Rounds the definition or input of this name to a type, or says why that cannot be.
    pub fn add(&mut self, op: &Op, name: &str, dtype: DType) -> Result<(), String> {
        if let Some(stage) = op.stage_named(name) {
            let float = dtype.float().ok_or_else(|| {
                format!(
                    "{name} is a definition: it is rounded to f32, tf32, f16, bf16, e4m3 or e5m2, not {dtype}"
                )
            })?;
            self.stages[stage] = Some(float);
            return Ok(());
        }
        let Some(input) = op.input(name) else {
            let written = op.stages.iter().filter(|s| s.written).map(|s| s.name.as_str());
            let known: Vec<&str> = op.inputs.iter().map(|i| i.name.as_str()).chain(written).collect();
            // of a single letter every other one is near
            let hint = if name.len() > 1 { did_you_mean(name, known.clone()) } else { String::new() };
            let known = known.join(", ");
            return Err(format!("op {} has no input or definition `{name}`{hint} (it has {known})", op.name));
        };
        if op.inputs[input].integer {
            return Err(format!("{name} holds integers: nothing rounds them"));
        }
        if !dtype.rounds_rows() {
            return Err(format!(
                "{name} cannot be rounded to {dtype}: two honest kernels may differ by more than a rounding; \
                 write a float type, q4_0, q4_1, q5_0, q5_1, q8_0, q8_1 or q8_K"
            ));
        }
        self.inputs[input] = Some(dtype);
        Ok(())
    }
}
