//! The least that a kernel must promise, and in what a contract promises less. Reads it from a file, or from
//! the words of a command line; knows no device.

use std::path::Path;

use ktwin_lang::Diagnostic;
use ktwin_num::Float;

use crate::contract::reader::Reader;
use crate::contract::tree::{Entries, Item};
use crate::contract::{Contract, Expr, Fill, LAUNCH, Name, Nan, Spot, tree};
use crate::domain;
use crate::kernel::{Catalogue, Kernel, LoadError, op_of};
use crate::promise::{Content, filled_outputs, listed};

/// One thing in which a contract promises less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weaker {
    /// The key of the contract that says so.
    pub key: &'static str,
    /// Where that stands; nowhere where the contract does not name it.
    pub spot: Option<Spot>,
    /// What is weaker, in words.
    pub text: String,
}

/// The least that a kernel must promise.
#[derive(Clone, Debug)]
pub struct Least {
    /// The promise.
    pub(crate) contract: Contract,
    /// What the op is known by, where it matters.
    pub(crate) content: Option<Content>,
    /// The keys that matter; all of them where there is no list.
    pub(crate) asked: Option<Vec<String>>,
    /// Whether tensors and dimensions that are not named count: with the types and sizes of a contract that names none.
    pub(crate) unnamed: bool,
    /// Whether the op must be the catalogue's.
    pub(crate) catalogue: bool,
    /// The share of the op's domain that must be left.
    pub(crate) share: f64,
}

/// Keys that are none of a contract.
const OTHERS: &[&str] = &["catalogue", "share"];

/// What is compared, by the key that says it.
type Compare = fn(&Kernel, &Least) -> Option<String>;

/// Every promise, each with what compares it.
const PROMISES: &[(&str, Compare)] = &[
    ("accumulate", |k, l| coarser("sums", k.contract.accumulate, l.contract.accumulate)),
    ("batch_invariant", |k, l| {
        let missing = l.contract.promises.batch_invariant && !k.contract.promises.batch_invariant;
        missing
            .then(|| "a row alone may give different bits; batch_invariant = true is asked for".to_string())
    }),
    ("catalogue", |k, l| {
        let own = l.catalogue && !k.content.catalogue;
        own.then(|| format!("op {} is not from the catalogue", k.op.name))
    }),
    ("compute", |k, l| coarser("computes", k.contract.compute, l.contract.compute)),
    ("deterministic", |k, l| {
        let missing = l.contract.promises.deterministic && !k.contract.promises.deterministic;
        missing.then(|| "the same inputs may give different bits".to_string())
    }),
    ("dims", |k, l| domain::sizes(k, &l.contract, l.unnamed)),
    ("fast_math", |k, l| {
        let fast = k.contract.fast_math.is_some() && l.contract.fast_math.is_none();
        fast.then(|| "fast math is not accepted".to_string())
    }),
    ("fill", |k, l| {
        // 0 and 0.0 are one value
        let alike = |(a, b): (&Expr, &Expr)| {
            let number = |value: &Expr| value.text.parse::<f64>().ok();
            a.text == b.text || number(a).is_some_and(|own| number(b) == Some(own))
        };
        let same = |(name, own): &(Name, Fill), (of, asked): &(Name, Fill)| {
            let (own, asked) = (own.values(), asked.values());
            **name == **of && own.len() == asked.len() && own.iter().zip(asked).all(alike)
        };
        let (name, _) =
            filled_outputs(k).find(|own| !l.contract.fill.iter().any(|asked| same(asked, own)))?;
        Some(format!(
            "`{}` must be filled before each launch, so nothing shows what is left unwritten",
            name.text
        ))
    }),
    ("fix", |k, l| domain::fixed(k, &l.contract)),
    ("form", form),
    ("inplace", |k, l| {
        let allowed = |o: &str, i: &str| l.contract.inplace.iter().any(|(a, b)| **a == *o && **b == *i);
        let other = k.contract.inplace.iter().find(|(output, input)| !allowed(output, input))?;
        Some(format!("{} is written over {}", other.0.text, other.1.text))
    }),
    ("layout", layout),
    ("max_registers", |k, l| {
        let (most, _) = l.contract.max_registers?;
        let more = k.contract.max_registers.is_none_or(|(own, _)| own > most);
        more.then(|| format!("it may take more than {most} registers a lane"))
    }),
    ("nan", |k, l| {
        let (own, least) = (k.contract.promises.nan, l.contract.promises.nan);
        let asked = if least == Nan::Propagate { "propagate" } else { "isolate" };
        let lacks = match own {
            Nan::Never => "it takes no NaN and no infinity",
            _ => "nothing is promised of what NaN touches",
        };
        (own < least).then(|| format!("{lacks}; nan = \"{asked}\" is asked for"))
    }),
    ("op", |k, l| {
        let wanted = l.content.as_ref()?;
        let other = wanted.hash != k.content.hash;
        other.then(|| format!("op {} is not the op that was asked for: its content differs", k.op.name))
    }),
    ("policy", |k, l| {
        let own = k.contract.policy.as_ref().filter(|p| !p.is_bar())?;
        let asked = l.contract.policy.as_ref().is_some_and(|p| p.rule == own.rule);
        (!asked).then(|| format!("policy {own} decides, not the error bar"))
    }),
    ("robust", |k, l| {
        let past = k.contract.robust.is_some() && l.contract.robust.is_none();
        past.then(|| "it may read past the end of buffers".to_string())
    }),
    ("round", round),
    ("share", |k, l| {
        let share = if l.share > 0.0 { domain::share(k) } else { 1.0 };
        let (own, least) = (100.0 * share, 100.0 * l.share);
        let less =
            (share < l.share).then(|| format!("it accepts {own:.1}% of the op's domain, not {least:.1}%"));
        // one number is no share of a scalar that may be any
        let assumed = || domain::fixed_real(k, &l.contract).filter(|_| l.share > 0.0);
        less.or_else(assumed)
    }),
    ("spills", |k, l| {
        let missing = l.contract.no_spills.is_some() && k.contract.no_spills.is_none();
        missing.then(|| "registers may spill; spills = false is asked for".to_string())
    }),
    ("subgroup", |k, l| {
        let own = &k.contract.subgroup;
        let all =
            l.contract.subgroup.iter().all(|lanes| own.contains(lanes)) && !l.contract.subgroup.is_empty();
        (!own.is_empty() && !all).then(|| format!("its subgroups must have {} lanes", listed(own)))
    }),
    ("ties", |k, l| {
        let open = k.contract.promises.ties && !l.contract.promises.ties;
        open.then(|| "equal elements may come in any order; the op's own order is asked for".to_string())
    }),
    ("types", types),
    ("where", |k, l| domain::together(k, &l.contract)),
];

