"""Compiles kernels of Triton to PTX, as Triton itself would for a launch, but without a GPU.

It reads a request in JSON from standard input and leaves an answer in JSON in a file. Of the user's file it runs only
what the kernels name. It runs in the box of compilers: what it answers is data and no more.
"""

import ast
import builtins
import json
import symtable
import sys
import traceback
import types
from pathlib import Path

import triton
from triton import language
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.compiler.errors import CompilationError
from triton.runtime import driver
from triton.runtime.jit import JITFunction


class Refused(Exception):
    """Why there is no PTX: `python`, `compile` or `contract`, in words, and the line where there is one."""

    def __init__(self, kind, message, line=None):
        super().__init__(message)
        self.kind, self.line = kind, line


class NoDriver:
    """Answers what files ask of a card while they are loaded."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        return self.target

    def get_current_device(self):
        return 0


def dotted(node):
    """The name of a decorator: `triton.jit` of `@triton.jit(do_not_specialize=["n"])`."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def is_jit(node):
    """Whether a statement makes a kernel: a function under `@triton.jit`, or `name = triton.jit(function)`."""
    if isinstance(node, ast.Assign):
        return isinstance(node.value, ast.Call) and called_jit(node.value) and isinstance(node.targets[0], ast.Name)
    return isinstance(node, ast.FunctionDef) and any(called_jit(d) for d in node.decorator_list)


def called_jit(node):
    return dotted(node).split(".")[-1] == "jit"


def statements(body):
    """All statements of the file, those under conditions too."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers"):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from statements(getattr(node, part, []))


# characters of an exception that are shown
MOST = 1000

# parameters that a decorator of the host computes
COMPUTED = set()


def computed(decorator):
    """The parameters that `@triton.heuristics({"EVEN": ...})` gives values to."""
    if isinstance(decorator, ast.Call) and dotted(decorator).split(".")[-1] == "heuristics":
        tables = [argument for argument in decorator.args if isinstance(argument, ast.Dict)]
        return {key.value for table in tables for key in table.keys if isinstance(key, ast.Constant)}
    return set()


def bared(tree):
    """Leaves kernels no decorator but `jit`: others start them, or choose constants that the contract names."""
    for node in statements(tree.body):
        if isinstance(node, ast.FunctionDef) and is_jit(node):
            COMPUTED.update(*map(computed, node.decorator_list))
            node.decorator_list = [d for d in node.decorator_list if called_jit(d)]


def symbols(node):
    """What Python itself takes the names of a statement for."""
    return symtable.symtable(ast.unparse(node), "<kernel>", "exec")


def binds(node):
    """The names that a statement of the file gives a meaning."""
    return {name.get_name() for name in symbols(node).get_symbols() if name.is_assigned() or name.is_imported()}


def uses(node):
    """The names of the file that a statement rests on; a function's parameters and variables are its own."""

    def inside(table):
        own = {name.get_name() for name in table.get_symbols() if name.is_global()}
        return own.union(*map(inside, table.get_children()))

    table = symbols(node)
    outside = {name.get_name() for name in table.get_symbols() if name.is_referenced()}
    return outside.union(*map(inside, table.get_children()))


def is_main(node):
    """`if __name__ == "__main__":`, which is not what this file is run as."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def always(node):
    """What is run whatever the kernel names: it may bind any name, or changes how the rest is read."""
    return isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.names[0].name == "*")


def needed(tree, entries):
    """The statements that the entry points rest on, in their order."""
    kept, names, grown = set(), set(entries), True
    while grown:
        grown = False
        for number, node in enumerate(tree.body):
            if number not in kept and not is_main(node) and (always(node) or binds(node) & names):
                kept.add(number)
                names |= uses(node)
                grown = True
    return [tree.body[number] for number in sorted(kept)]


def chosen(tree, entry):
    """The entry point: the one that is named, or the only kernel that no other calls."""
    made = (node for node in statements(tree.body) if is_jit(node))
    kernels = {node.name if isinstance(node, ast.FunctionDef) else node.targets[0].id: node for node in made}
    if not kernels:
        raise Refused("contract", "the file has no kernel: no function is decorated with `@triton.jit`")
    if entry:
        if entry not in kernels:
            raise Refused("contract", f"no kernel `{entry}` (the file has {', '.join(kernels)})")
        return entry
    called = {name: uses(node) - {name} for name, node in kernels.items()}
    free = [name for name in kernels if not any(name in names for names in called.values())]
    if len(free) != 1:
        raise Refused("contract", f"the file has several kernels: name one of {', '.join(kernels)} with `entry`")
    return free[0]


def own_line(error, path):
    """The last line of the user's file on the way to an error."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return lines[-1] if lines else None


