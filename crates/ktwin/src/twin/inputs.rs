//! The inputs of a twin: read from files where they are given, made by the regime where not, and then
//! written too.

use ktwin::arrays::ArrayFile;
use ktwin::elsewhere::{Given, convert, outside};
use ktwin::explain::visible;
use ktwin_lang::{Case, Op, Role, TensorInfo, Value};
use ktwin_num::{DType, Tensor};

use super::files::Files;
use super::request::Request;
use super::watch::Watch;

/// What the summary says of an input.
pub struct Line {
    pub name: String,
    pub shape: Vec<usize>,
    pub dtype: DType,
    pub from: String,
    /// The first element outside what the op declares, if there is one.
    pub outside: Option<String>,
}

/// The inputs that the files hold, each in the type that is wanted.
pub fn given(op: &Op, request: &Request, watch: &Watch) -> Result<Vec<Option<Given>>, String> {
    for (_, path, _) in request.files.iter().filter(|(input, ..)| input.is_none()) {
        let file = ArrayFile::open(path).map_err(|e| e.to_string())?;
        let known = |name: &str| request.case.scalars.iter().any(|(own, _)| own == name);
        let scalars = op.scalars.iter().map(|info| info.name.as_str());
        if let Some(name) = scalars.filter(|name| !known(name)).find(|s| file.names().iter().any(|n| n == s))
        {
            let path = path.display();
            return Err(format!("{path} holds {name}, a scalar of op {}: give it as {name}=VALUE", op.name));
        }
    }
    read(op, &op.inputs, &request.files, &request.input_types, (convert, watch))
}

/// Turns an array into the type that is wanted.
pub type Convert = fn(&TensorInfo, Tensor, Option<DType>) -> Result<Tensor, String>;

/// The tensors that files hold, each in the type that is wanted.
pub fn read(
    op: &Op,
    tensors: &[TensorInfo],
    files: &[super::request::Given],
    types: &[Option<DType>],
    (convert, watch): (Convert, &Watch),
) -> Result<Vec<Option<Given>>, String> {
    let mut out: Vec<Option<Given>> = tensors.iter().map(|_| None).collect();
    for (input, path, array) in files {
        let file = ArrayFile::open(path).map_err(|e| e.to_string())?;
        for (at, name) in wanted(op, tensors, *input, array.as_deref(), &file)? {
            watch.check()?;
            watch.say(&format!("reading {}", path.display()));
            let info = &tensors[at];
            if out[at].is_some() {
                let path = path.display();
                let what = if std::ptr::eq(tensors, op.inputs.as_slice()) { "input" } else { "output" };
                return Err(format!("{what} {} is given twice, the second time by {path}", info.name));
            }
            let tensor = file.read(&name, types[at]).map_err(|e| e.to_string())?;
            let had = tensor.dtype;
            let tensor =
                convert(info, tensor, types[at]).map_err(|why| format!("{}: {why}", path.display()))?;
            let tensor = Tensor { dtype: info.domain.read_as(tensor.dtype), ..tensor };
            let read_as = match types[at] {
                None if had.is_integer() && !tensor.dtype.is_integer() => format!(" ({had}, read as reals)"),
                _ => String::new(),
            };
            let from = if file.is_archive() {
                format!("{}:{name}{read_as}", path.display())
            } else {
                format!("{}{read_as}", path.display())
            };
            out[at] = Some(Given { from, tensor });
        }
    }
    Ok(out)
}

/// Which tensors a file gives, and the array's name in it.
fn wanted(
    op: &Op,
    tensors: &[TensorInfo],
    input: Option<usize>,
    array: Option<&str>,
    file: &ArrayFile,
) -> Result<Vec<(usize, String)>, String> {
    if let Some(at) = input {
        let own = &tensors[at].name;
        let name = match (array, file.names()) {
            (Some(array), _) => array.to_string(),
            (None, [only]) => only.clone(),
            (None, _) => own.clone(),
        };
        return Ok(vec![(at, name)]);
    }
    let named = |name: &String| Some((tensors.iter().position(|t| t.name == *name)?, name.clone()));
    let found: Vec<(usize, String)> = file.names().iter().filter_map(named).collect();
    if found.is_empty() {
        let inputs: Vec<&str> = tensors.iter().map(|t| t.name.as_str()).collect();
        let arrays: Vec<String> = file.names().iter().take(8).map(|name| visible(name)).collect();
        return Err(format!(
            "the file holds {}, op {} has {}: write NAME=FILE or NAME=FILE:ARRAY",
            arrays.join(", "),
            op.name,
            inputs.join(", ")
        ));
    }
    Ok(found)
}