/// Keys that say together which cases are taken.
const DOMAIN: &[&str] = &["dims", "fix", "where"];

fn coarser(what: &str, own: Float, least: Float) -> Option<String> {
    let place = |f: Float| Float::ALL.iter().position(|g| g.same_format(f));
    (place(own) > place(least)).then(|| format!("it {what} in {}, not {}", own.name(), least.name()))
}

fn form(kernel: &Kernel, least: &Least) -> Option<String> {
    let own = kernel.contract.form.as_ref()?;
    let other = least.contract.form.as_ref().is_none_or(|form| form.text != own.text);
    other.then(|| format!("form {} of the op was not asked for", own.text))
}

fn layout(kernel: &Kernel, least: &Least) -> Option<String> {
    least.contract.layout.iter().find_map(|(tensor, layouts)| {
        let own = kernel.contract.layout.iter().find(|(name, _)| name.text == tensor.text);
        let missing = layouts.iter().find(|layout| {
            **layout != ktwin_num::Layout::Row && !own.is_some_and(|(_, all)| all.contains(layout))
        })?;
        Some(format!("layout {missing} of {} is not accepted", tensor.text))
    })
}

fn round(kernel: &Kernel, least: &Least) -> Option<String> {
    let allowed = |name: &str, dtype| least.contract.round.iter().any(|(n, d)| **n == *name && *d == dtype);
    let other = kernel.contract.round.iter().find(|(name, dtype)| !allowed(name, *dtype))?;
    Some(format!("it rounds {} to {}", other.0.text, other.1))
}

fn types(kernel: &Kernel, least: &Least) -> Option<String> {
    let named = least.contract.types.iter().map(|(name, _)| name.text.as_str());
    let tensors = kernel.op.inputs.iter().chain(&kernel.op.outputs).map(|t| t.name.as_str());
    let names: Vec<&str> = if least.unnamed { named.chain(tensors).collect() } else { named.collect() };
    names.into_iter().find_map(|name| {
        if kernel.op.input(name).is_none() && kernel.op.output(name).is_none() {
            return Some(format!("op {} has no tensor `{name}`", kernel.op.name));
        }
        let (own, wanted) = (kernel.dtype(name), kernel.dtype_by(&least.contract, name));
        (own != wanted).then(|| format!("{name} is {own}, not {wanted}"))
    })
}

