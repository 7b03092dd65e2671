//! A judge's task as plain data, and reading it: the terms that submissions are held to, how they are tested,
//! and what reports may tell. Runs nothing.

use std::path::Path;

use ktwin_num::did_you_mean;

use crate::contract::reader::Reader;
use crate::contract::tree::{self, Entries, Item, Node};
use crate::kernel::{Catalogue, LoadError};
use crate::languages::{LANGUAGES, SourceKind};
use crate::plan::Level;
use crate::problem::Problem;
use crate::promise::hash_of;
use crate::terms::Terms;

/// What reports may tell beside verdicts and lines: everything else would tell of hidden inputs.
const SHOWN: &[&str] = &["cases", "values"];

/// The keys that are none of a contract.
const KEYS: &[&str] = &[
    "devices",
    "forms",
    "languages",
    "limits",
    "name",
    "plan",
    "problem",
    "secret",
    "secret_file",
    "show",
    "speed",
];

/// The fewest letters of a secret.
const SECRET: usize = 8;

/// What a submission may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskLimits {
    /// Seconds of one launch.
    pub launch: f64,
    /// Seconds of the whole submission, compilers included.
    pub total: f64,
    /// MiB of memory of its processes.
    pub memory: u64,
    /// KiB of its file.
    pub source: u64,
}

impl Default for TaskLimits {
    fn default() -> TaskLimits {
        TaskLimits { launch: 10.0, total: 300.0, memory: 2048, source: 1024 }
    }
}

/// A judge's task.
#[derive(Clone, Debug)]
pub struct Task {
    /// What it is called.
    pub name: String,
    /// What submissions are held to.
    pub terms: Terms,
    /// The devices that they run on, by name; those that run a submission's language.
    pub devices: Vec<String>,
    /// The languages that they may be written in.
    pub languages: Vec<SourceKind>,
    /// How thorough plans are.
    pub plan: Level,
    /// What a submission may use.
    pub limits: TaskLimits,
    /// What reports may tell: `cases` (shapes and regimes of cases that fail, with sentences about them),
    /// `values` (numbers, seeds, all of it).
    pub show: Vec<String>,
    /// Sizes at which what passes is timed, as for `ktwin bench --dims`: all combinations. None where speed ranks
    /// nothing.
    pub speed: Vec<String>,
    /// A hash of all that decides a verdict.
    pub id: String,
    /// The seed of every plan, made of the secret.
    pub seed: u64,
}

impl Task {
    /// Reads a task's file.
    pub fn load(path: &Path, catalogue: &Catalogue) -> Result<Task, LoadError> {
        let file = path.display().to_string();
        let text = crate::read::text(path).map_err(|e| LoadError::File(format!("{file}: {e}")))?;
        Task::parse(&file, &text, catalogue)
    }

    /// Reads a task; `file` is for messages, and for paths that the text names.
    pub fn parse(file: &str, text: &str, catalogue: &Catalogue) -> Result<Task, LoadError> {
        let mut reader = Reader::new(file, text, text);
        let entries = tree::parse(text).unwrap_or_else(|(span, message)| {
            reader.mistake(&span, message.replace('\n', "; "), "a task is TOML");
            Entries::new()
        });
        let mut raw = Raw::default();
        for (key, value) in &entries {
            raw.read(&mut reader, &key.name, value);
        }
        if raw.secret.is_empty() && reader.mistakes.is_empty() {
            let help = "write secret = \"…\" or secret_file = \"…\": seeds are derived from it, so that \
                        nobody can predict the inputs";
            reader.mistake(&(0..0), "a task needs a secret", help);
        }
        let terms = Terms::of_entries(reader, &entries, KEYS, catalogue)?;
        raw.task(text, terms, file)
    }

    /// Whether reports may tell this.
    pub fn shows(&self, what: &str) -> bool {
        self.show.iter().any(|shown| shown == what)
    }
}

/// What the file holds beside the terms.
#[derive(Default)]
struct Raw {
    name: String,
    forms: Vec<(String, std::ops::Range<usize>)>,
    devices: Vec<String>,
    languages: Vec<SourceKind>,
    plan: Level,
    limits: TaskLimits,
    show: Vec<String>,
    speed: Vec<String>,
    secret: Vec<u8>,
    problem: Option<Problem>,
}