/// The case: sizes as given and as the arrays' shapes say.
pub fn case<'o>(op: &'o Op, request: &Request, given: &[Option<Given>]) -> Result<Case<'o>, String> {
    let shapes: Vec<Option<Vec<usize>>> =
        given.iter().map(|g| g.as_ref().map(|g| g.tensor.shape.clone())).collect();
    let dims: Vec<(&str, i64)> = request.case.dims.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let sizes = op.sizes(&dims, &shapes).map_err(|e| e.to_string())?;
    let sizes: Vec<(&str, i64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let scalars: Vec<(&str, Value)> = request.case.scalars.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    op.bind(&sizes, &scalars).map_err(|e| e.to_string())
}

/// All inputs in order; those that were not given are made and written.
pub fn all(
    case: &Case,
    request: &Request,
    given: Vec<Option<Given>>,
    files: &mut Files,
    watch: &Watch,
) -> Result<(Vec<Tensor>, Vec<Line>), String> {
    let (mut tensors, mut lines) = (Vec::new(), Vec::new());
    let made = make(case, request, &given, watch)?;
    for (at, (given, made)) in given.into_iter().zip(made).enumerate() {
        let info = &case.op.inputs[at];
        let own = made.map(|tensor| write(case, request, at, tensor, files));
        let Some(given) = given.map(Ok).or(own).transpose()? else { continue };
        lines.push(Line {
            name: info.name.clone(),
            shape: given.tensor.shape.clone(),
            dtype: given.tensor.dtype,
            from: given.from,
            outside: outside(case, at, &given.tensor),
        });
        tensors.push(given.tensor);
    }
    Ok((tensors, lines))
}

/// What no file gives, made by the regime: where that is everything, the inputs of a kernel's case.
fn make(
    case: &Case,
    request: &Request,
    given: &[Option<Given>],
    watch: &Watch,
) -> Result<Vec<Option<Tensor>>, String> {
    let (setup, infos) = (&request.setup, &case.op.inputs);
    for ((info, shape), dtype) in infos.iter().zip(&case.input_shapes).zip(&setup.inputs) {
        Tensor::bytes_needed(*dtype, shape).map_err(|e| format!("input {}: {e}", info.name))?;
    }
    if given.iter().all(Option::is_none) {
        watch.say("making inputs");
        return Ok(setup.fill(&request.case, case)?.into_iter().map(Some).collect());
    }
    let one = |at: usize| {
        watch.check()?;
        watch.say(&format!("making {}", infos[at].name));
        given[at].is_none().then(|| setup.input(&request.case, case, at)).transpose()
    };
    (0..infos.len()).map(one).collect()
}

/// Writes an input that was made.
fn write(
    case: &Case,
    request: &Request,
    at: usize,
    tensor: Tensor,
    files: &mut Files,
) -> Result<Given, String> {
    let info = &case.op.inputs[at];
    let beside = info.role == Role::InPlace || case.op.output(&info.name).is_some();
    let file = format!("{}{}.npy", info.name, if beside { ".in" } else { "" });
    let mut writer = files.create(&file, tensor.dtype, &tensor.shape)?;
    let written = writer.tensor(&tensor).and_then(|()| writer.finish());
    let shown = files.shown(&file);
    written.map_err(|e| format!("{shown}: cannot write it: {}", ktwin_num::reason(&e)))?;
    let from = format!("{}, seed {} -> {shown}", request.case.regime, request.case.seed);
    Ok(Given { from, tensor })
}
