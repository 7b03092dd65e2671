//! Lists of `name=value` on the command line: split, checked against what there is, each name once.

use ktwin_num::did_you_mean;

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