def place_of(error, folders):
    """Where in a module of the user's an error came up."""
    own = tuple(f"{folder}/" for folder in folders)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(own)]
    return f", in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def instead_of(error):
    """What to do about what is not found."""
    if isinstance(error, ModuleNotFoundError):
        return " (install it, or name a folder that has it, or a stub of it, with `include`)"
    if isinstance(error, ImportError) and "relative import" in str(error):
        return " (name the folder that the file's package is in with `include`)"
    return ""


def loaded(path, folders, entries):
    """The entry points, with what they name."""
    text = Path(path).read_text(encoding="utf-8-sig")
    try:
        tree = ast.parse(text, path)
    except SyntaxError as error:
        raise Refused("python", f"SyntaxError: {error.msg}", error.lineno) from None
    bared(tree)
    entries = [chosen(tree, entry) for entry in entries]
    tree.body = needed(tree, entries)
    # whatever the file is called, it takes the place of no other module, and neither do those beside it
    package = package_of(folders)
    module = types.ModuleType(f"{package}.ktwin_kernel" if package else "ktwin_kernel")
    module.__file__, module.__builtins__, module.__package__ = path, builtins, package
    sys.modules[module.__name__] = module
    sys.path.extend(folders)
    sys.meta_path.insert(0, OwnPackages(folders))
    without_torch()
    try:
        if package:
            importlib.import_module(package)
        exec(compile(tree, path, "exec"), module.__dict__)
    except BaseException as error:
        message = f"{type(error).__name__}: {short(str(error))}{place_of(error, folders)}{instead_of(error)}"
        raise Refused("python", message, own_line(error, path)) from None
    return [inner(getattr(module, entry), entry) for entry in entries], text


def short(text):
    """As much of a text as somebody reads."""
    return text if len(text) <= MOST else f"{text[:MOST]} ... ({len(text)} characters)"


def inner(kernel, entry):
    """The kernel itself, which an autotuner has inside."""
    while not isinstance(kernel, JITFunction):
        if not hasattr(kernel, "fn"):
            raise Refused("contract", f"`{entry}` is not a kernel of Triton")
        kernel = kernel.fn
    return kernel


def known_to(kernels, constants):
    """Constants must mean something: a parameter of a kernel."""
    fixed = {p.name for kernel in kernels for p in kernel.params if p.is_constexpr}
    names = {p.name for kernel in kernels for p in kernel.params}
    for name in constants:
        if name not in names:
            has = ", ".join(sorted(fixed)) or "none"
            raise Refused("contract", f"no constexpr `{name}` (there is {has}; num_warps and num_stages may be set)")


def meant(value):
    """What a constant's text is to a kernel: `None`, a type of Triton such as `tl.float16`, or the text itself."""
    if value == "None":
        return None
    of_triton = isinstance(value, str) and value.rpartition(".")[0] in ("tl", "triton.language")
    return getattr(language, value.rpartition(".")[2], value) if of_triton else value


def no_value(name):
    """What to write for a constant that the contract leaves out."""
    if name in COMPUTED:
        return (
            f"`@triton.heuristics` computes constexpr `{name}` in the host, which ktwin does not run: "
            f'write the same over sizes and constants, define = {{ {name} = "N % BLOCK == 0" }}, or a value'
        )
    return f"constexpr `{name}` has no value: write define = {{ {name} = ... }}"


