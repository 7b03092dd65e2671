//! Runs a loop with the widest vectors the machine has. The loop is put in a type of its own, since a
//! closure is not surely
//! inlined into the function that is compiled for those vectors.

/// `vectorised!(a: &'a mut [f64], k: f64 => { loop over a })`: every argument with its type, references
/// with `'a`.
macro_rules! vectorised {
    ($($arg:ident: $ty:ty),* => $body:block) => {{
        struct Job<'a> {
            $($arg: $ty,)*
        }
        impl<'a> pulp::NullaryFnOnce for Job<'a> {
            type Output = ();
            #[inline(always)]
            fn call(self) {
                let Job { $($arg),* } = self;
                $body
            }
        }
        pulp::Arch::new().dispatch(Job { $($arg),* })
    }};
}

pub(crate) use vectorised;
