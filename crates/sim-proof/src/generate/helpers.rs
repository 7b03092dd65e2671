//! Functions that the entry point and each other call, never themselves.

use super::Writer;
use super::scope::Scope;
use super::types::{Kind, Ty};

/// A function that may be called.
#[derive(Clone, Debug)]
pub struct Helper {
    name: String,
    params: Vec<Ty>,
    /// Whether a pointer to an i32 is its last parameter.
    pointer: bool,
    result: Ty,
}

impl Writer {
    /// Writes up to three functions.
    pub fn helpers(&mut self) {
        for _ in 0..self.rng.below(4) {
            self.helper();
        }
    }

    fn helper(&mut self) {
        let kinds = [Kind::U, Kind::I, Kind::F];
        let count = 1 + self.rng.below(3);
        let params: Vec<Ty> =
            (0..count).map(|_| Ty::new(*self.rng.pick(&kinds), 1 + self.rng.below(4))).collect();
        let result = *self.rng.pick(&[Ty::U32, Ty::I32]);
        let pointer = self.rng.once_in(2);
        let name = self.name("fun");
        self.scope = Scope::default();
        let mut list: Vec<String> = Vec::new();
        // The names that fallbacks rely on are there in every function.
        for (k, ty) in params.iter().enumerate() {
            let param = format!("a{k}");
            self.scope.add(&param, *ty, false);
            list.push(format!("{param}: {}", ty.name()));
        }
        list.push("u: u32".to_string());
        self.scope.add("u", Ty::U32, false);
        if pointer {
            list.push("p: ptr<function, i32>".to_string());
        }
        self.line(&format!("fn {name}({}) -> {} {{", list.join(", "), result.name()));
        self.depth += 1;
        if pointer {
            self.line("var q = *p;");
            self.scope.add("q", Ty::I32, true);
        }
        self.declare(result);
        self.fuel = 3 + self.rng.below(6);
        self.uniform = false;
        self.returns = Some(result);
        self.block(1);
        self.returns = None;
        if pointer {
            let value = self.expr(Ty::I32, 2).text;
            self.line(&format!("*p = {value};"));
        }
        let value = self.expr(result, 3).text;
        self.line(&format!("return {value};"));
        self.depth -= 1;
        self.line("}\n");
        self.helpers.push(Helper { name, params, pointer, result });
    }

    /// A call of a function without a pointer whose result is of the type.
    pub fn helper_call(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let fits = |h: &&Helper| h.result == ty && !h.pointer;
        let fitting: Vec<Helper> = self.helpers.iter().filter(fits).cloned().collect();
        let helper = (!fitting.is_empty()).then(|| self.rng.pick(&fitting).clone())?;
        let args = self.args(&helper, depth);
        Some(format!("{}({args})", helper.name))
    }

    /// A statement that calls a function with a pointer to a variable.
    pub fn pointer_call(&mut self) {
        let fitting: Vec<Helper> = self.helpers.iter().filter(|h| h.pointer).cloned().collect();
        let variable = self.scope.mutable_of(&mut self.rng, Ty::I32);
        let (Some(variable), false) = (variable, fitting.is_empty()) else { return };
        let helper = self.rng.pick(&fitting).clone();
        let args = self.args(&helper, 1);
        let name = self.name("got");
        self.line(&format!("let {name} = {}({args}, &{variable});", helper.name));
        self.scope.add(&name, helper.result, false);
    }

    fn args(&mut self, helper: &Helper, depth: usize) -> String {
        let mut args: Vec<String> =
            helper.params.iter().map(|ty| self.assignable(*ty, depth.min(1))).collect();
        args.push(self.expr(Ty::U32, 1).text);
        args.join(", ")
    }
}
