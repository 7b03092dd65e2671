//! The judge's side of a contract: what kernels are held to, whoever wrote them. Of a kernel's own contract
//! only what concerns the launch counts.

use std::path::Path;

use ktwin_lang::{Diagnostic, Op};

use crate::contract::reader::Reader;
use crate::contract::tree::Entries;
use crate::contract::{Contract, LAUNCH, Name, tree};
use crate::kernel::{Catalogue, Kernel, LoadError, diagnostic, op_of};
use crate::languages::SourceKind;
use crate::least::{Least, is_compared, promises_of};
use crate::plan::{self, Domain};
use crate::problem::Problem;
use crate::promise::Content;
use crate::source::Source;

/// What kernels are held to.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The promise. What it rounds further, a form and fast functions are allowed: they count for kernels
    /// that claim them.
    pub contract: Contract,
    /// What is computed.
    pub op: Op,
    /// What that is known by.
    pub content: Content,
    /// More forms of the op that kernels may claim.
    pub forms: Vec<String>,
    /// How kernels are called that are functions in Python, where they are.
    pub problem: Option<Problem>,
}

impl Terms {
    /// Reads the terms of a file: the keys of a contract, without those of the launch.
    pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Terms, LoadError> {
        let file = path.display().to_string();
        let text = crate::read::text(path).map_err(|e| LoadError::File(format!("{file}: {e}")))?;
        let mut reader = Reader::new(&file, &text, &text);
        let entries = tree::parse(&text).unwrap_or_else(|(span, message)| {
            reader.mistake(&span, message.replace('\n', "; "), "a contract is TOML");
            Entries::new()
        });
        Terms::of_entries(reader, &entries, &[], catalogue)
    }

    /// The language of a file: under a problem, Python's are functions and not kernels of Triton.
    pub fn language_of(&self, path: &Path) -> Option<SourceKind> {
        let python = self.problem.is_some() && path.extension().is_some_and(|extension| extension == "py");
        if python { Some(SourceKind::Python) } else { SourceKind::of_path(path) }
    }

    /// The terms that stand among other keys.
    pub(crate) fn of_entries(
        mut reader: Reader,
        entries: &Entries,
        others: &[&str],
        catalogue: &Catalogue,
    ) -> Result<Terms, LoadError> {
        let contract = promises_of(&mut reader, entries, others);
        let (file, text) = (reader.file, reader.whole);
        if contract.op.is_empty() && reader.mistakes.is_empty() {
            reader.mistake(&(0..0), "`op` is missing", "write op = \"rmsnorm\", or the path of an .op file");
        }
        if !reader.mistakes.is_empty() {
            return Err(LoadError::Contract(reader.mistakes));
        }
        let (op, content) = op_of(&contract.op, Path::new(file), (file, text), catalogue)?;
        let terms = Terms { contract, op, content, forms: Vec::new(), problem: None };
        let source = Source { kind: SourceKind::Closure, path: file.into(), bytes: Vec::new() };
        let alone = terms.kernel(file, source, terms.contract.clone(), (file, text))?;
        let mut mistakes = crate::sound::promises(&alone);
        if let Some(why) = Domain::of(&alone).err().filter(|_| mistakes.is_empty()) {
            mistakes.push(nothing(&alone, &why));
        }
        let contract = &alone.contract;
        if let Some(why) = plan::possible(&alone).err().filter(|_| mistakes.is_empty()) {
            let help = Some("ask for an op, or for sizes, whose smallest case is less work".into());
            mistakes.push(alone.mistake(contract.op.spot, &contract.op, why, help));
        }
        if mistakes.is_empty() { Ok(terms) } else { Err(LoadError::Contract(mistakes)) }
    }

    /// A kernel of these terms that nothing was asked of yet.
    fn kernel(
        &self,
        name: &str,
        source: Source,
        contract: Contract,
        (file, text): (&str, &str),
    ) -> Result<Kernel, LoadError> {
        Kernel::unchecked(name, source, contract, (file, text), (self.op.clone(), self.content.clone()))
    }

