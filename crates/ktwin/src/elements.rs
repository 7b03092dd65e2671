//! Elements of outputs as text: the worst in a table, a map of the errors, and a small matrix whole; inputs of few
//! elements. Makes strings; prints nothing.

use ktwin_check::{ElementReport, InputReport, OutputReport};
use ktwin_num::plural;

/// Columns of a terminal on which a map has expected and got beside it.
pub const WIDE: usize = 150;

/// The signs of a map, and what they say.
const SIGNS: [(char, &str); 3] = [('.', "right"), ('+', "some wrong"), ('#', "all wrong")];

/// What the digits of maps of numbers say.
const LEVELS: &str =
    "`0`-`9` from the least number that is expected to the largest, `<` below, `>` above, `N` no number";

/// An output that is wrong: its worst elements, and a map of the errors.
pub fn output(output: &OutputReport, wide: bool) -> Vec<String> {
    let OutputReport { name, shape, total, failing, worst, .. } = output;
    let mut out =
        vec![format!("{name} {shape:?}: {failing} of {} wrong, the worst:", plural(*total, "element"))];
    let mut rows: Vec<Vec<String>> = vec![["", "expected", "got", "error", "bar"].map(String::from).to_vec()];
    rows.extend(worst.iter().map(|e| cells(name, e).to_vec()));
    out.extend(table(&rows).iter().map(|row| format!("  {row}")));
    if *total > 1 {
        out.extend(map(output, wide));
    }
    out
}

/// The inputs of a small case, as NumPy would be given them: `x = [[1, 2.5]], w = [3]`.
pub fn inputs(inputs: &[InputReport]) -> Option<String> {
    let input = |input: &InputReport| format!("{} = {}", input.name, nested(&input.shape, &input.values));
    let all = inputs.iter().map(input).collect::<Vec<_>>().join(", ");
    (!all.is_empty()).then(|| format!("its inputs: {all}"))
}

/// Numbers in brackets, one pair for each dimension.
fn nested(shape: &[usize], values: &[f64]) -> String {
    let [size, inner @ ..] = shape else {
        return values.first().map_or_else(String::new, |value| number(*value, 9));
    };
    let parts = values.chunks((values.len() / size.max(&1)).max(1)).map(|part| nested(inner, part));
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

/// Rows with their cells below one another.
fn table(rows: &[Vec<String>]) -> Vec<String> {
    let across = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..across).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

/// The map of an output with what its signs say, and on a wide terminal the numbers of a small one beside it. A map of
/// one sign shows nothing, and is left out.
fn map(output: &OutputReport, wide: bool) -> Vec<String> {
    let has = |sign: char| output.map.iter().any(|row| row.contains(sign));
    let signs: Vec<String> =
        SIGNS.iter().filter(|(sign, _)| has(*sign)).map(|(sign, says)| format!("`{sign}` {says}")).collect();
    if signs.len() < 2 {
        return Vec::new();
    }
    let framed = |map: &[String]| -> Vec<String> { map.iter().map(|row| format!("|{row}|")).collect() };
    let mut rows = framed(&output.map);
    match &output.levels {
        _ if !wide => {}
        Some(levels) => {
            rows = beside(&rows, levels.each_ref().map(|map| framed(map)));
            rows.push(LEVELS.into());
        }
        None => rows = beside(&rows, numbers(output)),
    }
    rows.push(signs.join(", ") + several(output));
    rows.iter().map(|row| format!("  {row}")).collect()
}

/// Whether a sign of a map is of several elements, in words.
fn several(output: &OutputReport) -> &'static str {
    let signs: usize = output.map.iter().map(|row| row.chars().count()).sum();
    if signs < output.total { "; each sign is of several elements" } else { "" }
}

/// What is expected in each row of a small output, and what was got.
fn numbers(output: &OutputReport) -> [Vec<String>; 2] {
    let columns = output.shape.last().copied().unwrap_or(1).max(1);
    let short = |value: Option<f64>| value.map_or("-".to_string(), |value| number(value, 5));
    let expected = output.whole.iter().map(|e| number(e.expected, 5)).collect::<Vec<_>>();
    let got = output.whole.iter().map(|e| short(e.got)).collect::<Vec<_>>();
    [expected, got].map(|all| {
        let rows: Vec<Vec<String>> = all.chunks(columns).map(<[String]>::to_vec).collect();
        table(&rows)
    })
}

/// The rows of a map, and beside each what is expected there and what was got.
fn beside(map: &[String], [expected, got]: [Vec<String>; 2]) -> Vec<String> {
    let mut rows = vec![vec![String::new(), "expected".into(), "got".into()]];
    let each = map.iter().zip(expected).zip(got);
    rows.extend(each.map(|((map, expected), got)| vec![map.clone(), expected, got]));
    table(&rows)
}

