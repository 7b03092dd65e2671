//! The `kernels!` macro: one `#[test]` for each kernel that a pattern finds. It reads the names of files
//! when the test is compiled and nothing else.

use std::path::{Path, PathBuf};

use proc_macro::{TokenStream, TokenTree};

/// One `#[test]` for each kernel that the pattern finds, relative to the package's folder:
/// `ktwin::kernels!("kernels/**/*.wgsl");`. A pattern that finds nothing does not compile. Methods of
/// `ktwin::KernelTest` may follow: `ktwin::kernels!("kernels/**/*.wgsl", quick());`
///
/// A kernel that is changed or removed is noticed by the compiler. One that is added since is tested by the test
/// `added_to_…`, under its name in the output. It gets a test of its own where a `build.rs` names the folder:
///
/// ```text
/// fn main() {
///     println!("cargo::rerun-if-changed=kernels");
/// }
/// ```
#[proc_macro]
pub fn kernels(input: TokenStream) -> TokenStream {
    let made = generate(input).unwrap_or_else(|message| format!("::core::compile_error!({message:?});"));
    made.parse().unwrap_or_default()
}

fn generate(input: TokenStream) -> Result<String, String> {
    let mut tokens = input.into_iter();
    let pattern = match tokens.next() {
        Some(TokenTree::Literal(literal)) => literal.to_string().trim_matches('"').to_string(),
        _ => return Err("write a pattern in quotes: kernels!(\"kernels/**/*.wgsl\")".to_string()),
    };
    let mut methods = String::new();
    if let Some(TokenTree::Punct(comma)) = tokens.next() {
        if comma.as_char() != ',' {
            return Err("write a comma and methods after the pattern: kernels!(\"…\", quick())".to_string());
        }
        let rest: TokenStream = tokens.collect();
        if !rest.is_empty() {
            methods = format!(".{rest}");
        }
    }
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let files = find(&root, &pattern)?;
    if files.is_empty() {
        return Err(format!("no kernels match {pattern} in {}", root.display()));
    }
    let mut names: Vec<String> = Vec::new();
    let known: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let mut out = String::new();
    for file in files {
        let mut name = name_of(file.strip_prefix(&root).unwrap_or(&file));
        while names.contains(&name) {
            name.push('_');
        }
        let path = file.display().to_string();
        // naming the file makes the compiler look at it again when it changes
        out.push_str(&format!(
            "#[test] fn {name}() {{ const _: &[u8] = include_bytes!({path:?}); \
             ::ktwin::kernel({path:?}){methods}.check(); }}\n"
        ));
        names.push(name);
    }
    // the compiler cannot be told to look at a folder again, so the test does
    out.push_str(&format!(
        "#[test] fn added_to_{}() {{ for file in ::ktwin::added({:?}, {pattern:?}, &{known:?}) {{ \
         println!(\"{{}}\", file.display()); ::ktwin::kernel(&file){methods}.check(); }} }}\n",
        name_of(Path::new(&pattern.replace('*', ""))),
        root.display().to_string()
    ));
    Ok(out)
}

fn find(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let whole = root.join(pattern);
    let found = glob::glob(&whole.to_string_lossy()).map_err(|e| format!("{pattern}: {e}"))?;
    let mut files: Vec<PathBuf> = found.flatten().filter(|p| p.is_file()).collect();
    files.sort();
    Ok(files)
}

/// A path as the name of a function: its parts below, joined, without what a name cannot hold.
fn name_of(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.trim_start_matches(['.', '/']);
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}