    /// The contract that governs a kernel, made of these terms and of its own.
    pub(crate) fn governing(
        &self,
        own: &Contract,
        source: &Source,
        (file, text): (&str, &str),
        catalogue: &Catalogue,
    ) -> Result<Contract, LoadError> {
        let refused = |name: &Name, message: String, help: &str| {
            let help = Some(help.to_string());
            LoadError::Contract(vec![diagnostic(file, text, name.spot, name, message, help)])
        };
        if own.names("op") {
            // the contents of a file that is not its own are nobody's business
            let named = op_of(&own.op, &source.path, (file, text), catalogue);
            if !named.is_ok_and(|(_, content)| content.hash == self.content.hash) {
                let message = format!("this is not {}, the op that was asked for", self.op.name);
                return Err(refused(&own.op, message, "remove `op`: what is computed is set by the task"));
            }
        }
        if let Some(form) = own.form.as_ref().filter(|form| !self.allows(form)) {
            let message = format!("form `{}` is not allowed here", form.text);
            return Err(refused(
                form,
                message,
                "remove `form`, and compute as the op or an `also` of it says",
            ));
        }
        let unknown = |key: &str| !LAUNCH.contains(&key) && !is_compared(key);
        if let Some(key) = own.keys.iter().find(|key| unknown(key)) {
            let message = format!("`{}` is set by the task", key.text);
            return Err(refused(key, message, "remove it"));
        }
        let claimed = self.kernel(file, source.clone(), self.claimed(own), (file, text))?;
        let mistakes = crate::sound::mistakes(&claimed);
        if !mistakes.is_empty() {
            return Err(LoadError::Contract(mistakes));
        }
        let asked = own.keys.iter().map(|key| key.text.clone());
        let asked = asked.filter(|key| !["op", "form"].contains(&key.as_str())).collect();
        let least = Least {
            contract: self.contract.clone(),
            content: None,
            asked: Some(asked),
            unnamed: true,
            catalogue: false,
            share: 0.0,
        };
        let weaker = least.weaker(&claimed);
        if !weaker.is_empty() {
            let help = |key: &str| format!("remove `{key}`: what is promised is set by the task");
            return Err(LoadError::Contract(
                weaker.iter().map(|w| w.diagnostic(&claimed, help(w.key))).collect(),
            ));
        }
        Ok(self.merged(own))
    }

    fn allows(&self, form: &str) -> bool {
        let named = self.contract.form.as_ref().is_some_and(|own| **own == *form);
        named || self.forms.iter().any(|f| f == form)
    }

    /// The terms with the launch of a kernel.
    fn merged(&self, own: &Contract) -> Contract {
        let mut out = self.contract.clone();
        let key = own.keys.iter().find(|key| LAUNCH.contains(&key.text.as_str()));
        let spot = key.map_or(out.op.spot, |key| key.spot);
        out.op = Name { spot, ..out.op };
        out.keys = own.keys.clone();
        out.chain = own.chain.clone();
        out.tile.extend(own.tile.clone());
        out.define = own.define.clone();
        out.others = own.others.clone();
        out.arch = own.arch.clone();
        out.include = own.include.clone();
        out.scratch = own.scratch.clone();
        out.fill = own.fill.clone();
        // what is allowed counts where it is claimed
        out.round = own.round.clone();
        out.form = own.form.clone();
        out.fast_math = own.fast_math;
        out
    }

    /// The same, with all that the kernel itself says of its promise.
    fn claimed(&self, own: &Contract) -> Contract {
        let mut out = self.merged(own);
        for key in &own.keys {
            match key.text.as_str() {
                "types" => out.types = [own.types.clone(), out.types].concat(),
                "compute" => (out.compute, out.accumulate) = (own.compute, own.accumulate),
                "accumulate" => out.accumulate = own.accumulate,
                "dims" => out.dims = own.dims.clone(),
                "where" => out.limits = own.limits.clone(),
                "fix" => out.fix = own.fix.clone(),
                "layout" => out.layout = own.layout.clone(),
                "inplace" => out.inplace = own.inplace.clone(),
                "deterministic" => out.promises.deterministic = own.promises.deterministic,
                "batch_invariant" => out.promises.batch_invariant = own.promises.batch_invariant,
                "policy" => out.policy = own.policy.clone(),
                "nan" => out.promises.nan = own.promises.nan,
                "robust" => out.robust = own.robust,
                "subgroup" => out.subgroup = own.subgroup.clone(),
                "ties" => out.promises.ties = own.promises.ties,
                _ => {}
            }
        }
        out
    }
}

/// That no case is left of what the terms accept.
fn nothing(terms: &Kernel, why: &str) -> Diagnostic {
    let contract = &terms.contract;
    let limit = contract.limits.first().map(|limit| (limit.spot, limit.text.as_str()));
    let size = contract.dims.first().map(|(name, _)| (name.spot, name.text.as_str()));
    let (spot, word) = limit.or(size).unwrap_or((contract.op.spot, contract.op.text.as_str()));
    let help = "write limits that leave some sizes".to_owned();
    terms.mistake(spot, word, format!("no case is left: {why}"), Some(help))
}
