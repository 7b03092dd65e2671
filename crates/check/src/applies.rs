//! Keys of a contract that only some languages have, and one that CUDA needs.

use ktwin_lang::Diagnostic;

use crate::contract::Spot;
use crate::kernel::Kernel;

/// What does not go with the kernel's language.
pub fn mistakes(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut check = Check { kernel, found: Vec::new() };
    check.cuda();
    check.subgroup();
    check.pushed();
    check.found
}

struct Check<'a> {
    kernel: &'a Kernel,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    /// A mistake of the whole contract, told where it names its op.
    fn mistake(&mut self, message: String, help: &str) {
        let op = &self.kernel.contract.op;
        self.found.push(self.kernel.mistake(op.spot, op, message, Some(help.to_owned())));
    }

    /// Subgroups have as many lanes as a power of two, and only GPUs have any.
    fn subgroup(&mut self) {
        let contract = &self.kernel.contract;
        if let Some(lanes) = contract.subgroup.iter().find(|n| !(1..=128).contains(*n) || n.count_ones() != 1)
        {
            let message = format!("`subgroup = {lanes}` is not a power of two up to 128");
            self.mistake(message, "write a power of two up to 128: subgroup = 32");
        }
    }

    /// What CUDA needs, and keys that only some languages have.
    fn cuda(&mut self) {
        let (kernel, contract) = (self.kernel, &self.kernel.contract);
        let kind = kernel.source.kind;
        if kind.row().block && contract.chain.iter().any(|link| link.block.is_none()) {
            let whose = if contract.chain.len() > 1 { "a kernel of the chain" } else { "the contract" };
            let message = format!("{whose} has no `block`");
            self.mistake(message, "add block = [256, 1, 1]: lanes of a workgroup");
        }
        let mut named: Vec<(&str, Spot, String)> = Vec::new();
        named.extend(contract.arch.iter().map(|a| ("arch", a.spot, a.text.clone())));
        named.extend(contract.include.iter().map(|i| ("include", i.spot, i.text.clone())));
        let returns = contract.chain.iter().filter_map(|link| link.returns.as_ref());
        named.extend(returns.map(|name| ("returns", name.spot, name.text.clone())));
        named.extend(contract.fast_math.map(|spot| ("fast_math", spot, "true".to_owned())));
        named.extend(contract.robust.map(|spot| ("robust", spot, "true".to_owned())));
        named.extend(contract.max_registers.map(|(most, spot)| ("max_registers", spot, most.to_string())));
        named.extend(contract.no_spills.map(|spot| ("spills", spot, "false".to_owned())));
        named.extend(contract.globals.iter().map(|(name, _)| ("globals", name.spot, name.text.clone())));
        for (key, spot, word) in named.into_iter().filter(|(key, ..)| !kind.takes(key)) {
            let whom = match key {
                "returns" => "C, C++ and Rust",
                "robust" => "shaders",
                "include" => "C, C++, CUDA, GLSL, OpenCL C and Triton",
                _ => "CUDA",
            };
            let message = format!("`{key}` applies only to {whom}");
            self.found.push(kernel.mistake(spot, &word, message, Some(format!("remove `{key}`"))));
        }
    }

    /// Push constants are Vulkan's.
    fn pushed(&mut self) {
        let (kernel, chain) = (self.kernel, &self.kernel.contract.chain);
        let takes = kernel.source.kind.takes("push");
        let first = chain.iter().find_map(|link| link.push.first());
        if let Some(field) = first.filter(|_| !takes) {
            let help = "put the values into `args`, as a struct".to_owned();
            let message = "`push` applies only to shaders".to_owned();
            self.found.push(kernel.mistake(field.value.spot, &field.value.text, message, Some(help)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: &[(&str, &str)] = &[("half", "op half(x[N]) -> y[N]\n\ny[n] = x[n] * 0.5\n")];

    /// What is said of a C file with these lines in its contract.
    fn said(keys: &str) -> String {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("k.c");
        std::fs::write(&path, format!("/*--- ktwin\nop = 'half'\n{keys}\n---*/\n")).unwrap();
        Kernel::load(&path, OPS).map_or_else(|e| e.to_string(), |_| String::new())
    }

    #[test]
    fn keys_of_other_languages_are_refused() {
        for (key, whom) in
            [("arch = 'sm_90'", "CUDA"), ("robust = true", "shaders"), ("globals = { w = 'x' }", "CUDA")]
        {
            let said = said(&format!("args = ['x', 'y']\n{key}"));
            assert!(said.contains(&format!("applies only to {whom}")) && said.contains(":4:"), "{said}");
        }
    }

    #[test]
    fn a_scratch_buffer_has_a_name_of_its_own() {
        for (name, what) in [("x", "a tensor"), ("y", "a tensor"), ("N", "a dimension")] {
            let said =
                said(&format!("args = ['x', 'y', {{ N = 'u32' }}]\nscratch = {{ {name} = 'f32[N]' }}"));
            assert!(said.contains(&format!(":4:13: `{name}` is {what} of op half")), "{said}");
        }
        assert_eq!(said("args = ['x', 'y', 'p', { N = 'u32' }]\nscratch = { p = 'f32[N]' }"), "");
    }

    #[test]
    fn push_constants_are_for_shaders() {
        let said = said("args = ['x', 'y']\npush = [{ N = 'u32' }]");
        assert!(said.contains("`push` applies only to shaders"), "{said}");
    }
}
