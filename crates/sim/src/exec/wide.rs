//! Handlers compiled for the machine's widest registers: `pulp` chooses among them while running.

/// Defines a handler whose body is inlined into a version for each instruction set. (A closure would not do:
/// what calls it is not inlined, and then neither is it.)
macro_rules! lanes {
    (fn $name:ident $(<$($g:ident: $bound:path),+>)? ($m:ident, $step:ident) $body:block) => {
        fn $name $(<$($g: $bound),+>)? (
            m: &mut $crate::exec::machine::Machine,
            step: &$crate::exec::step::Step,
        ) {
            struct Body<'a, $($($g),+)?>(
                &'a mut $crate::exec::machine::Machine,
                &'a $crate::exec::step::Step,
                std::marker::PhantomData<($($($g,)+)?)>,
            );
            impl $(<$($g: $bound),+>)? pulp::NullaryFnOnce for Body<'_, $($($g),+)?> {
                type Output = ();
                #[inline(always)]
                fn call(self) {
                    let ($m, $step) = (self.0, self.1);
                    $body
                }
            }
            let arch = m.arch;
            arch.dispatch(Body::<$($($g),+)?>(m, step, std::marker::PhantomData));
        }
    };
}
