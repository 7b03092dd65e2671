//! The code of `docs/how-to-engine.md`, as it stands there. `kernels` is a link in this package's folder.

#[test]
fn silu() {
    ktwin::kernel("kernels/wgsl/silu.wgsl").quick().check();
}

ktwin::kernels!("kernels/wgsl/silu*.wgsl", quick());

#[test]
fn one_case() {
    ktwin::kernel("kernels/wgsl/silu.wgsl").case("N=257,regime=wide,seed=7").check();
}

#[test]
fn scale_on_the_host() {
    let contract = "op = 'scale'\nargs = ['x', 'y', { N = 'u32', alpha = 'f32' }]";
    let scale = |call: &mut ktwin::check::Call| {
        let alpha = call.value("alpha") as f32;
        let y: Vec<f64> = call.read("x").iter().map(|x| f64::from(alpha * *x as f32)).collect();
        call.write("y", &y);
    };
    ktwin::closure(contract, scale).quick().check();
}

#[test]
fn relu_stays_inside_its_bars() -> Result<(), String> {
    let made = ktwin::op("relu")?.made("N=100,regime=normal,seed=7")?;
    let due = &made.outputs[0];
    for n in 0..100 {
        let got = made.inputs[0].get_f64(&[n]).max(0.0);
        assert!((got - due.values[n]).abs() <= due.bars[n]);
    }
    Ok(())
}