impl Least {
    /// From a file, or from words such as `compute=f32,catalogue,N=..=4096`.
    pub fn read(words: &str, catalogue: &Catalogue) -> Result<Least, LoadError> {
        let path = Path::new(words);
        let is_path = words.ends_with(".toml") || path.exists();
        if is_path {
            let text = crate::read::text(path).map_err(|e| LoadError::File(format!("{words}: {e}")))?;
            return Least::parse(words, &text, catalogue);
        }
        if words.trim().is_empty() {
            let help = "--min-promise is empty: write what must be promised, as in catalogue,compute=f32";
            return Err(LoadError::File(help.to_owned()));
        }
        let text = toml_of(words);
        let least = Least::parse("--min-promise", &text, catalogue)?;
        let keys = least.contract.keys.iter().map(|key| key.text.as_str());
        let mut asked: Vec<String> = keys.chain(OTHERS.iter().copied()).map(String::from).collect();
        if asked.iter().any(|key| DOMAIN.contains(&key.as_str())) {
            asked.extend(DOMAIN.iter().map(|key| key.to_string()));
        }
        if asked.iter().any(|key| key == "compute") {
            // sums are computed too, and what is rounded further is not as precise
            asked.extend(["accumulate", "round"].map(String::from));
        }
        Ok(Least { asked: Some(asked), unnamed: false, ..least })
    }

    /// From TOML: the keys of a contract that promise something, `catalogue` and `share`. What is not named
    /// is as in a contract.
    pub fn parse(file: &str, text: &str, catalogue: &Catalogue) -> Result<Least, LoadError> {
        let mut reader = Reader::new(file, text, text);
        let entries = tree::parse(text).unwrap_or_else(|(span, message)| {
            reader.mistake(&span, message.replace('\n', "; "), "a promise is TOML");
            Entries::new()
        });
        let contract = promises_of(&mut reader, &entries, OTHERS);
        let (mut least_share, mut of_catalogue) = (0.0, false);
        for (key, value) in &entries {
            match (key.name.as_str(), &value.item) {
                ("catalogue", Item::Bool(truth)) => of_catalogue = *truth,
                ("share", Item::Real(share)) if (0.0..=1.0).contains(share) => least_share = *share,
                ("share", Item::Int(share @ 0..=1)) => least_share = *share as f64,
                ("catalogue", _) => {
                    reader.mistake(&value.span, "this is not a boolean", "write true or false")
                }
                ("share", _) => {
                    reader.mistake(&value.span, "this is not a share", "write a number from 0 to 1")
                }
                _ => {}
            }
        }
        if !reader.mistakes.is_empty() {
            return Err(LoadError::Contract(reader.mistakes));
        }
        let named = (!contract.op.is_empty()).then_some(&contract.op);
        let op = named.map(|name| op_of(name, Path::new(file), (file, text), catalogue)).transpose()?;
        let content = op.map(|(_, content)| content);
        Ok(Least {
            contract,
            content,
            asked: None,
            unnamed: true,
            catalogue: of_catalogue,
            share: least_share,
        })
    }

    /// In what a kernel promises less.
    pub fn weaker(&self, kernel: &Kernel) -> Vec<Weaker> {
        // whoever asks for anything does not ask to be judged by a rule of the kernel's own
        let asked = |key: &str| {
            key == "policy" || self.asked.as_ref().is_none_or(|asked| asked.iter().any(|a| *a == key))
        };
        // where neither side names it, it is what it computes in, which is said already
        let follows = !self.contract.names("accumulate") && !kernel.contract.names("accumulate");
        let each = PROMISES.iter().filter(|(key, _)| asked(key) && !(follows && *key == "accumulate"));
        each.filter_map(|(key, compare)| {
            let text = compare(kernel, self)?;
            Some(Weaker { key, spot: spot(&kernel.contract, key), text })
        })
        .collect()
    }
}

/// Where a contract says it. `dims`, `where` and `fix` are one promise.
fn spot(contract: &Contract, key: &str) -> Option<Spot> {
    let keys: &[&str] = match key {
        "dims" => &["dims", "fix"],
        "share" => DOMAIN,
        "catalogue" => &["op"],
        "accumulate" => &["accumulate", "compute"],
        _ => &[key],
    };
    keys.iter().find_map(|key| contract.keys.iter().find(|name| name.text == *key)).map(|name| name.spot)
}

/// What a promise says that holds for several kernels: no key of it may concern a launch.
pub(crate) fn promises_of(reader: &mut Reader, entries: &Entries, others: &[&str]) -> Contract {
    for (key, _) in entries.iter().filter(|(key, _)| LAUNCH.contains(&key.name.as_str())) {
        let message = format!("`{}` concerns the launch, which is up to each kernel", key.name);
        reader.mistake(&key.span, message, format!("remove `{}`", key.name));
    }
    Contract::of_entries(reader, entries, Some(others))
}

