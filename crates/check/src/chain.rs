//! The launches of a case: the kernels of a chain, each as often as its loops say and where its conditions hold. And
//! what is wrong with those loops.

use ktwin_lang::{Case as OpCase, Expression, Value};

use crate::contract::{Contract, Counter, Expr, Link, Repeated};
use crate::kernel::Kernel;

/// The most launches of a case, and the most turns of all loops.
const MOST: usize = 4096;

/// One launch: its kernel, and the number of each counter of the chain.
pub(crate) type Started<'k> = (&'k Link, Vec<Value>);

impl Contract {
    /// The names of all counters of the chain, each once. Expressions know their numbers after the op's scalars.
    pub(crate) fn counters(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for counter in self.chain.iter().flat_map(|link| &link.repeated.counters) {
            if !names.contains(&counter.name.text.as_str()) {
                names.push(&counter.name.text);
            }
        }
        names
    }
}

impl Kernel {
    /// What is launched in a case, in order.
    pub(crate) fn launches(&self, at: &OpCase) -> Result<Vec<Started<'_>>, String> {
        let names = self.contract.counters();
        let numbers = vec![Value::Int(0); names.len()];
        let mut walk = Walk { kernel: self, at, names, numbers, turns: 0, out: Vec::new() };
        walk.through(&self.contract.chain, 0)?;
        Ok(walk.out)
    }
}

struct Walk<'a, 'k> {
    kernel: &'k Kernel,
    at: &'a OpCase<'a>,
    names: Vec<&'k str>,
    numbers: Vec<Value>,
    turns: usize,
    out: Vec<Started<'k>>,
}