impl Raw {
    fn read(&mut self, reader: &mut Reader, key: &str, node: &Node) {
        match key {
            "name" => self.name = reader.text(node, "a name in quotes").unwrap_or_default(),
            "devices" => self.devices = words(reader, node, "a device's name in quotes"),
            "forms" => {
                for one in reader.one_or_more(node) {
                    let name = reader.text(one, "the name of one of the op's forms in quotes");
                    self.forms.extend(name.map(|name| (name, one.span.clone())));
                }
            }
            "languages" => {
                let names: Vec<&str> = LANGUAGES.iter().map(|row| row.name).collect();
                let chosen = chosen(reader, node, "language", &names);
                if chosen.is_empty() && reader.mistakes.is_empty() {
                    reader.mistake(&node.span, "no languages", "remove it: any language is taken then");
                }
                self.languages = chosen.iter().filter_map(|name| SourceKind::of_name(name)).collect();
            }
            "plan" => {
                let chosen = chosen(reader, node, "plan", &Level::ALL.map(Level::name));
                self.plan = chosen.first().and_then(|name| Level::of_name(name)).unwrap_or_default();
            }
            "problem" => self.problem = Problem::read(reader, node),
            "show" => self.show = chosen(reader, node, "thing to show", SHOWN),
            "limits" => self.limits(reader, node),
            "speed" => {
                let sizes = reader.text(node, "sizes in quotes, as in \"M=256 N=1,8 K=512\"");
                self.speed = sizes.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
                if self.speed.is_empty() {
                    reader.mistake(&node.span, "no sizes", "write speed = \"M=256 N=1,8 K=512\"");
                }
            }
            "secret" => {
                let secret = reader.text(node, "a secret in quotes").unwrap_or_default();
                self.secret(reader, node, secret.into_bytes());
            }
            "secret_file" => {
                let Some(path) = reader.text(node, "a path in quotes") else { return };
                let path = Path::new(reader.file).parent().unwrap_or(Path::new("")).join(path);
                match crate::read::bytes(&path) {
                    Ok(bytes) => self.secret(reader, node, bytes.trim_ascii().to_vec()),
                    Err(e) => reader.mistake(&node.span, format!("{}: {e}", path.display()), ""),
                }
            }
            _ => {}
        }
    }

    fn secret(&mut self, reader: &mut Reader, node: &Node, secret: Vec<u8>) {
        if !self.secret.is_empty() {
            reader.mistake(&node.span, "this is a second secret", "keep either `secret` or `secret_file`");
        }
        if secret.iter().filter(|letter| !letter.is_ascii_whitespace()).count() < SECRET {
            let help = format!("write at least {SECRET} letters that nobody can guess");
            reader.mistake(&node.span, "this secret is too short", help);
        }
        self.secret = secret;
    }

    fn limits(&mut self, reader: &mut Reader, node: &Node) {
        const FORM: &str = "limits = { launch = 10, total = 300, memory = 2048, source = 1024 }: \
                            seconds, seconds, MiB, KiB";
        for (key, value) in reader.table(node, FORM) {
            let number = match value.item {
                Item::Int(v) => v as f64,
                Item::Real(v) => v,
                _ => 0.0,
            };
            if !(number > 0.0 && number < 1e9) {
                reader.mistake(&value.span, "this is not a limit", format!("write {FORM}"));
            }
            match key.name.as_str() {
                "launch" => self.limits.launch = number,
                "total" => self.limits.total = number,
                "memory" => self.limits.memory = number as u64,
                "source" => self.limits.source = number as u64,
                _ => reader.unknown(key, "limit", &["launch", "total", "memory", "source"]),
            }
        }
    }

    fn task(self, text: &str, terms: Terms, file: &str) -> Result<Task, LoadError> {
        let mut reader = Reader::new(file, text, text);
        for (form, span) in &self.forms {
            if let Err((message, help)) = terms.op.form(form) {
                reader.mistake(span, message, help);
            }
        }
        if let Some(problem) = &self.problem {
            problem.mistakes(&terms, &mut reader);
            let given = [("languages", self.languages.is_empty()), ("speed", self.speed.is_empty())];
            for (key, _) in given.into_iter().filter(|(_, is_empty)| !is_empty) {
                let message =
                    format!("`{key}` does not go with `problem`: submissions are functions in Python");
                reader.mistake(&problem.span, message, format!("remove `{key}`"));
            }
        }
        if !reader.mistakes.is_empty() {
            return Err(LoadError::Contract(reader.mistakes));
        }
        let version = env!("CARGO_PKG_VERSION");
        let content = self.problem.as_ref().map_or(Vec::new(), Problem::content);
        let id = [text.as_bytes(), terms.content.hash.as_bytes(), &self.secret, version.as_bytes(), &content];
        let seed = hash_of(&[b"seed", &self.secret, terms.content.hash.as_bytes()]);
        let all = || match self.problem {
            Some(_) => vec![SourceKind::Python],
            None => LANGUAGES.iter().map(|row| row.kind).collect(),
        };
        let languages = if self.languages.is_empty() { all() } else { self.languages };
        let forms = self.forms.into_iter().map(|(form, _)| form).collect();
        Ok(Task {
            name: if self.name.is_empty() { terms.op.name.clone() } else { self.name },
            id: hash_of(&id),
            // as much as a number in JSON holds
            seed: u64::from_str_radix(&seed[..13], 16).unwrap_or(0),
            terms: Terms { forms, problem: self.problem, ..terms },
            devices: self.devices,
            languages,
            plan: self.plan,
            limits: self.limits,
            show: self.show,
            speed: self.speed,
        })
    }
}

