//! Names in the kernel: as the op has them, unless the language keeps them for itself or another thing has them.

use std::collections::{HashMap, HashSet};

use ktwin_lang::Op;

/// Words that the languages of drafts keep, and functions that drafts call.
const KEPT: &str = "active alias alignas alignof and as asm async auto await bitand bitor bool break case catch char \
    class compl const const_assert continue continuing default delete diagnostic discard do double \
    dynamic_cast else enable enum explicit export extern false filter final float fn for friend from \
    get goto handle if impl import inline int interface int32_t layout let long loop macro main \
    match meta mod module move mut mutable namespace new nil not null nullptr of operator or \
    override package pass patch private protected ptr pub public ref register require requires \
    resource restrict return self set shared short signed sizeof smooth static std struct super \
    switch target template this throw trait true try type typedef typename typeof uint32_t undef \
    union unless unsafe unsigned use using var virtual void volatile where while with writeonly xor \
    yield abs acos acosh asin asinh atan atan2 atanh cbrt ceil clamp cos cosh erf exp exp2 expm1 floor \
    floor_div floor_mod infinity inverseSqrt inversesqrt log log10 log1p log2 max min pow round select sign sin sinh \
    size_t sqrt tan tanh trunc y0 y1 yn j0 j1 jn gamma \
    abstract attribute become box buffer centroid coherent common constant crate device dyn f32 fixed flat global \
    half highp host i32 in input invariant kernel local lowp mediump mix noise out output partition precise \
    precision priv readonly rint roundEven sample sampler subroutine superp uchar uint ulong uniform unsized usize \
    ushort varying";

/// The names taken so far.
#[derive(Clone)]
pub struct Names {
    taken: HashSet<String>,
    of_vars: HashMap<String, String>,
    of_sizes: HashMap<String, String>,
}

impl Names {
    fn new() -> Names {
        Names {
            taken: KEPT.split_whitespace().map(String::from).collect(),
            of_vars: HashMap::new(),
            of_sizes: HashMap::new(),
        }
    }

    /// Those of the op's dimensions and scalars.
    pub fn of(op: &Op) -> Names {
        let mut names = Names::new();
        for name in op.dims.iter().map(|d| &d.name).chain(op.scalars.iter().map(|s| &s.name)) {
            let made = names.fresh(name);
            names.of_sizes.insert(name.clone(), made);
        }
        names
    }

    /// The name of a dimension or a scalar.
    pub fn size<'n>(&'n self, name: &'n str) -> &'n str {
        self.of_sizes.get(name).map_or(name, String::as_str)
    }

    /// A name like this one that nothing has yet.
    pub fn fresh(&mut self, like: &str) -> String {
        let mut name: String = like.replace('.', "_");
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// The name of an index; indices of one name share it.
    pub fn var(&mut self, name: &str) -> String {
        if let Some(known) = self.of_vars.get(name) {
            return known.clone();
        }
        let made = self.fresh(name);
        self.of_vars.insert(name.to_string(), made.clone());
        made
    }
}
