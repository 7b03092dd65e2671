//! Every shader on the simulator and on a Vulkan driver: bit for bit where IEEE decides, inside its tolerance
//! elsewhere. Without a driver this is a visible skip, with `KTWIN_REQUIRE=vulkan` a failure.

use libtest_mimic::{Arguments, Trial};

fn main() {
    libtest_mimic::run(&Arguments::from_args(), trials()).exit();
}

#[cfg(not(feature = "vulkan"))]
fn trials() -> Vec<Trial> {
    let how = "built without the feature `vulkan`: cargo test -p ktwin-sim-proof --features vulkan";
    vec![skip(how)]
}

// One ignored test whose name says why, or a failing one where the driver is required.
fn skip(why: &str) -> Trial {
    let required = std::env::var("KTWIN_REQUIRE").is_ok_and(|v| v.split(',').any(|d| d == "vulkan"));
    let text = why.to_string();
    if !required {
        eprintln!("SKIPPED: no shader was compared with a driver: {why}");
    }
    // whoever asks for ignored tests has not asked for a driver
    let run = move || if required { Err(text.into()) } else { Ok(()) };
    Trial::test(format!("driver: {why}"), run).with_ignored_flag(!required)
}

#[cfg(feature = "vulkan")]
fn trials() -> Vec<Trial> {
    use ktwin_sim_proof::{driver::driver, registry, shader};
    let driver = match driver() {
        Ok(driver) => driver,
        Err(why) => return vec![skip(why)],
    };
    eprintln!("driver: {}", driver.name);
    let shaders = shader::folder("ok").and_then(|f| Ok([f, registry::builtins()?].concat()));
    let shaders = shaders.unwrap_or_else(|e| panic!("{e}"));
    let text =
        std::fs::read_to_string(shader::root().join("DRIVER-FAULTS.md")).unwrap_or_else(|e| panic!("{e}"));
    let faults = known_faults(&text);
    let trials = shaders.into_iter().map(|shader| {
        let why = driver.lacks(&shader).map(|need| format!("the driver lacks {need:?}"));
        let why = why.or(shader.header.no_driver.clone());
        let fault = faults.iter().any(|(name, of)| driver.name.contains(name) && *of == shader.name);
        let name = match &why {
            Some(why) => format!("{} ({why})", shader.name),
            None => shader.name.clone(),
        };
        Trial::test(name, move || match (agree(driver, &shader), fault) {
            (Ok(()), true) => Err("agrees: take its row out of DRIVER-FAULTS.md".into()),
            (Err(_), true) => Ok(()),
            (result, false) => result.map_err(Into::into),
        })
        .with_ignored_flag(why.is_some())
    });
    trials.collect()
}

#[cfg(feature = "vulkan")]
fn agree(
    driver: &ktwin_sim_proof::driver::Driver,
    shader: &ktwin_sim_proof::shader::Shader,
) -> Result<(), String> {
    use ktwin_sim_proof::{check, simulate};
    let theirs = driver.run(shader)?;
    let options = ktwin_sim::Options { warp: driver.subgroup, ..Default::default() };
    let ours = simulate::run(&simulate::compile(shader)?, shader, &options)?;
    for (i, _) in shader.outputs() {
        check::compare(shader, i, &theirs[i], &ours.buffers[i])?;
    }
    Ok(())
}

// Rows of the table: driver and shader.
#[cfg(feature = "vulkan")]
fn known_faults(text: &str) -> Vec<(String, String)> {
    let rows =
        text.lines().filter(|l| l.starts_with("| ")).map(|l| l.split('|').map(str::trim).collect::<Vec<_>>());
    let named = rows.filter(|cells| cells.len() > 3 && cells[1] != "driver");
    named.map(|cells| (cells[1].to_string(), cells[2].to_string())).collect()
}
