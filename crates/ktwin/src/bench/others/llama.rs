//! What llama.cpp's `test-backend-ops perf` prints: lines for people, or CSV with `--output csv`.

use super::{Other, rate};

const FROM: &str = "llama.cpp";
/// Its GB are 2^30 bytes.
const GIB: f64 = 1.073_741_824;

/// The lines of a console, as in `OP(params):  4096 runs -  12.50 us/run -  8.39 kFLOP/run -  1.20 GFLOPS`; nothing
/// where none is such.
pub fn console(text: &str) -> Option<Vec<Other>> {
    let all: Vec<Other> = text.lines().filter_map(line).collect();
    (!all.is_empty()).then_some(all)
}

fn line(line: &str) -> Option<Other> {
    let line = plain(line);
    let (name, figures) = line.rsplit_once("): ")?;
    let mut parts = figures.split(" - ").map(str::trim);
    let runs = parts.next()?.strip_suffix("runs")?;
    runs.trim().parse::<u64>().ok()?;
    let us: f64 = parts.next()?.strip_suffix("us/run")?.trim().parse().ok()?;
    let (number, unit) = parts.nth(1).unwrap_or_default().split_once(' ').unwrap_or_default();
    let number = number.trim().parse::<f64>().ok();
    let of = |units: &[(&str, f64)]| {
        units.iter().find(|(name, _)| *name == unit.trim()).and_then(|(_, scale)| rate(number, *scale))
    };
    let flops = [("TFLOPS", 1e3), ("GFLOPS", 1.0), ("MFLOPS", 1e-3), ("kFLOPS", 1e-6), ("KFLOPS", 1e-6)];
    Some(Other {
        name: format!("{})", name.trim_start()),
        from: FROM,
        ns: us * 1e3,
        gflops: of(&flops),
        gbytes: of(&[("GB/s", GIB)]),
        gitems: None,
    })
}

/// A line without what colours it.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// The rows of its CSV, whose columns the first line names; nothing where it is another table.
pub fn csv(text: &str) -> Option<Vec<Other>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let heads = cells(lines.next()?);
    let at = |name: &str| heads.iter().position(|head| head == name);
    let (op, params, us) = (at("op_name")?, at("op_params")?, at("time_us")?);
    let (flops, bytes, mode) = (at("flops"), at("bandwidth_gb_s"), at("test_mode"));
    let row = |line: &str| {
        let cells = cells(line);
        let number = |at: Option<usize>| cells.get(at?)?.parse::<f64>().ok();
        if mode.is_some_and(|mode| cells.get(mode).is_some_and(|mode| mode != "perf")) {
            return None;
        }
        Some(Other {
            name: format!("{}({})", cells.get(op)?, cells.get(params)?),
            from: FROM,
            ns: number(Some(us))? * 1e3,
            gflops: rate(number(flops), 1e-9),
            gbytes: rate(number(bytes), GIB),
            gitems: None,
        })
    };
    Some(lines.filter_map(row).collect())
}

/// The cells of a line of CSV: quoted where they hold commas, with two quotation marks for one.
fn cells(line: &str) -> Vec<String> {
    let (mut all, mut cell, mut inside) = (Vec::new(), String::new(), false);
    let mut signs = line.trim_end_matches('\r').chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if inside && signs.peek() == Some(&'"') => {
                signs.next();
                cell.push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => all.push(std::mem::take(&mut cell)),
            sign => cell.push(sign),
        }
    }
    all.push(cell);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_console_are_read_with_their_colours() {
        let text = "Testing 1 devices\n\nBackend 1/1: CPU\n  Device description: a CPU\n\n  \
            MUL_MAT(type_a=f32,type_b=f32,m=16,n=1,k=256,bs=[1,1]):          4092 runs -    12.50 us/run -   \
            8.39 kFLOP/run - \u{1b}[1;34m  1.20 GFLOPS\u{1b}[0m\n  \
            ADD(type=f32,ne=[4096,1,1,1]):       8192 runs -     2.00 us/run -       48 kB/run - \
            \u{1b}[1;34m  10.00 GB/s\u{1b}[0m\n  CONV(type=f32): not supported\n  Backend CPU: OK\n";
        let all = console(text).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].name, "MUL_MAT(type_a=f32,type_b=f32,m=16,n=1,k=256,bs=[1,1])");
        assert_eq!((all[0].ns, all[0].gflops, all[0].gbytes), (12_500.0, Some(1.2), None));
        assert_eq!((all[1].ns, all[1].gflops, all[1].gbytes), (2000.0, None, Some(10.0 * GIB)));
        assert!(console("  a: 3 runs\nMUL(x): many runs - 1 us/run - 2 kB/run - 3 GB/s\n").is_none());
    }

    #[test]
    fn rows_of_csv_are_read_by_the_names_of_their_columns() {
        let text = "test_time,build_commit,backend_name,op_name,op_params,test_mode,supported,passed,error_message,\
            time_us,flops,bandwidth_gb_s,memory_kb,n_runs,device_description,backend_reg_name\n\
            \"2026-01-01T00:00:00Z\",\"abc\",\"CPU\",\"MUL_MAT\",\"type_a=f32,m=16,k=\"\"256\"\"\",\"perf\",\"1\",\
            \"1\",\"\",\"12.500000\",\"1500000000.000000\",\"0.000000\",\"0\",\"4092\",\"\",\"CPU\"\n\
            \"2026-01-01T00:00:00Z\",\"abc\",\"CPU\",\"ADD\",\"type=f32\",\"test\",\"1\",\"1\",\"\",\"3\",\"0\",\"0\",\
            \"0\",\"1\",\"\",\"CPU\"\n";
        let all = csv(text).unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].name, "MUL_MAT(type_a=f32,m=16,k=\"256\")");
        assert_eq!((all[0].ns, all[0].gflops, all[0].gbytes), (12_500.0, Some(1.5), None));
        assert!(csv("a,b\n1,2\n").is_none() && csv("").is_none());
    }
}