/// Words of a command line as TOML: `compute=f32,N=..=64,catalogue` is three lines, of which one is a table.
fn toml_of(words: &str) -> String {
    let (mut out, mut dims) = (String::new(), Vec::new());
    for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        let (key, value) = word.split_once('=').map_or((word, "true"), |(k, v)| (k.trim(), v.trim()));
        let plain =
            value.parse::<f64>().is_ok() || ["true", "false"].contains(&value) || value.starts_with('{');
        let value = if plain { value.to_string() } else { format!("{value:?}") };
        match key.starts_with(|c: char| c.is_ascii_uppercase()) {
            true => dims.push(format!("{key} = {value}")),
            false => out.push_str(&format!("{key} = {value}\n")),
        }
    }
    if !dims.is_empty() {
        out.push_str(&format!("dims = {{ {} }}\n", dims.join(", ")));
    }
    out
}

impl Weaker {
    /// With its place in a kernel's file.
    pub(crate) fn diagnostic(&self, kernel: &Kernel, help: String) -> Diagnostic {
        kernel.mistake(
            self.spot.unwrap_or(Spot { line: 1, column: 1 }),
            self.key,
            self.text.clone(),
            Some(help),
        )
    }
}

/// Whether a key says something that promises are compared by.
pub(crate) fn is_compared(key: &str) -> bool {
    PROMISES.iter().any(|(name, _)| *name == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[("half", "op half(x[N]; a = 0.5) -> y[N]\n\ny[n] = x[n] * a\n")];

    #[test]
    fn every_key_is_compared_or_of_the_launch() {
        assert!(PROMISES.is_sorted_by(|a, b| a.0 < b.0) && LAUNCH.is_sorted());
        for key in crate::contract::contract_keys() {
            assert!(is_compared(key) != LAUNCH.contains(&key), "{key}: put it into LAUNCH or PROMISES");
        }
    }

    #[test]
    fn words_are_toml() {
        let text = toml_of("compute=f32, share=0.5,N=..=64,catalogue,M=4,round={}");
        let wanted =
            "compute = \"f32\"\nshare = 0.5\ncatalogue = true\nround = {}\ndims = { N = \"..=64\", M = 4 }\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn only_what_is_named_counts_on_a_command_line() {
        let weak =
            "op = 'half'\nargs = ['x', 'y']\ncompute = 'e5m2'\ndeterministic = false\nfix = { a = 1.0 }\n";
        let kernel = Kernel::of_contract("k", weak, OPS).unwrap();
        let keys = |least: Result<Least, LoadError>| {
            let weaker = least.unwrap_or_else(|e| panic!("{e}")).weaker(&kernel);
            weaker.iter().map(|w| w.key).collect::<Vec<_>>()
        };
        assert_eq!(keys(Least::read("deterministic", OPS)), ["deterministic"]);
        assert_eq!(keys(Least::read("compute=bf16,N=1..", OPS)), ["compute", "fix"]);
        assert_eq!(keys(Least::read("max_registers=64,spills=false", OPS)), ["max_registers", "spills"]);
        let sums = "op = 'half'\nargs = ['x', 'y']\naccumulate = 'bf16'\nround = { y = 'e5m2' }\n";
        let sums = Kernel::of_contract("k", sums, OPS).unwrap();
        let weaker = Least::read("compute=f32", OPS).unwrap().weaker(&sums);
        assert_eq!(weaker.iter().map(|w| w.key).collect::<Vec<_>>(), ["accumulate", "round"]);
        let filled =
            "op = 'half'\nargs = ['x', 'y', 's']\nscratch = { s = 'f32[N]' }\nfill = { y = 0, s = 1 }\n";
        let filled = Kernel::of_contract("k", filled, OPS).unwrap();
        let weaker = |least: Least| least.weaker(&filled).iter().map(|w| w.key).collect::<Vec<_>>();
        assert_eq!(weaker(Least::parse("l.toml", "", OPS).unwrap()), ["fill"]);
        assert_eq!(weaker(Least::parse("l.toml", "fill = { y = 0 }", OPS).unwrap()), [""; 0]);
        assert_eq!(weaker(Least::parse("l.toml", "fill = { y = 0.0 }", OPS).unwrap()), [""; 0]);
        assert_eq!(weaker(Least::parse("l.toml", "fill = { y = 1 }", OPS).unwrap()), ["fill"]);
        assert_eq!(keys(Least::read("catalogue,op=half,share=1,nan=isolate", OPS)), ["share"]);
        assert_eq!(keys(Least::parse("l.toml", "", OPS)), ["compute", "deterministic", "fix"]);
    }
}
