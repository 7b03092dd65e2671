//! Statements: declarations, assignments, control flow, workgroup memory between barriers.

use super::Writer;
use super::types::{Kind, Ty};

impl Writer {
    /// A variable of the type.
    pub fn declare(&mut self, ty: Ty) {
        let value = self.assignable(ty, 2);
        let name = self.name("v");
        self.line(&format!("var {name}: {} = {value};", ty.name()));
        self.scope.add(&name, ty, true);
    }

    /// Some statements; what they declare is forgotten after them.
    pub fn block(&mut self, nesting: usize) {
        let mark = self.scope.mark();
        for _ in 0..1 + self.rng.below(if nesting == 0 { 12 } else { 4 }) {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            self.statement(nesting);
        }
        if nesting > 0 {
            self.scope.forget(mark);
        }
    }

    fn statement(&mut self, nesting: usize) {
        let deep = nesting >= 4;
        match self.rng.below(20) {
            0..=1 => {
                let kind = *self.rng.pick(&[Kind::U, Kind::I, Kind::F, Kind::B]);
                let size = 1 + self.rng.below(4);
                self.declare(Ty::new(kind, size));
            }
            2..=5 => self.assign(),
            6..=7 if !deep => self.branch(nesting),
            8 if !deep => self.counted_loop(nesting),
            9 if !deep => self.open_loop(nesting),
            10 if !deep => self.switch(nesting),
            11 => self.leave(),
            12 => self.pointer_call(),
            13 => self.private_state(),
            14 => self.local_array(),
            15..=17 if self.uniform => self.exchange(),
            18 if self.uniform => self.count(),
            19 if self.returns.is_none() => self.total(),
            _ => self.assign(),
        }
    }

    fn assign(&mut self) {
        let Some(var) = self.scope.mutable(&mut self.rng) else { return };
        let (name, ty) = (var.name, var.ty);
        let integer = matches!(ty.kind, Kind::U | Kind::I);
        if ty.size > 1 && self.rng.once_in(3) {
            let value = self.assignable(ty.scalar(), 2);
            let at = self.index(ty.size);
            let c = *self.rng.pick(&["x", "y", "z", "w"][..ty.size]);
            let place = if self.rng.once_in(2) { format!("{name}.{c}") } else { format!("{name}[{at}]") };
            return self.line(&format!("{place} = {value};"));
        }
        if integer && self.rng.once_in(3) {
            let value = self.expr(ty, 2).text;
            let op = *self.rng.pick(&["+=", "-=", "*=", "^=", "|=", "&="]);
            return self.line(&format!("{name} {op} {value};"));
        }
        let value = self.assignable(ty, 3);
        self.line(&format!("{name} = {value};"));
    }

    // Whether the condition is the same for all lanes, and its text.
    fn condition(&mut self) -> (bool, String) {
        if self.uniform && self.rng.once_in(4) {
            return (true, (*self.rng.pick(&["group == 0u", "group != 0u", "group < 7u"])).to_string());
        }
        (false, self.expr(Ty::BOOL, 2).text)
    }

    // What `write` writes inside braces, where lanes are together only if they were and `together` holds.
    fn inside(&mut self, together: bool, write: impl FnOnce(&mut Writer)) {
        let before = self.uniform;
        self.uniform &= together;
        self.depth += 1;
        write(self);
        self.depth -= 1;
        self.uniform = before;
    }

    fn branch(&mut self, nesting: usize) {
        let (together, condition) = self.condition();
        self.line(&format!("if {condition} {{"));
        self.inside(together, |w| w.block(nesting + 1));
        if self.rng.once_in(2) {
            self.line("} else {");
            self.inside(together, |w| w.block(nesting + 1));
        }
        self.line("}");
    }

    fn counted_loop(&mut self, nesting: usize) {
        let counter = self.name("j");
        // Lanes stay together where the bound is a constant and none may leave.
        let together = self.uniform && self.rng.once_in(2);
        let bound = match together {
            true => format!("{}u", 1 + self.rng.below(5)),
            false => format!("({} & 7u)", self.expr(Ty::U32, 1).text),
        };
        self.line(&format!("for (var {counter} = 0u; {counter} < {bound}; {counter}++) {{"));
        let mark = self.scope.mark();
        self.scope.add(&counter, Ty::U32, false);
        self.body(together, nesting);
        self.scope.forget(mark);
        self.line("}");
    }

    fn body(&mut self, together: bool, nesting: usize) {
        let before = (self.loops, self.no_break);
        self.loops = if together { 0 } else { self.loops + 1 };
        self.no_break = false;
        self.inside(together, |w| w.block(nesting + 1));
        (self.loops, self.no_break) = before;
    }

