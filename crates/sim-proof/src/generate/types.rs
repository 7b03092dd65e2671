//! Types of generated expressions. Plain data.

/// Kind of a scalar.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    U,
    I,
    F,
    B,
}

/// A scalar or a vector.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ty {
    pub kind: Kind,
    pub size: usize,
}

impl Ty {
    pub const U32: Ty = Ty::new(Kind::U, 1);
    pub const I32: Ty = Ty::new(Kind::I, 1);
    pub const F32: Ty = Ty::new(Kind::F, 1);
    pub const BOOL: Ty = Ty::new(Kind::B, 1);

    pub const fn new(kind: Kind, size: usize) -> Ty {
        Ty { kind, size }
    }

    pub fn scalar(self) -> Ty {
        Ty::new(self.kind, 1)
    }

    pub fn of(self, kind: Kind) -> Ty {
        Ty::new(kind, self.size)
    }

    pub fn name(self) -> String {
        let scalar = match self.kind {
            Kind::U => "u32",
            Kind::I => "i32",
            Kind::F => "f32",
            Kind::B => "bool",
        };
        match self.size {
            1 => scalar.to_string(),
            n => format!("vec{n}<{scalar}>"),
        }
    }

    /// An expression of type u32 that depends on all of `name`'s components.
    pub fn to_u32(self, name: &str) -> String {
        let part = |c: &str| match self.kind {
            Kind::U => format!("{name}{c}"),
            Kind::F => format!("u32(i32({name}{c}))"),
            Kind::I | Kind::B => format!("u32({name}{c})"),
        };
        if self.size == 1 {
            return part("");
        }
        let parts: Vec<String> = [".x", ".y", ".z", ".w"][..self.size].iter().map(|c| part(c)).collect();
        format!("({})", parts.join(" + 3u * "))
    }
}
