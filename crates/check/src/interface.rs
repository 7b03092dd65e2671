//! What a kernel takes, as its source says: plain data that a contract can be drafted from.

/// An entry point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub entry: String,
    /// Lanes of a workgroup, where the source says so.
    pub block: Option<[u32; 3]>,
    /// Bindings or parameters, in the order in which a contract's `args` has them.
    pub params: Vec<Param>,
    /// Push constants.
    pub pushed: Vec<Value>,
    /// The parameters of its template, as written: `typename T`, `int BLOCK`.
    pub template: Vec<String>,
    /// Constants that a contract gives it: names, and what the source says they are by default.
    pub constants: Vec<(String, String)>,
    /// The type of the number that it returns, by a contract's name; empty where it returns none.
    pub returns: String,
    /// Memory of a workgroup that the launch gives it: a parameter in local memory, an `extern __shared__` array.
    pub local: Vec<String>,
    /// What its workgroups are for, as far as its text tells.
    pub spread: Spread,
    /// The namespaces that it is in: `a::b`.
    pub space: String,
    /// The most lanes of a workgroup, as the source bounds them: a number, or a parameter of its template.
    pub bound: String,
    /// Parameters that nothing of a contract can be given to.
    pub unfit: Vec<Unfit>,
}

/// A parameter that nothing of a contract can be given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Its place among the parameters.
    pub at: usize,
    /// How it is declared.
    pub declared: String,
    /// Why.
    pub why: Foreign,
}

/// What a parameter is that contracts do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// A pointer to pointers.
    Pointers,
    /// An image or a sampler.
    Image,
}

impl Unfit {
    /// What it is.
    pub fn is(&self) -> String {
        let what = match self.why {
            Foreign::Pointers => "a pointer to pointers, and a buffer holds numbers",
            Foreign::Image => "an image or a sampler, and ktwin has buffers alone",
        };
        format!("`{}` is {what}", self.declared)
    }

    /// What to write in its place.
    pub fn remedy(&self) -> &'static str {
        match self.why {
            Foreign::Pointers => {
                "take each array as a parameter of its own, or all of them as one buffer with the numbers of their \
                 first elements; in C and C++ a function of the file may make the pointers, and call this one"
            }
            Foreign::Image => "take a buffer, and read its elements by their index",
        }
    }
}

/// What each workgroup of a launch is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// So many elements as it has lanes.
    #[default]
    Elements,
    /// A part of a plane: lanes have two numbers.
    Plane,
    /// A row: of a workgroup only its own number counts.
    Rows,
}

/// A binding or a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Param {
    /// Memory.
    Buffer {
        /// Its name.
        name: String,
        /// What its elements are, by a contract's name of the type; empty where the source does not tell.
        dtype: String,
        /// Whether the kernel may write there.
        writes: bool,
    },
    /// One value, or several in a struct.
    Values(Vec<Value>),
}

/// A number that is handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its type, by a contract's name.
    pub dtype: String,
}
