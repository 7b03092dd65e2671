//! What a pickle says of tensors, as `torch.save` writes it. Nothing that it names is ever run: what is not a tensor, a
//! container or a plain value is left as something unknown.

use super::Made;

/// Values go no deeper than this, and no more of them are looked at.
const DEEPEST: usize = 32;
const MOST: usize = 1 << 16;
/// More values, more dimensions and longer names are taken for damage: a few bytes could make as much of them as memory
/// holds.
const MOST_VALUES: usize = 1 << 20;
const MOST_DIMENSIONS: usize = 64;
const LONGEST_NAME: usize = 256;

/// A tensor and where its numbers lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// What PyTorch calls the type of its elements, or of its storage.
    pub kind: String,
    /// The name of its storage.
    pub key: String,
    /// Elements before the first.
    pub offset: usize,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
}

/// A value by its number.
type Id = usize;

#[derive(Clone, Debug)]
enum Value {
    Unknown,
    Int(i64),
    Text(String),
    /// A class or a function, by module and name.
    Global(String),
    Tuple(Vec<Id>),
    List(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// The type of a storage and its name.
    Storage(String, String),
    Tensor(Stored),
    /// An array that is made in a way that is not known, and of what.
    Foreign(String),
}

/// All tensors of a pickle, by the keys and places that lead to each; one by itself has no name.
pub fn tensors(pickle: &[u8]) -> Made<Vec<(String, Stored)>> {
    let mut machine = Machine { rest: pickle, ..Machine::default() };
    while machine.step()? {}
    let root = machine.pop()?;
    let (mut out, mut seen) = (Vec::new(), 0);
    machine.collect(root, &mut Vec::new(), &mut seen, &mut out)?;
    Ok(out)
}

/// The machine that pickles are programs of.
#[derive(Default)]
struct Machine<'p> {
    rest: &'p [u8],
    values: Vec<Value>,
    stack: Vec<Id>,
    /// Heights of the stack.
    marks: Vec<usize>,
    memo: std::collections::HashMap<usize, Id>,
}

fn damaged() -> String {
    "its pickle is damaged".into()
}

