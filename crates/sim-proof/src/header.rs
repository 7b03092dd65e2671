//! The header of a shader: TOML between `/*--- sim` and `---*/` at its top. Reads text, gives plain data.

use serde::Deserialize;
use std::collections::BTreeMap;

/// How to launch a shader, fill its buffers and judge its outputs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// One line: what is tried.
    pub about: String,
    /// Workgroups in x, y and z.
    pub grid: [u32; 3],
    /// One for each binding of group 0, in order.
    pub buffers: Vec<Buffer>,
    /// Values of `override`s by name.
    #[serde(default)]
    pub define: BTreeMap<String, f64>,
    /// Features beyond core WGSL.
    #[serde(default)]
    pub needs: Vec<Need>,
    /// Results depend on the size of a subgroup: only equal widths are compared.
    #[serde(default)]
    pub subgroups: bool,
    /// Why no driver is asked.
    pub no_driver: Option<String>,
    /// Why it is refused or comes out differently by way of SPIR-V.
    pub no_spirv: Option<String>,
    /// Findings that must be made; all others are mistakes of the simulator. Notes need not be named.
    #[serde(default)]
    pub finding: Vec<Expected>,
    /// The size at which it is timed.
    pub bench: Option<Bench>,
}

/// A launch of the same shader at another size.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bench {
    /// What is timed.
    pub name: String,
    /// As in the header.
    pub grid: [u32; 3],
    /// As in the header.
    pub buffers: Vec<Buffer>,
}

/// A feature that a device may lack.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// 16-bit floats.
    F16,
    /// 64-bit floats.
    F64,
    /// 64-bit integers.
    I64,
    /// 16-bit integers.
    I16,
    /// Subgroup operations.
    Subgroups,
    /// Atomic addition on f32.
    F32Atomics,
    /// Atomics on 64-bit integers.
    I64Atomics,
}

/// A finding that must be made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The kind's name, as the simulator prints it.
    pub kind: String,
    /// A part of the source line that it must name; the text, since numbers move.
    pub at: String,
    /// It is a note, not an error.
    #[serde(default)]
    pub note: bool,
}

/// One buffer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Type of its elements.
    #[serde(rename = "type")]
    pub ty: Type,
    /// Elements; of `values` where not named.
    pub len: Option<usize>,
    /// Contents, repeated until `len`.
    pub values: Option<Vec<f64>>,
    /// Contents, where no values are given; nothing is written where neither is named.
    pub fill: Option<Fill>,
    /// Least value of a uniform fill.
    pub lo: Option<f64>,
    /// Greatest value of a uniform fill.
    pub hi: Option<f64>,
    /// Of the fill.
    #[serde(default)]
    pub seed: u64,
    /// Storage, where not named.
    #[serde(default)]
    pub space: Space,
    /// How exactly its contents afterwards are known; no output where not named.
    pub check: Option<Check>,
}

/// Where a buffer is bound.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// `var<storage>`.
    #[default]
    Storage,
    /// `var<uniform>`.
    Uniform,
}

/// Type of a buffer's elements.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Type {
    F16,
    F32,
    F64,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    /// Blocks of 32 numbers in 18 bytes.
    Q4_0,
}

/// How a buffer is filled.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// All bytes zero.
    Zeros,
    /// Evenly in `lo..hi`, integers `lo..=hi`; -1 to 1 (integers 0 to 100) where not named.
    Uniform,
    /// Every bit random: floats with all exponents, NaN and infinities.
    Bits,
    /// Every exponent, but normal, finite numbers only.
    Finite,
    /// The numbers where things go wrong (zeros, halves, limits), then random bits that are finite and
    /// normal.
    Edges,
    /// 0, 1, 2 and so on.
    Iota,
}

/// How exactly an output is known.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Bit for bit; any NaN is as good as another.
    Bits,
    /// Bit for bit, but a subnormal may have been flushed to zero.
    Flush,
    /// At most so many units in the last place.
    Ulp(f64),
    /// What WGSL's accuracy table allows for this function of the first one or two buffers.
    Table(String),
    /// At most `rel` of the value, or `abs`.
    #[serde(untagged)]
    Near {
        /// Of the value.
        #[serde(default)]
        rel: f64,
        /// Absolutely.
        #[serde(default)]
        abs: f64,
    },
}

const OPEN: &str = "/*--- sim";
const CLOSE: &str = "---*/";

/// The header of a shader's source.
pub fn parse(source: &str) -> Result<Header, String> {
    let rest = source.strip_prefix(OPEN).ok_or_else(|| format!("the file must begin with `{OPEN}`"))?;
    let (text, _) = rest.split_once(CLOSE).ok_or_else(|| format!("the header must end with `{CLOSE}`"))?;
    // Line numbers of errors are those of the file: what stood on the first line is left empty.
    let header: Header = toml::from_str(text).map_err(|e| e.to_string())?;
    if !header.buffers.iter().any(|b| b.check.is_some()) && header.finding.is_empty() {
        return Err("no buffer has a `check`, so nothing would be compared".to_string());
    }
    Ok(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(buffer: &str) -> Result<Header, String> {
        parse(&format!("/*--- sim\nabout = \"\"\ngrid = [1, 1, 1]\nbuffers = [{buffer}]\n---*/\n"))
    }

    #[test]
    fn checks_are_read() {
        let check = |text: &str| {
            header(&format!("{{ type = \"f32\", check = {text} }}")).unwrap().buffers[0].check.clone()
        };
        assert_eq!(check("\"bits\""), Some(Check::Bits));
        assert_eq!(check("{ ulp = 3 }"), Some(Check::Ulp(3.0)));
        assert_eq!(check("{ table = \"exp\" }"), Some(Check::Table("exp".to_string())));
        assert_eq!(check("{ abs = 1e-3 }"), Some(Check::Near { rel: 0.0, abs: 1e-3 }));
        assert_eq!(check("{ rel = 1e-3, abs = 1.0 }"), Some(Check::Near { rel: 1e-3, abs: 1.0 }));
    }

    #[test]
    fn mistakes_are_errors() {
        assert!(header("{ type = \"f32\" }").unwrap_err().contains("nothing would be compared"));
        assert!(header("{ type = \"f32\", chekc = \"bits\" }").unwrap_err().contains("chekc"));
        assert!(parse("fn main() {}").is_err());
    }
}