def source_of(kernel, given, constants):
    """A kernel with what each of its parameters is: a type, or a constant."""
    names = [parameter.name for parameter in kernel.params]
    fixed = {name: constants[name] for name in names if name in constants}
    for parameter in kernel.params:
        if parameter.is_constexpr and parameter.name not in fixed:
            if not parameter.has_default:
                raise Refused("contract", no_value(parameter.name))
            fixed[parameter.name] = parameter.default
    passed = [name for name in names if name not in fixed]
    # what a call leaves out at the end is what the function says
    spare = [p for p in kernel.params if p.name in passed[len(given) :]]
    if all(parameter.has_default for parameter in spare):
        fixed.update((parameter.name, parameter.default) for parameter in spare)
        passed = passed[: len(given)]
    if len(passed) != len(given):
        message = f"the kernel takes {len(passed)} values ({', '.join(passed)}), but `args` gives {len(given)}"
        raise Refused("contract", message)
    types_of = dict(zip(passed, given))
    signature = {name: types_of.get(name, "constexpr") for name in names}
    # buffers begin at multiples of 16 bytes, as those of every allocator do; of numbers nothing is known
    pointers = [number for number, name in enumerate(names) if signature[name].startswith("*")]
    attrs = {(number,): [["tt.divisibility", 16]] for number in pointers}
    return ASTSource(kernel, signature, {(names.index(name),): value for name, value in fixed.items()}, attrs)


def why(error, text):
    """Triton's own words for what it does not compile, and the line of the user's file."""
    line, inner = None, error
    while inner is not None:
        at = text.find(inner.src) if isinstance(inner, CompilationError) and inner.src else -1
        if at >= 0 and inner.node is not None:
            line = text[:at].count("\n") + inner.node.lineno
        last, inner = inner, inner.__cause__
    words = getattr(last, "error_message", None) if isinstance(last, CompilationError) else str(last)
    kind = "" if isinstance(last, CompilationError) else f"{type(last).__name__}: "
    return Refused("compile", f"{kind}{words or str(last).strip()}", line)


def compiled(request):
    target = GPUTarget("cuda", request["arch"], 32)
    driver.set_active(NoDriver(target))
    backend = make_backend(target)
    stages = type(backend).add_stages

    # PTX is all that is wanted: the assembler is left out
    def without_cubin(self, found, *rest):
        stages(self, found, *rest)
        found["cubin"] = lambda source, metadata: b""

    type(backend).add_stages = without_cubin
    kernels, text = loaded(request["file"], request["folders"], [entry for entry, _ in request["entries"]])
    options = set(type(backend.parse_options({})).__dataclass_fields__)
    options -= {parameter.name for kernel in kernels for parameter in kernel.params}
    constants = dict(request["constants"])
    constants = {name: meant(value) for name, value in constants.items()}
    chosen = {name: constants.pop(name) for name in list(constants) if name in options}
    known_to(kernels, constants)
    made = []
    for kernel, (_, given) in zip(kernels, request["entries"]):
        source = source_of(kernel, given, constants)
        try:
            made.append(triton.compile(source, target=target, options=chosen))
        except Exception as error:
            raise why(error, text) from None
    folders = tuple(f"{folder}/" for folder in request["folders"])
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    return {"kernels": [told(one) for one in made], "read": [file for file in files if file.startswith(folders)]}


def told(made):
    return {
        "ptx": made.asm["ptx"],
        "name": made.metadata.name,
        "warps": made.metadata.num_warps,
        "shared": made.metadata.shared,
        "scratch": getattr(made.metadata, "global_scratch_size", 0),
    }


def main():
    request = json.load(sys.stdin)
    try:
        answer = compiled(request)
    except Refused as refused:
        answer = {"kind": refused.kind, "message": str(refused), "line": refused.line}
    Path(request["answer"]).write_text(json.dumps(answer))


main()
