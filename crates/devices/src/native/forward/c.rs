//! Functions of C: called by name, so that the compiler counts the parameters and converts the values.

use ktwin_check::{Argument, Failure};

use super::super::shim::{Call, call};

pub const BEFORE: &str = "#include <stdbool.h>\n#include <stdint.h>\n\
    #pragma GCC diagnostic error \"-Wint-conversion\"\n\
    #pragma GCC diagnostic error \"-Wimplicit-function-declaration\"\n";

pub fn one(number: usize, entry: &str, args: &[Argument], buffers: &[String]) -> Result<String, Failure> {
    let Call { declared, result, parameters, keep, values } = call(number, args, buffers)?;
    // the kernel's own struct has another name than the contract's; a call through a pointer does not compare them
    let (to, pointer) = if declared.is_empty() {
        (entry, String::new())
    } else {
        ("to", format!("{result} (*volatile to)({parameters}) = ({result} (*)({parameters}))({entry}); "))
    };
    let symbol = super::symbol(number);
    // what is `inline` alone is not there until a declaration without that word
    let offered = format!("__attribute__((visibility(\"default\"))) void {symbol}(void **a)");
    let body = format!("(void)a; {pointer}{keep}{to}({values});");
    Ok(format!("extern __typeof__({entry}) {entry};\n{declared}{offered} {{ {body} }}\n"))
}
