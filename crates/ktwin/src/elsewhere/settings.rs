//! Lists of `name=value` from users: split, checked against what there is, each name once.

use ktwin_lang::{Op, Ty, Value};
use ktwin_num::{DType, Float, did_you_mean};

/// The pairs of `a=1,b=2` in all the texts given.
pub fn pairs(what: &str, texts: &[String]) -> Result<Vec<(String, String)>, String> {
    let mut out: Vec<(String, String)> = Vec::new();
    for part in texts.iter().flat_map(|t| t.split(',')).map(str::trim).filter(|p| !p.is_empty()) {
        let Some((name, value)) = part.split_once('=').map(|(n, v)| (n.trim(), v.trim())) else {
            return Err(format!("{what}: `{part}` is not NAME=VALUE"));
        };
        if out.iter().any(|(n, _)| n == name) {
            return Err(format!("{what}: {name} is given twice"));
        }
        out.push((name.to_string(), value.to_string()));
    }
    Ok(out)
}

/// What to say of an unknown name.
pub fn unknown<'a>(op: &str, what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    if known.is_empty() {
        return format!("op {op} has no {what} `{name}`: it has none");
    }
    // of a single letter every other one is near
    let hint = if name.len() > 1 { did_you_mean(name, known.iter().copied()) } else { String::new() };
    format!("op {op} has no {what} `{name}`{hint} (it has {})", known.join(", "))
}

/// Sizes and scalars.
pub type Settings = (Vec<(String, i64)>, Vec<(String, Value)>);

/// Sizes and scalars of an op, from pairs such as `R=4,eps=1e-5`.
pub fn settings(op: &Op, texts: &[String]) -> Result<Settings, String> {
    let (mut dims, mut scalars) = (Vec::new(), Vec::new());
    for (name, value) in pairs("sizes and scalars", texts)? {
        if op.dim(&name).is_some() {
            let size = value.parse().map_err(|_| format!("{name}={value}: a size is a whole number"))?;
            dims.push((name, size));
        } else if let Some(at) = op.scalar(&name) {
            let value = scalar(&name, op.scalars[at].ty, &value)?;
            scalars.push((name, value));
        } else if op.inputs.iter().any(|input| input.name == name) {
            return Err(format!("{name} is an input: write `--in {name}={value}` for an array in a file"));
        } else {
            let dims = op.dims.iter().map(|d| d.name.as_str());
            let all = dims.chain(op.scalars.iter().map(|s| s.name.as_str()));
            return Err(unknown(&op.name, "dimension or scalar", &name, all));
        }
    }
    Ok((dims, scalars))
}

fn scalar(name: &str, ty: Ty, text: &str) -> Result<Value, String> {
    let value = match ty {
        Ty::Int => text.parse().ok().map(Value::Int),
        Ty::Real => text.parse().ok().map(Value::Real),
        Ty::Bool => match text {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
    };
    value.ok_or_else(|| format!("{name}={text}: {name} is {}", ty.shown()))
}

/// A step on the precision ladder.
pub fn rung(what: &str, name: &str) -> Result<Float, String> {
    match DType::parse(name) {
        Ok(DType::Float(float)) => Ok(float),
        _ => {
            let rungs = ["f64", "f32", "tf32", "f16", "bf16", "e4m3", "e5m2"];
            let hint = did_you_mean(name, rungs);
            Err(format!("{what} {name}: no such rung{hint} (there are {})", rungs.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_and_names_stand_once() {
        let texts = ["R=4, D=896".to_string(), "eps=1e-5,".to_string()];
        let parsed = pairs("sizes", &texts).unwrap();
        let expected = [("R", "4"), ("D", "896"), ("eps", "1e-5")];
        assert_eq!(parsed, expected.map(|(a, b)| (a.to_string(), b.to_string())));
        assert_eq!(pairs("sizes", &["R".into()]).unwrap_err(), "sizes: `R` is not NAME=VALUE");
        assert_eq!(pairs("sizes", &["R=1,R=2".into()]).unwrap_err(), "sizes: R is given twice");
    }
}