impl<'k> Walk<'_, 'k> {
    /// Links in order; those that share the loop at this depth are neighbours, and go through it together.
    fn through(&mut self, mut links: &'k [Link], depth: usize) -> Result<(), String> {
        while let Some(first) = links.first() {
            let Some(counter) = first.repeated.counters.get(depth) else {
                if self.is_due(first)? {
                    self.out.push((first, self.numbers.clone()));
                }
                links = &links[1..];
                continue;
            };
            let shares = |link: &&Link| {
                link.repeated.counters.get(depth).is_some_and(|own| own.name.spot == counter.name.spot)
            };
            let (inside, after) = links.split_at(links.iter().take_while(shares).count());
            self.turn(counter, inside, depth)?;
            links = after;
        }
        Ok(())
    }

    fn turn(&mut self, counter: &'k Counter, inside: &'k [Link], depth: usize) -> Result<(), String> {
        let (from, to) = (self.whole(&counter.from)?, self.whole(&counter.to)?);
        let number = self.names.iter().position(|name| *name == counter.name.text);
        let number = number.ok_or_else(|| format!("no counter `{}`", counter.name.text))?;
        let outer = self.numbers[number];
        for turn in from..to {
            self.turns += 1;
            if self.turns > MOST {
                return Err(format!(
                    "`{} in {}..{}`: more than {MOST} launches in one case (line {})",
                    counter.name.text, counter.from.text, counter.to.text, counter.name.spot.line
                ));
            }
            self.numbers[number] = Value::Int(turn);
            self.through(inside, depth + 1)?;
        }
        self.numbers[number] = outer;
        Ok(())
    }

    fn whole(&self, expr: &Expr) -> Result<i64, String> {
        self.kernel.whole_beside(expr, self.at, &self.numbers)
    }

    fn is_due(&self, link: &Link) -> Result<bool, String> {
        for expr in &link.repeated.when {
            if self.kernel.value_beside(expr, self.at, &self.numbers)? != Value::Bool(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What an expression names that is not known where it stands, and what to write instead.
pub(crate) fn unknown_here(
    kernel: &Kernel,
    parsed: &Expression,
    repeated: &Repeated,
    placed: bool,
) -> Option<(String, String)> {
    let names = kernel.contract.counters();
    let beside = parsed.scalars().into_iter().filter_map(|s| s.checked_sub(kernel.op.scalars.len()));
    let known = |name: &str| repeated.counters.iter().any(|counter| counter.name.text == name);
    beside.into_iter().find_map(|number| match names.get(number) {
        Some(name) if known(name) => None,
        Some(name) => Some((
            format!("`{name}` counts only within its own `repeat`"),
            "write the `repeat` around this launch as well, or a number of its own".to_owned(),
        )),
        None if placed => None,
        None => Some((
            "where a tensor lies is not known here".to_owned(),
            "compute with sizes and scalars here, and put strides and offsets into `args`, `push` or the `fill` of a \
             scratch buffer"
                .to_owned(),
        )),
    })
}

/// Why a counter cannot have its name.
pub(crate) fn taken(kernel: &Kernel, counter: &Counter) -> Option<String> {
    let (op, name) = (&kernel.op, &counter.name.text);
    let tensor = op.inputs.iter().chain(&op.outputs).any(|info| info.name == *name);
    let what = match () {
        () if op.dim(name).is_some() => "dimension",
        () if op.scalar(name).is_some() => "scalar",
        () if tensor => "tensor",
        () if kernel.contract.define.iter().any(|(own, _)| own.text == *name) => "constant of `define`",
        () => return None,
    };
    Some(format!("`{name}` is a {what} already"))
}

#[cfg(test)]
mod tests {
    use ktwin_lang::Value;

    use crate::kernel::Kernel;

    const COPY: &str = "op copy(x[N]) -> y[N]\ny[n] = x[n]\n";

    fn kernel(chain: &str) -> Result<Kernel, String> {
        let text = format!("op = 'copy'\nchain = [{chain}]\n");
        Kernel::of_contract("k", &text, &[("copy", COPY)]).map_err(|e| e.to_string())
    }

    /// The launches with N = 10: each entry, and its counters' numbers.
    fn started(chain: &str) -> Result<Vec<(String, Vec<i64>)>, String> {
        let kernel = kernel(chain)?;
        let at = kernel.op.bind(&[("N", 10)], &[]).unwrap();
        let whole = |v: &Value| if let Value::Int(v) = v { *v } else { panic!("{v}") };
        let of = |(link, numbers): super::Started| (link.entry.clone(), numbers.iter().map(whole).collect());
        kernel.launches(&at).map(|all| all.into_iter().map(of).collect())
    }

    fn link(entry: &str, more: &str) -> String {
        format!("{{ entry = '{entry}', args = ['x', 'y'], grid = [1]{more} }}")
    }

    fn named(wanted: &[(&str, &[i64])]) -> Vec<(String, Vec<i64>)> {
        wanted.iter().map(|(entry, numbers)| ((*entry).to_owned(), numbers.to_vec())).collect()
    }

    #[test]
    fn loops_are_gone_through_in_order() {
        let one = [link("a", ""), link("b", ", repeat = 's in 1..N // 3'")].join(", ");
        assert_eq!(started(&one).unwrap(), named(&[("a", &[0]), ("b", &[1]), ("b", &[2])]));
        // an inner loop knows the number of the outer one
        let nested = link("a", ", repeat = ['p in 0..3', 'q in 0..p']");
        assert_eq!(started(&nested).unwrap(), named(&[("a", &[1, 0]), ("a", &[2, 0]), ("a", &[2, 1])]));
        let (a, b) = (link("a", ", when = 's % 2 == 0'"), link("b", ", when = 's % 2 == 1'"));
        let group =
            format!("{{ repeat = 's in 0..3', chain = [{a}, {b}] }}, {}", link("c", ", when = 'N > 10'"));
        assert_eq!(started(&group).unwrap(), named(&[("a", &[0]), ("b", &[1]), ("a", &[2])]));
        // two loops of one name are two loops, not one around both
        let twice = [link("a", ", repeat = 's in 0..2'"), link("b", ", repeat = 's in 0..2'")].join(", ");
        let all = named(&[("a", &[0]), ("a", &[1]), ("b", &[0]), ("b", &[1])]);
        assert_eq!(started(&twice).unwrap(), all);
    }

    #[test]
    fn loops_that_make_no_sense_are_refused() {
        let refused = |chain: &str| started(chain).unwrap_err();
        let cases = [
            (link("a", ", repeat = 's in 0..5000'"), "more than 4096 launches"),
            (link("a", ", repeat = 's in 0..=5'"), "the end of a range is excluded"),
            (link("a", ", repeat = 'five times'"), "`five times` is not a loop"),
            (link("a", ", repeat = 'N in 0..5'"), "`N` is a dimension already"),
            (link("a", ", repeat = 's in 0..5', when = 's + 1'"), "this is an integer, not a comparison"),
            (
                format!("{}, {}", link("a", ", repeat = 's in 0..5'"), link("b", ", when = 's > 1'")),
                "only within",
            ),
            (format!("{{ chain = [{}] }}", link("a", "")), "a chain within a chain"),
            (format!("{{ repeat = 's in 0..2', entry = 'a', chain = [{}] }}", link("a", "")), "`entry`"),
        ];
        for (chain, wanted) in cases {
            let message = refused(&chain);
            assert!(message.contains(wanted), "{chain}: {message}");
        }
    }
}