fn words(reader: &mut Reader, node: &Node, wanted: &str) -> Vec<String> {
    let list = reader.some(node);
    list.into_iter().filter_map(|one| reader.text(one, wanted)).collect()
}

/// Words out of a list of known ones.
fn chosen(reader: &mut Reader, node: &Node, what: &str, known: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    for one in reader.one_or_more(node) {
        let Some(word) = reader.text(one, &format!("one of {}, in quotes", known.join(", "))) else {
            continue;
        };
        if !known.contains(&word.as_str()) {
            let near = did_you_mean(&word, known.iter().copied());
            let message = format!("no {what} `{word}`{near}");
            reader.mistake(&one.span, message, format!("write one of {}", known.join(", ")));
        }
        out.push(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[("half", "op half(x[N]) -> y[N]\n\ny[n] = x[n] / 2\n")];
    const TASK: &str = "op = 'half'\nsecret = 'nobody knows'\ntypes = { x = 'f16' }\nlanguages = ['c', 'wgsl']\n\
                        limits = { launch = 2.5, memory = 64 }\nshow = 'cases'\nplan = 'quick'\n";

    fn parse(text: &str) -> Result<Task, String> {
        Task::parse("task.toml", text, OPS).map_err(|e| e.to_string())
    }

    #[test]
    fn a_task_is_read() {
        let task = parse(TASK).unwrap();
        assert_eq!(task.languages, [SourceKind::C, SourceKind::Wgsl]);
        assert_eq!((task.limits.launch, task.limits.memory, task.limits.source), (2.5, 64, 1024));
        assert!(task.plan == Level::Quick && task.shows("cases") && !task.shows("values"));
        assert_eq!(task.name, "half");
    }

    #[test]
    fn seeds_are_those_of_the_secret() {
        let other = parse(&TASK.replace("nobody knows", "somebody knows")).unwrap();
        let (one, same) = (parse(TASK).unwrap(), parse(TASK).unwrap());
        assert_eq!((one.seed, &one.id), (same.seed, &same.id));
        assert!(one.seed != other.seed && one.id != other.id);
        assert!(one.id != parse(&TASK.replace("quick", "full")).unwrap().id);
    }

    #[test]
    fn every_mistake_has_its_words() {
        for (from, to, says) in [
            ("secret = 'nobody knows'\n", "", "a task needs a secret"),
            ("nobody knows", "abc", "this secret is too short"),
            ("nobody knows", "   a b c d    ", "this secret is too short"),
            ("op = 'half'", "", "`op` is missing"),
            ("'half'", "'halve'", "no op `halve`, did you mean `half`?"),
            ("['c', 'wgsl']", "['c', 'wgls']", "no language `wgls`, did you mean `wgsl`?"),
            ("launch", "lunch", "unknown limit `lunch`"),
            ("64", "-1", "this is not a limit"),
            ("'quick'", "'fast'", "no plan `fast`"),
            ("plan", "plam", "unknown key `plam`, did you mean `plan`?"),
            ("plan = 'quick'", "args = ['x']", "`args` concerns the launch"),
            ("languages = ['c', 'wgsl']", "languages = []", "no languages"),
            ("plan = 'quick'", "secret_file = 'Cargo.toml'", "this is a second secret"),
            ("plan = 'quick'", "forms = ['other']", "op `half` has no form `other`"),
            ("{ x =", "{ z =", "op half has no tensor `z`"),
        ] {
            let said = parse(&TASK.replace(from, to)).err().unwrap_or_default();
            assert!(said.contains(says), "{to}: {said}");
        }
    }
}
