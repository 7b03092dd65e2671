//! The bodies of the loops over elements: indices, values of stages, reductions.

use ktwin_lang::{Fold, Func, Node, NodeKind, Reduce, StageKind, Ty};

use crate::expr::{ATOM, Text, Writer};
use crate::stores::{Store, target, whole};

impl Writer<'_> {
    /// The values of stages over one space, named where there are several: all are computed before the first is
    /// written, as an output may stand over an input. Each with its buffer and its place.
    pub fn computed(&mut self, group: &[usize]) -> Vec<(Store, String, String)> {
        if let Some(guard) = self.op.stages[group[0]].guard.clone() {
            let condition = self.text(&guard, 0);
            let head = self.dialect.when(&condition);
            self.open(&head);
        }
        let mut out = Vec::new();
        for stage in group {
            let info = &self.op.stages[*stage];
            for (var, first) in info.space.iter().zip(&self.op.stages[group[0]].space) {
                let name = self.names.var(&self.op.vars[*first].name);
                self.env.insert(*var, Text { text: name, level: ATOM });
            }
            let mut value = self.value(*stage);
            if group.len() > 1 {
                value = self.named(info.ty, &format!("{}_value", info.name), &value);
            }
            let store = target(self.op, self.steps, *stage);
            let place = self.place(*stage);
            let truth = info.ty == Ty::Bool && whole(self.op, store);
            let value = if truth { self.dialect.choose(&value, "1", "0") } else { value };
            out.push((store, place, value));
        }
        out
    }

    /// A nest of loops over these indices, or a block where there are none.
    pub fn over(&mut self, space: &[usize], body: impl FnOnce(&mut Self)) {
        if space.is_empty() {
            self.block();
        }
        for var in space {
            let (lo, hi) = self.bounds(*var);
            let name = self.bind(*var);
            self.open(&self.dialect.range(&name, &lo, &hi));
        }
        body(self);
        for _ in 0..space.len().max(1) {
            self.close();
        }
    }

    /// The values of stages over one space, each written to its place.
    pub fn written(&mut self, group: &[usize]) {
        for (store, place, value) in self.computed(group) {
            let element = self.dialect.element(self.stores.name(store), &place);
            self.line(&format!("{element} = {value};"));
        }
        self.unguard(group[0]);
    }

    /// Ends what the guard of a stage began.
    pub fn unguard(&mut self, stage: usize) {
        if self.op.stages[stage].guard.is_some() {
            self.close();
        }
    }

    /// A loop that joins terms; what it made.
    pub(super) fn reduce(&mut self, reduce: &Reduce) -> String {
        let chooses = matches!(reduce.fold, Fold::ArgMax | Fold::ArgMin);
        let ty = reduce.term.ty;
        let name = self.names.fresh(called(reduce.fold));
        let start = self.start(reduce.fold, ty);
        let kind = if reduce.fold == Fold::Any { Ty::Bool } else { ty };
        let line = self.dialect.variable(kind, &name, Some(&start));
        self.line(&line);
        let place = chooses.then(|| self.names.fresh("place"));
        let count = (reduce.fold == Fold::Mean).then(|| self.names.fresh("count"));
        for (int, start) in [(&place, "-1"), (&count, "0")] {
            if let Some(int) = int {
                let line = self.dialect.variable(Ty::Int, int, Some(start));
                self.line(&line);
            }
        }
        for var in &reduce.over {
            let (lo, hi) = self.bounds(*var);
            let index = self.bind(*var);
            let head = self.dialect.range(&index, &lo, &hi);
            self.open(&head);
        }
        if let Some(condition) = &reduce.condition {
            let condition = self.text(condition, 0);
            let head = self.dialect.when(&condition);
            self.open(&head);
        }
        self.joined(reduce, &name, place.as_deref());
        if let Some(count) = &count {
            self.line(&format!("{count} += 1;"));
        }
        for _ in 0..reduce.over.len() + usize::from(reduce.condition.is_some()) {
            self.close();
        }
        match (place, count) {
            (Some(place), _) => place,
            (_, Some(count)) => format!("{name} / {}", self.dialect.cast(Ty::Real, &count)),
            _ => name,
        }
    }

    fn start(&self, fold: Fold, ty: Ty) -> String {
        let real = ty == Ty::Real;
        match fold {
            Fold::Sum | Fold::Mean => {
                if real {
                    self.dialect.real(0.0)
                } else {
                    "0".into()
                }
            }
            Fold::Prod => {
                if real {
                    self.dialect.real(1.0)
                } else {
                    "1".into()
                }
            }
            Fold::Max | Fold::ArgMax if real => self.dialect.real(f64::NEG_INFINITY),
            Fold::Min | Fold::ArgMin if real => self.dialect.real(f64::INFINITY),
            Fold::Max | Fold::ArgMax => self.dialect.extreme(false),
            Fold::Min | Fold::ArgMin => self.dialect.extreme(true),
            Fold::Any => "false".into(),
        }
    }

    /// One term joined to what there is.
    fn joined(&mut self, reduce: &Reduce, name: &str, place: Option<&str>) {
        let ty = reduce.term.ty;
        let term = self.text(&reduce.term, if matches!(reduce.fold, Fold::Sum | Fold::Mean) { 0 } else { 6 });
        let both = [name.to_string(), term.clone()];
        match reduce.fold {
            Fold::Sum | Fold::Mean => self.line(&format!("{name} += {term};")),
            Fold::Prod => self.line(&format!("{name} *= {term};")),
            Fold::Max => self.line(&format!("{name} = {};", self.dialect.call(Func::Max, ty, &both))),
            Fold::Min => self.line(&format!("{name} = {};", self.dialect.call(Func::Min, ty, &both))),
            Fold::Any => self.line(&format!("{name} = {name} || ({term});")),
            Fold::ArgMax | Fold::ArgMin => {
                let sign = if reduce.fold == Fold::ArgMax { ">" } else { "<" };
                let place = place.unwrap_or_default();
                let term = self.named(ty, "term", &term);
                let head = self.dialect.when(&format!("{place} < 0 || {term} {sign} {name}"));
                self.open(&head);
                self.line(&format!("{name} = {term};"));
                let index = self.names.var(&self.op.vars[reduce.over[0]].name);
                self.line(&format!("{place} = {index};"));
                self.close();
            }
        }
    }

    /// The value of a stage at the indices that are bound.
    pub fn value(&mut self, stage: usize) -> String {
        match &self.op.stages[stage].kind {
            StageKind::Map(node) => self.text(node, 0),
            StageKind::Reduce(reduce) => self.reduce(reduce),
        }
    }

    /// First value and end of an index.
    pub fn bounds(&mut self, var: usize) -> (String, String) {
        let (lo, hi) = (self.op.vars[var].lo.clone(), self.op.vars[var].hi.clone());
        (self.text(&lo, 0), self.text(&hi, 0))
    }

    /// How many values an index has.
    pub fn extent(&mut self, var: usize) -> String {
        let (lo, hi) = (&self.op.vars[var].lo, &self.op.vars[var].hi);
        let (lo, hi) = (lo.clone(), hi.clone());
        self.distance(Some(&lo), &hi, 6)
    }

    pub(super) fn distance(&mut self, lo: Option<&Node>, hi: &Node, around: u8) -> String {
        match lo {
            Some(lo) if !matches!(lo.kind, NodeKind::Int(0)) => {
                let text = format!("{} - {}", self.text(hi, 4), self.text(lo, 5));
                if around > 4 { format!("({text})") } else { text }
            }
            _ => self.text(hi, around),
        }
    }

    /// Gives an index its name.
    pub fn bind(&mut self, var: usize) -> String {
        let name = self.names.var(&self.op.vars[var].name);
        self.env.insert(var, Text { text: name.clone(), level: ATOM });
        name
    }
}

/// What a reduction's variable is called.
fn called(fold: Fold) -> &'static str {
    match fold {
        Fold::Sum | Fold::Mean => "sum",
        Fold::Prod => "product",
        Fold::Max | Fold::ArgMax => "largest",
        Fold::Min | Fold::ArgMin => "least",
        Fold::Any => "found",
    }
}