impl Machine<'_> {
    /// Takes one step; false at the end.
    fn step(&mut self) -> Made<bool> {
        let code = self.number(1)? as u8;
        match code {
            b'.' => return Ok(false),
            0x80 => drop(self.number(1)?),
            0x95 => drop(self.number(8)?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.above_mark()?),
            b'q' | b'r' | 0x94 => {
                let at = match code {
                    b'q' => self.number(1)? as usize,
                    b'r' => self.number(4)? as usize,
                    _ => self.memo.len(),
                };
                let top = *self.stack.last().ok_or_else(damaged)?;
                self.memo.insert(at, top);
            }
            b'h' | b'j' => {
                let at = self.number(if code == b'h' { 1 } else { 4 })? as usize;
                self.stack.push(*self.memo.get(&at).ok_or_else(damaged)?);
            }
            _ => self.value(code)?,
        }
        Ok(true)
    }

    /// A step that makes a value, or adds to one.
    fn value(&mut self, code: u8) -> Made<()> {
        let value = match code {
            b'N' | 0x88 | 0x89 => Value::Unknown,
            b'K' => Value::Int(self.number(1)? as i64),
            b'M' => Value::Int(self.number(2)? as i64),
            b'J' => Value::Int(i64::from(self.number(4)? as u32 as i32)),
            0x8a => {
                let length = self.number(1)?;
                self.long(length)?
            }
            b'G' => {
                self.number(8)?;
                Value::Unknown
            }
            b'X' | b'U' | b'T' | b'B' | b'C' | 0x8c => {
                let length = self.number(if matches!(code, b'X' | b'T' | b'B') { 4 } else { 1 })?;
                let bytes = self.take(length as usize)?;
                Value::Text(String::from_utf8_lossy(bytes).into_owned())
            }
            b'c' => Value::Global(format!("{}.{}", self.line()?, self.line()?)),
            0x93 => {
                let (name, module) = (self.text()?, self.text()?);
                Value::Global(format!("{module}.{name}"))
            }
            b')' => Value::Tuple(Vec::new()),
            b't' => Value::Tuple(self.above_mark()?),
            0x85..=0x87 => {
                let first = self.stack.len().checked_sub(usize::from(code - 0x84)).ok_or_else(damaged)?;
                Value::Tuple(self.stack.split_off(first))
            }
            b']' => Value::List(Vec::new()),
            b'}' => Value::Dict(Vec::new()),
            b'a' | b'e' | b's' | b'u' | b'b' => return self.add(code),
            b'Q' => self.stored()?,
            b'R' | 0x81 => {
                let (args, made) = (self.pop()?, self.pop()?);
                if let Some(same) = self.handed_on(made, args) {
                    self.stack.push(same);
                    return Ok(());
                }
                self.called(made, args)
            }
            _ => {
                return Err(format!(
                    "its pickle has the code 0x{code:02x}, which `torch.save` does not write"
                ));
            }
        };
        if self.values.len() >= MOST_VALUES {
            return Err(format!("its pickle makes more than {MOST_VALUES} values"));
        }
        self.values.push(value);
        self.stack.push(self.values.len() - 1);
        Ok(())
    }

    /// A step that adds to a container.
    fn add(&mut self, code: u8) -> Made<()> {
        let items = match code {
            b'a' | b'b' => vec![self.pop()?],
            b's' => {
                let value = self.pop()?;
                vec![self.pop()?, value]
            }
            _ => self.above_mark()?,
        };
        let to = *self.stack.last().ok_or_else(damaged)?;
        match (&mut self.values[to], code) {
            (Value::List(list), b'a' | b'e') => list.extend(items),
            (Value::Dict(dict), b's' | b'u') => {
                dict.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1])))
            }
            // the state of something else
            _ => {}
        }
        Ok(())
    }

    /// The storage that is named on the stack.
    fn stored(&mut self) -> Made<Value> {
        let named = self.pop()?;
        let Value::Tuple(items) = &self.values[named] else { return Ok(Value::Unknown) };
        let all: Vec<&Value> = items.iter().map(|item| &self.values[*item]).collect();
        Ok(match all[..] {
            [Value::Text(what), Value::Global(kind), Value::Text(key), ..]
                if what == "storage" && kind.len().max(key.len()) <= LONGEST_NAME =>
            {
                Value::Storage(kind.clone(), key.clone())
            }
            _ => Value::Unknown,
        })
    }

    /// What a call gives back as it got it.
    fn handed_on(&self, made: Id, args: Id) -> Option<Id> {
        let (Value::Global(name), Value::Tuple(args)) = (&self.values[made], &self.values[args]) else {
            return None;
        };
        let same = matches!(name.as_str(), "torch._utils._rebuild_parameter" | "torch.Size");
        args.first().copied().filter(|_| same)
    }

    /// What a call makes, of the few that are known.
    fn called(&self, made: Id, args: Id) -> Value {
        let (Value::Global(name), Value::Tuple(args)) = (&self.values[made], &self.values[args]) else {
            return Value::Unknown;
        };
        let known = match name.as_str() {
            "collections.OrderedDict" => Some(Value::Dict(Vec::new())),
            "torch._utils._rebuild_tensor_v2" | "torch._utils._rebuild_tensor_v3" => self.tensor(args),
            _ => None,
        };
        let is_array = name.contains("._rebuild_") || name.ends_with("._reconstruct");
        known.unwrap_or_else(|| if is_array { Value::Foreign(name.clone()) } else { Value::Unknown })
    }

    fn tensor(&self, args: &[Id]) -> Option<Value> {
        let Value::Storage(kind, key) = &self.values[*args.first()?] else { return None };
        let Value::Int(offset) = self.values[*args.get(1)?] else { return None };
        let whole = |at: usize| -> Option<Vec<usize>> {
            let (Value::Tuple(all) | Value::List(all)) = &self.values[*args.get(at)?] else { return None };
            let one = |id: &Id| match self.values[*id] {
                Value::Int(number) => usize::try_from(number).ok(),
                _ => None,
            };
            if all.len() > MOST_DIMENSIONS { None } else { all.iter().map(one).collect() }
        };
        // newer types have a storage of bytes, and are named last
        let kind = match args.get(6).map(|id| &self.values[*id]) {
            Some(Value::Global(dtype)) if dtype.len() <= LONGEST_NAME => dtype,
            _ => kind,
        };
        let (shape, strides) = (whole(2)?, whole(3)?);
        let offset = usize::try_from(offset).ok()?;
        let stored = Stored { kind: kind.clone(), key: key.clone(), offset, shape, strides };
        (stored.shape.len() == stored.strides.len()).then_some(Value::Tensor(stored))
    }

    /// Notes every tensor of a value.
    fn collect(
        &self,
        value: Id,
        path: &mut Vec<String>,
        seen: &mut usize,
        out: &mut Vec<(String, Stored)>,
    ) -> Made<()> {
        *seen += 1;
        if *seen > MOST || path.len() > DEEPEST {
            return Err(format!("it holds more than {MOST} values, or one inside another without end"));
        }
        let within: Vec<(String, Id)> = match &self.values[value] {
            Value::Tensor(stored) => {
                out.push((path.join("."), stored.clone()));
                return Ok(());
            }
            Value::Tuple(all) | Value::List(all) => {
                all.iter().enumerate().map(|(at, id)| (at.to_string(), *id)).collect()
            }
            Value::Foreign(name) => {
                let maker: String = name.chars().take(LONGEST_NAME).collect();
                let path = path.join(".");
                return Err(format!(
                    "`{path}` is made by {maker}, which is not read: save it as a plain tensor"
                ));
            }
            Value::Dict(pairs) => pairs.iter().filter_map(|(key, id)| Some((self.key(*key)?, *id))).collect(),
            _ => return Ok(()),
        };
        for (key, id) in within {
            path.push(key);
            self.collect(id, path, seen, out)?;
            path.pop();
        }
        Ok(())
    }

    fn key(&self, key: Id) -> Option<String> {
        match &self.values[key] {
            Value::Text(text) => (text.len() <= LONGEST_NAME).then(|| text.clone()),
            Value::Int(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn pop(&mut self) -> Made<Id> {
        self.stack.pop().ok_or_else(damaged)
    }

    /// All above the last mark.
    fn above_mark(&mut self) -> Made<Vec<Id>> {
        let mark = self.marks.pop().ok_or_else(damaged)?;
        Ok(if mark <= self.stack.len() { self.stack.split_off(mark) } else { return Err(damaged()) })
    }

    /// The text on top.
    fn text(&mut self) -> Made<String> {
        let top = self.pop()?;
        match &self.values[top] {
            Value::Text(text) => Ok(text.clone()),
            _ => Err(damaged()),
        }
    }

    fn take(&mut self, count: usize) -> Made<&[u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    /// A number of so many bytes.
    fn number(&mut self, bytes: usize) -> Made<u64> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A signed number of any length; one that does not fit is unknown.
    fn long(&mut self, length: u64) -> Made<Value> {
        let bytes = self.take(length as usize)?;
        let Some(last) = bytes.last() else { return Ok(Value::Int(0)) };
        let sign = if last & 0x80 != 0 { -1 } else { 0 };
        let number = bytes.iter().rev().fold(sign, |number: i64, byte| number << 8 | i64::from(*byte));
        Ok(if bytes.len() <= 8 { Value::Int(number) } else { Value::Unknown })
    }

    fn line(&mut self) -> Made<String> {
        let end = self.rest.iter().position(|byte| *byte == b'\n').ok_or_else(damaged)?;
        let line = String::from_utf8_lossy(self.take(end)?).into_owned();
        self.take(1)?;
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_itself_comes_to_an_end() {
        // a list that holds itself twice
        let text = b"\x80\x02]q\x00(h\x00h\x00e.";
        assert!(tensors(text).unwrap_err().contains("without end"));
        assert_eq!(tensors(b"\x80\x02}."), Ok(Vec::new()));
        assert!(tensors(b"\x80\x02(").is_err());
        let many = [b"\x80\x02", &b"]".repeat(MOST_VALUES + 1)[..], b"."].concat();
        assert!(tensors(&many).unwrap_err().contains("more than"));
        assert!(tensors(b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.").unwrap().is_empty());
    }

    #[test]
    fn arrays_that_are_made_in_another_way_are_named() {
        // {'q': torch._utils._rebuild_qtensor()}
        let text = b"\x80\x02}X\x01\x00\x00\x00qctorch._utils\n_rebuild_qtensor\n)Rs.";
        let said = tensors(text).unwrap_err();
        let due =
            "`q` is made by torch._utils._rebuild_qtensor, which is not read: save it as a plain tensor";
        assert_eq!(said, due);
    }
}