fn cells(name: &str, element: &ElementReport) -> [String; 5] {
    let index: Vec<String> = element.index.iter().map(usize::to_string).collect();
    let place = if index.is_empty() { name.to_string() } else { format!("{name}[{}]", index.join(", ")) };
    let ElementReport { expected, got, error, bar, .. } = element;
    let (expected, got) = match got {
        // integers past 2^53 that f64 cannot tell apart
        Some(got) if got == expected && error.is_some_and(|e| e != 0.0) => {
            (number(*expected, 17), "the same in f64".to_string())
        }
        Some(got) => told_apart(*expected, *got),
        None => (number(*expected, 9), "not written".to_string()),
    };
    [place, expected, got, error.map_or("-".to_string(), |e| number(e, 3)), number(*bar, 3)]
}

/// Two numbers with as many digits as it takes to see that they differ, and at least nine.
fn told_apart(a: f64, b: f64) -> (String, String) {
    let shown = |digits: usize| (number(a, digits), number(b, digits));
    let apart = (9..=17).map(shown).find(|(x, y)| x != y);
    apart.unwrap_or_else(|| shown(9))
}

/// A number with so many significant digits, in whichever form is shorter.
fn number(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    // whole numbers as they are, as long as f64 holds each of them
    if digits >= 9 && x.fract() == 0.0 && x.abs() < 9e15 {
        return format!("{x}");
    }
    let magnitude = x.abs().log10().floor();
    if (-4.0..9.0).contains(&magnitude) {
        let after = (digits as f64 - 1.0 - magnitude).max(0.0) as usize;
        let text = format!("{x:.after$}");
        return if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').into()
        } else {
            text
        };
    }
    format!("{x:.*e}", digits - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_differ_look_different() {
        let next = f64::from_bits(2.5f64.to_bits() + 1);
        let (a, b) = told_apart(2.5, next);
        assert_ne!(a, b);
        assert_eq!(told_apart(2.5, 2.5), ("2.5".to_string(), "2.5".to_string()));
    }

    #[test]
    fn integers_that_f64_holds_alike_are_not_shown_as_equal() {
        let large = f64::from(1u32 << 31) * f64::from(1u32 << 29);
        let element =
            ElementReport { index: vec![2], expected: large, got: Some(large), error: Some(1.0), bar: 0.0 };
        let shown = cells("y", &element);
        assert_eq!((&*shown[0], &*shown[2], &*shown[3]), ("y[2]", "the same in f64", "1"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.0, 9), "0");
        assert_eq!(number(1.5, 9), "1.5");
        assert_eq!(number(-1234.0, 3), "-1234");
        assert_eq!(number(1.25e-7, 3), "1.25e-7");
        assert_eq!(
            (number(1_103_189_120.0, 9), number(1e30, 9)),
            ("1103189120".into(), "1.00000000e30".into())
        );
        assert_eq!(number(f64::NAN, 3), "NaN");
    }

    #[test]
    fn inputs_are_in_the_brackets_of_their_shapes() {
        let input = |name: &str, shape: &[usize], values: &[f64]| InputReport {
            name: name.into(),
            shape: shape.to_vec(),
            values: values.to_vec(),
        };
        let all = [
            input("x", &[2, 2], &[1.0, f64::from(-0.1f32), f64::NAN, 0.0]),
            input("w", &[1], &[3.5]),
            input("s", &[], &[2.0]),
        ];
        let due = "its inputs: x = [[1, -0.100000001], [NaN, 0]], w = [3.5], s = 2";
        assert_eq!(inputs(&all), Some(due.to_string()));
        assert_eq!(inputs(&[]), None);
    }

    /// A matrix of which one element is wrong.
    fn matrix() -> OutputReport {
        let element = |index: [usize; 2], got: f64| ElementReport {
            index: index.to_vec(),
            expected: 1.0,
            got: Some(got),
            error: Some(got - 1.0),
            bar: 0.0,
        };
        OutputReport {
            name: "y".into(),
            shape: vec![2, 2],
            total: 4,
            failing: 1,
            worst: vec![element([1, 0], 3.5)],
            map: vec!["..".into(), "#.".into()],
            histogram: vec![3, 0, 1],
            levels: None,
            whole: [([0, 0], 1.0), ([0, 1], 1.0), ([1, 0], 3.5), ([1, 1], 1.0)]
                .map(|(index, got)| element(index, got))
                .to_vec(),
        }
    }

    #[test]
    fn a_map_says_what_its_signs_mean() {
        let lines = output(&matrix(), false);
        assert_eq!(lines[3..], ["  |..|", "  |#.|", "  `.` right, `#` all wrong"]);
        // a map of one sign shows nothing
        let all = OutputReport { map: vec!["##".into()], ..matrix() };
        assert_eq!(output(&all, true).len(), 3);
    }

    #[test]
    fn a_wide_terminal_shows_a_small_matrix_beside_its_map() {
        let wide = output(&matrix(), true);
        let due = ["        expected  got", "  |..|  1  1      1    1", "  |#.|  1  1      3.5  1"];
        assert_eq!(wide[3..6], due, "{wide:#?}");
        assert!(!output(&matrix(), false).contains(&due[0].to_string()));
    }
}
