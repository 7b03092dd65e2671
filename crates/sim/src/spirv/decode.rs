//! A SPIR-V binary as instructions: opcode, result, operands. Knows which instructions have a type and a result, and
//! nothing else of what they mean.

use spirv::Op;

/// One instruction.
#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    /// The type of the result and the result; 0 where there is none.
    pub ty: u32,
    pub id: u32,
    /// The operands that follow.
    pub args: Vec<u32>,
    /// The source line, counted from 1; 0 unknown.
    pub line: u32,
}

impl Inst {
    /// An operand; 0, which no id is, where it is missing.
    pub fn arg(&self, at: usize) -> u32 {
        self.args.get(at).copied().unwrap_or(0)
    }

    /// The name in the specification.
    pub fn name(&self) -> String {
        format!("Op{:?}", self.op)
    }
}

/// `OpFDot2MixAcc32VALVE`, which the tables do not have: a dot product of halves that is added to a float.
const DOT2_MIXED: u32 = 6916;
const MAGIC: u32 = 0x0723_0203;
const HEADER: usize = 5;
/// Ids at most: the limit that the specification sets for all implementations.
const MOST_IDS: u32 = 1 << 22;

/// Why words are not instructions.
#[derive(Debug)]
pub struct Refused {
    pub text: String,
    /// Whether they may be right, and only are of an extension that is not known here.
    pub unsupported: bool,
}

impl From<String> for Refused {
    fn from(text: String) -> Refused {
        Refused { text, unsupported: false }
    }
}

/// The instructions of a binary in either byte order.
pub fn decode(bytes: &[u8]) -> Result<Vec<Inst>, Refused> {
    if !bytes.len().is_multiple_of(4) || bytes.len() < HEADER * 4 {
        return Err(format!(
            "{} bytes are not a SPIR-V module: words of 4 bytes, at least {HEADER}",
            bytes.len()
        )
        .into());
    }
    let first = [bytes[0], bytes[1], bytes[2], bytes[3]];
    let word = if u32::from_le_bytes(first) == MAGIC {
        |w: &[u8]| u32::from_le_bytes([w[0], w[1], w[2], w[3]])
    } else if u32::from_be_bytes(first) == MAGIC {
        |w: &[u8]| u32::from_be_bytes([w[0], w[1], w[2], w[3]])
    } else {
        return Err("this does not begin with the magic number of SPIR-V".to_owned().into());
    };
    let words: Vec<u32> = bytes.chunks_exact(4).map(word).collect();
    let bound = words[3];
    if bound > MOST_IDS {
        return Err(format!("the module has {bound} ids: the limit is {MOST_IDS}").into());
    }
    let mut out = Vec::new();
    let mut at = HEADER;
    while at < words.len() {
        let (length, code) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        let end = at + length;
        if length == 0 || end > words.len() {
            return Err(format!(
                "the instruction at word {at} says that it has {length} words: the module is cut"
            )
            .into());
        }
        let op = match code {
            // told from OpDot by its third operand
            DOT2_MIXED => Op::Dot,
            _ => Op::from_u32(code).ok_or_else(|| unknown(code, at))?,
        };
        out.push(inst(op, &words[at + 1..end], at)?);
        at = end;
    }
    Ok(out)
}

/// An opcode of an extension that came after the tables used here, or of one vendor.
fn unknown(code: u32, at: usize) -> Refused {
    let text = format!("word {at}: opcode {code} is of no extension of SPIR-V that the simulator has");
    Refused { text, unsupported: true }
}

fn inst(op: Op, words: &[u32], at: usize) -> Result<Inst, String> {
    let (typed, named) = shape(op);
    let own = usize::from(typed) + usize::from(named);
    if words.len() < own {
        return Err(format!("Op{op:?} at word {at} has no result"));
    }
    let ty = if typed { words[0] } else { 0 };
    let id = if named { words[own - 1] } else { 0 };
    if typed && ty == 0 || named && id == 0 {
        return Err(format!("Op{op:?} at word {at} has the result 0, which is not an id"));
    }
    Ok(Inst { op, ty, id, args: words[own..].to_vec(), line: 0 })
}

/// Whether an instruction has a type, and whether it has a result.
fn shape(op: Op) -> (bool, bool) {
    use Op::*;
    match op {
        Nop
        | Source
        | SourceContinued
        | SourceExtension
        | Name
        | MemberName
        | Line
        | NoLine
        | Extension
        | MemoryModel
        | EntryPoint
        | ExecutionMode
        | ExecutionModeId
        | Capability
        | TypeForwardPointer
        | FunctionEnd
        | Store
        | CopyMemory
        | CopyMemorySized
        | Decorate
        | MemberDecorate
        | GroupDecorate
        | GroupMemberDecorate
        | DecorateId
        | DecorateString
        | MemberDecorateString
        | Kill
        | Return
        | ReturnValue
        | Unreachable
        | Branch
        | BranchConditional
        | Switch
        | LoopMerge
        | SelectionMerge
        | ControlBarrier
        | MemoryBarrier
        | AtomicStore
        | AtomicFlagClear
        | LifetimeStart
        | LifetimeStop
        | ModuleProcessed
        | CooperativeMatrixStoreKHR
        | CooperativeMatrixStoreNV
        | DemoteToHelperInvocation
        | AssumeTrueKHR
        | ImageWrite
        | EmitVertex
        | EndPrimitive
        | EmitStreamVertex
        | EndStreamPrimitive
        | TerminateInvocation => (false, false),
        String | ExtInstImport | Label | DecorationGroup => (false, true),
        _ if format!("{op:?}").starts_with("Type") => (false, true),
        _ => (true, true),
    }
}

/// The text in the words of a string, and how many words it takes.
pub fn text(words: &[u32]) -> (String, usize) {
    let mut bytes = Vec::new();
    for (i, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return (std::string::String::from_utf8_lossy(&bytes).into_owned(), i + 1);
            }
            bytes.push(byte);
        }
    }
    (std::string::String::from_utf8_lossy(&bytes).into_owned(), words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn results_and_operands_are_told_apart() {
        let words = [MAGIC, 0x1_0300, 0, 9, 0, 4 << 16 | 21, 7, 32, 0, 4 << 16 | 43, 7, 8, 5];
        let all = decode(&bytes(&words)).expect("it is sound");
        assert_eq!((all[0].op, all[0].id, &all[0].args[..]), (Op::TypeInt, 7, &[32, 0][..]));
        assert_eq!((all[1].ty, all[1].id, all[1].arg(0), all[1].arg(1)), (7, 8, 5, 0));
        let swapped: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(decode(&swapped).expect("either order").len(), 2);
    }

    #[test]
    fn what_is_cut_or_unknown_is_refused() {
        let head = [MAGIC, 0x1_0300, 0, 9, 0];
        let cases = [
            (vec![4 << 16 | 21, 7], "cut", false),
            (vec![21], "cut", false),
            (vec![1 << 16 | 9999], "9999", true),
        ];
        for (tail, word, unsupported) in cases {
            let error = decode(&bytes(&[&head[..], &tail].concat())).unwrap_err();
            assert!(error.text.contains(word) && error.unsupported == unsupported, "{error:?}");
        }
        assert!(decode(b"nothing!nothing!nothing!").unwrap_err().text.contains("magic"));
        assert!(decode(&[]).is_err());
    }

    #[test]
    fn text_ends_at_its_zero() {
        assert_eq!(text(&[0x6e69_616d, 0, 7]), ("main".into(), 2));
    }
}
