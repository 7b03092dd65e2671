//! Reads of buffers: padded ones, places row by row, definitions written out where they are used.

use ktwin_lang::{DomainNode, Func, Node, NodeKind, Read, Source, StageKind, Ty};

use crate::expr::{ATOM, Text, Writer, around};
use crate::stores::{ranges, store_of, whole};

impl Writer<'_> {
    /// The place of the element whose indices are bound.
    pub fn place(&mut self, stage: usize) -> String {
        let indices: Vec<Text> =
            self.op.stages[stage].space.iter().filter_map(|v| self.env.get(v).cloned()).collect();
        self.offset(Source::Stage(stage), &indices)
    }

    pub(super) fn read(&mut self, read: &Read, ty: Ty) -> Text {
        let Some(otherwise) = &read.otherwise else { return self.element(read, ty) };
        let indices: Vec<Text> = read.indices.iter().map(|i| self.node(i)).collect();
        let mut inside = Vec::new();
        let mut places = Vec::new();
        for ((index, node), (lo, hi)) in
            indices.into_iter().zip(&read.indices).zip(ranges(self.op, read.source))
        {
            let name = match index.level {
                ATOM => index.text,
                _ => self.named(Ty::Int, "place", &index.text),
            };
            let lo = lo.map_or("0".to_string(), |lo| self.text(lo, 4));
            let hi = self.text(hi, 4);
            if !matches!(node.kind, NodeKind::Var(_)) || lo != "0" {
                inside.push(format!("{name} >= {lo}"));
            }
            inside.push(format!("{name} < {hi}"));
            places.push(Text { text: name, level: ATOM });
        }
        let other = self.text(otherwise, 0);
        let name = self.names.fresh("value");
        let line = self.dialect.variable(ty, &name, Some(&other));
        self.line(&line);
        let head = self.dialect.when(&inside.join(" && "));
        self.open(&head);
        let element = self.at(read.source, &places, ty);
        self.line(&format!("{name} = {};", element.text));
        self.close();
        Text { text: name, level: ATOM }
    }

    fn element(&mut self, read: &Read, ty: Ty) -> Text {
        let indices: Vec<Text> = read.indices.iter().map(|i| self.node(i)).collect();
        self.at(read.source, &indices, ty)
    }

    /// An element of a buffer, or a definition written out.
    fn at(&mut self, source: Source, indices: &[Text], ty: Ty) -> Text {
        let Some(store) = store_of(self.op, self.steps, source) else {
            let Source::Stage(stage) = source else { return Text { text: String::new(), level: ATOM } };
            return self.written_out(stage, indices);
        };
        let name = self.stores.name(store).to_string();
        let offset = self.offset(source, indices);
        let text = self.dialect.element(&name, &offset);
        match ty {
            Ty::Bool if whole(self.op, store) => Text { text: self.dialect.truth(&text), level: 3 },
            _ => Text { text, level: ATOM },
        }
    }

    /// The place of an element, row by row.
    pub(super) fn offset(&mut self, source: Source, indices: &[Text]) -> String {
        let mut out = Text { text: "0".into(), level: ATOM };
        for (at, (index, (lo, hi))) in indices.iter().zip(ranges(self.op, source)).enumerate() {
            let from = lo.filter(|lo| !matches!(lo.kind, NodeKind::Int(0)));
            let lo = from.map(|lo| self.text(lo, 5));
            if at == 0 {
                out = match lo {
                    Some(lo) => Text { text: format!("{} - {lo}", around(index, 4)), level: 4 },
                    None => index.clone(),
                };
                continue;
            }
            let extent = self.distance(from, hi, 6);
            let rows = around(&out, 5);
            let rest = lo.map_or(around(index, 4), |lo| format!("{} - {lo}", around(index, 4)));
            out = Text { text: format!("{rows} * {extent} + {rest}"), level: 4 };
        }
        out.text
    }

    fn written_out(&mut self, stage: usize, indices: &[Text]) -> Text {
        let texts: Vec<&str> = indices.iter().map(|i| i.text.as_str()).collect();
        let key = format!("{stage}[{}]", texts.join(", "));
        if let Some(known) = self.known.iter().rev().find_map(|k| k.get(&key)) {
            return known.clone();
        }
        let node = match &self.op.stages[stage].kind {
            StageKind::Map(node) => node,
            // it stands over the indices that are bound already
            StageKind::Reduce(reduce) => return Text { text: self.reduce(reduce), level: 5 },
        };
        let space = self.op.stages[stage].space.clone();
        let held: Vec<Option<Text>> = space.iter().map(|v| self.env.get(v).cloned()).collect();
        for (var, index) in space.iter().zip(indices) {
            self.env.insert(*var, index.clone());
        }
        let value = self.text(node, 0);
        for (var, held) in space.iter().zip(held) {
            match held {
                Some(text) => self.env.insert(*var, text),
                None => self.env.remove(var),
            };
        }
        let name = self.named(self.op.stages[stage].ty, &self.op.stages[stage].name.clone(), &value);
        let made = Text { text: name, level: ATOM };
        if let Some(block) = self.known.last_mut() {
            block.insert(key, made.clone());
        }
        made
    }

    /// Whether an integer is surely 0 or above, so that division cuts as the op's does.
    pub(super) fn never_below(&self, node: &Node) -> bool {
        let all = |args: &[Node]| args.iter().all(|a| self.never_below(a));
        let from_zero = |domain: &DomainNode| domain.lo.as_ref().is_some_and(|lo| self.never_below(lo));
        match &node.kind {
            NodeKind::Int(v) => *v >= 0,
            NodeKind::Dim(_) => true,
            NodeKind::Var(var) => self.never_below(&self.op.vars[*var].lo),
            NodeKind::Scalar(at) => from_zero(&self.op.scalars[*at].domain),
            NodeKind::Read(read) => match read.source {
                Source::Tensor(at) => from_zero(&self.op.inputs[at].domain),
                Source::Stage(_) => false,
            },
            NodeKind::Apply(
                Func::Add | Func::Mul | Func::IntDiv | Func::Mod | Func::Min | Func::Max,
                args,
            ) => all(args),
            _ => false,
        }
    }
}
