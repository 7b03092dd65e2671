//! The catalogue, one line an op, no wider than the terminal.

use ktwin::catalogue;

use crate::outcome::Failure;
use crate::wrap;

/// The whole list.
pub fn catalogue() -> Result<String, Failure> {
    let width = wrap::columns();
    let mut rows = Vec::new();
    for (name, _) in catalogue::OPS {
        let op = catalogue::op(name)?;
        rows.push((*name, op.summary().to_string()));
    }
    let hint = if width.is_some() { "\nktwin ops NAME explains one of them\n" } else { "" };
    Ok(lines(&rows, width) + hint)
}

fn lines(rows: &[(&str, String)], width: Option<usize>) -> String {
    let column = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let line = |(name, summary): &(&str, String)| {
        let line = format!("{name:column$}  {summary}");
        match width {
            Some(width) if line.chars().count() > width && width > 1 => {
                line.chars().take(width - 1).collect::<String>() + "…\n"
            }
            _ => line + "\n",
        }
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_cut_at_the_width() {
        let rows = [("add", "sum of two".to_string()), ("rmsnorm", "normalisation".to_string())];
        assert_eq!(lines(&rows, None), "add      sum of two\nrmsnorm  normalisation\n");
        assert_eq!(lines(&rows, Some(14)), "add      sum …\nrmsnorm  norm…\n");
    }
}