    fn open_loop(&mut self, nesting: usize) {
        let turns = self.name("n");
        self.line(&format!("var {turns} = 0u;"));
        let mark = self.scope.mark();
        self.scope.add(&turns, Ty::U32, false);
        let limit = 1 + self.rng.below(6);
        if self.rng.once_in(2) {
            let condition = self.expr(Ty::BOOL, 2).text;
            self.line(&format!("while {turns} < {limit}u && {condition} {{"));
            self.inside(true, |w| w.line(&format!("{turns} += 1u;")));
            self.body(false, nesting);
        } else {
            self.line("loop {");
            self.body(false, nesting);
            self.inside(false, |w| w.line("continuing {"));
            let end = self.expr(Ty::BOOL, 1).text;
            self.depth += 2;
            self.line(&format!("{turns} += 1u;"));
            self.line(&format!("break if {turns} >= {limit}u || {end};"));
            self.depth -= 1;
            self.line("}");
            self.depth -= 1;
        }
        self.scope.forget(mark);
        self.line("}");
    }

    fn switch(&mut self, nesting: usize) {
        let ty = *self.rng.pick(&[Ty::U32, Ty::I32]);
        let (selector, cases) = (self.expr(ty, 2).text, 2 + self.rng.below(3));
        let suffix = if ty.kind == Kind::U { "u" } else { "i" };
        self.line(&format!("switch (({selector}) & {}{suffix}) {{", 7));
        let before = self.no_break;
        self.no_break = true;
        self.depth += 1;
        for case in 0..cases {
            let default = if case + 1 == cases { ", default" } else { "" };
            self.line(&format!("case {}{suffix}, {}{suffix}{default}: {{", 2 * case, 2 * case + 1));
            self.inside(false, |w| w.block(nesting + 1));
            self.line("}");
        }
        self.depth -= 1;
        self.no_break = before;
        self.line("}");
    }

    // break, continue or return, by some lanes.
    fn leave(&mut self) {
        let condition = self.expr(Ty::BOOL, 2).text;
        let what = match (self.loops > 0, self.returns) {
            (true, _) if !self.no_break && self.rng.once_in(2) => "break;".to_string(),
            (true, _) if self.rng.once_in(2) => "continue;".to_string(),
            (_, Some(ty)) => format!("return {};", self.expr(ty, 1).text),
            _ => return self.assign(),
        };
        self.line(&format!("if {condition} {{"));
        self.inside(false, |w| w.line(&what));
        self.line("}");
    }

    fn private_state(&mut self) {
        let (at, value) = (self.index(4), self.expr(Ty::U32, 2).text);
        self.line(&format!("state[{at}] = {value};"));
    }

    fn local_array(&mut self) {
        let ty = Ty::new(*self.rng.pick(&[Kind::U, Kind::I]), 1 + self.rng.below(4));
        let (array, n) = (self.name("xs"), 2 + self.rng.below(6));
        self.line(&format!("var {array}: array<{}, {n}>;", ty.name()));
        for _ in 0..1 + self.rng.below(3) {
            let (at, value) = (self.index(n), self.expr(ty, 2).text);
            self.line(&format!("{array}[{at}] = {value};"));
        }
        let (name, at) = (self.name("v"), self.index(n));
        self.line(&format!("var {name} = {array}[{at}];"));
        self.scope.add(&name, ty, true);
    }

    // Each lane fills one cell, and reads any after the barrier.
    fn exchange(&mut self) {
        let (cells, ty) = *self.rng.pick(&[("cells", Ty::U32), ("vectors", Ty::new(Kind::I, 4))]);
        let (odd, off) = (2 * self.rng.below(32) + 1, self.rng.below(64));
        let value = self.expr(ty, 2).text;
        self.line(&format!("{cells}[(lane * {odd}u + {off}u) % 64u] = {value};"));
        self.line("workgroupBarrier();");
        let (name, at) = (self.name("v"), self.index(64));
        self.line(&format!("var {name} = {cells}[{at}];"));
        self.line("workgroupBarrier();");
        self.scope.add(&name, ty, true);
    }

    // Atomics of one kind between two barriers, whose order cannot be seen.
    fn count(&mut self) {
        let f =
            *self.rng.pick(&["atomicAdd", "atomicMin", "atomicMax", "atomicXor", "atomicOr", "atomicAnd"]);
        let (at, value) = (self.index(8), self.expr(Ty::I32, 2).text);
        self.line(&format!("{f}(&counts[{at}], {value});"));
        self.line("workgroupBarrier();");
        let (name, at) = (self.name("v"), self.index(8));
        self.line(&format!("var {name} = atomicLoad(&counts[{at}]);"));
        self.line("workgroupBarrier();");
        self.scope.add(&name, Ty::I32, true);
    }

    fn total(&mut self) {
        let (at, value) = (self.index(8), self.expr(Ty::U32, 2).text);
        self.line(&format!("atomicAdd(&totals[{at}], {value});"));
    }
}
