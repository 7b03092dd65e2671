//! How results travel as JSON and back: things by their names, numbers that JSON lacks as words, lists of names
//! and values as objects that keep their order.

use std::fmt;
use std::marker::PhantomData;

use ktwin_lang::Value;
use ktwin_num::{Float, Layout, Regime};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What travels in the shape of something else.
pub trait Travels: Sized {
    /// That shape.
    type Shape: Serialize + DeserializeOwned;
    /// The way there.
    fn shape(&self) -> Self::Shape;
    /// The way back.
    fn of(shape: Self::Shape) -> Result<Self, String>;
}

/// A number; NaN and the infinities are words.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Number {
    Finite(f64),
    Word(Word),
}

/// What JSON has no number for.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Word {
    NaN,
    #[serde(rename = "inf")]
    Infinity,
    #[serde(rename = "-inf")]
    NegativeInfinity,
}

/// A scalar of any type.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Scalar {
    Bool(bool),
    Int(i64),
    Real(Number),
}

impl Travels for f64 {
    type Shape = Number;
    fn shape(&self) -> Number {
        match *self {
            x if x.is_finite() => Number::Finite(x),
            x if x.is_nan() => Number::Word(Word::NaN),
            x if x > 0.0 => Number::Word(Word::Infinity),
            _ => Number::Word(Word::NegativeInfinity),
        }
    }
    fn of(shape: Number) -> Result<f64, String> {
        Ok(match shape {
            Number::Finite(x) => x,
            Number::Word(Word::NaN) => f64::NAN,
            Number::Word(Word::Infinity) => f64::INFINITY,
            Number::Word(Word::NegativeInfinity) => f64::NEG_INFINITY,
        })
    }
}

impl Travels for Value {
    type Shape = Scalar;
    fn shape(&self) -> Scalar {
        match *self {
            Value::Bool(v) => Scalar::Bool(v),
            Value::Int(v) => Scalar::Int(v),
            Value::Real(v) => Scalar::Real(v.shape()),
        }
    }
    fn of(shape: Scalar) -> Result<Value, String> {
        Ok(match shape {
            Scalar::Bool(v) => Value::Bool(v),
            Scalar::Int(v) => Value::Int(v),
            Scalar::Real(v) => Value::Real(f64::of(v)?),
        })
    }
}

impl Travels for i64 {
    type Shape = i64;
    fn shape(&self) -> i64 {
        *self
    }
    fn of(shape: i64) -> Result<i64, String> {
        Ok(shape)
    }
}

impl Travels for Regime {
    type Shape = String;
    fn shape(&self) -> String {
        self.name().to_string()
    }
    fn of(shape: String) -> Result<Regime, String> {
        Regime::parse(&shape)
    }
}

impl Travels for Layout {
    type Shape = String;
    fn shape(&self) -> String {
        self.name().to_string()
    }
    fn of(shape: String) -> Result<Layout, String> {
        Layout::parse(&shape)
    }
}

impl Travels for Float {
    type Shape = String;
    fn shape(&self) -> String {
        self.name().to_string()
    }
    fn of(shape: String) -> Result<Float, String> {
        Float::parse(&shape).ok_or_else(|| format!("unknown rung `{shape}`"))
    }
}

impl<T: Travels> Travels for Vec<T> {
    type Shape = Vec<T::Shape>;
    fn shape(&self) -> Self::Shape {
        self.iter().map(T::shape).collect()
    }
    fn of(shape: Self::Shape) -> Result<Vec<T>, String> {
        shape.into_iter().map(T::of).collect()
    }
}

impl<T: Travels> Travels for Option<T> {
    type Shape = Option<T::Shape>;
    fn shape(&self) -> Self::Shape {
        self.as_ref().map(T::shape)
    }
    fn of(shape: Self::Shape) -> Result<Option<T>, String> {
        shape.map(T::of).transpose()
    }
}

/// For `#[serde(serialize_with)]`: a value in the shape that it travels in.
pub fn out<T: Travels, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.shape().serialize(serializer)
}

/// For `#[serde(deserialize_with)]`: the way back.
pub fn back<'de, T: Travels, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::of(T::Shape::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// Names and values as an object.
pub mod pairs {
    use super::*;

    pub fn serialize<T: Travels, S: Serializer>(pairs: &[(String, T)], to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(pairs.len()))?;
        pairs.iter().try_for_each(|(name, value)| map.serialize_entry(name, &value.shape()))?;
        map.end()
    }

    pub fn deserialize<'de, T: Travels, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, T)>, D::Error> {
        from.deserialize_map(Pairs(PhantomData))
    }

    struct Pairs<T>(PhantomData<T>);

    impl<'de, T: Travels> Visitor<'de> for Pairs<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("an object of names and values")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut out = Vec::new();
            while let Some((name, shape)) = map.next_entry()? {
                out.push((name, T::of(shape).map_err(A::Error::custom)?));
            }
            Ok(out)
        }
    }
}

/// Makes an enum with `ALL`, `name` and `parse` travel as its name.
macro_rules! travels_by_name {
    ($($type:ty),*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                let unknown = || serde::de::Error::custom(format!("unknown name `{name}`"));
                <$type>::parse(&name).ok_or_else(unknown)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        #[cfg(test)]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let names: Vec<&str> = <$type>::ALL.iter().map(|(name, _)| *name).collect();
                schemars::json_schema!({ "type": "string", "enum": names })
            }
        }
    )*};
}
pub(crate) use travels_by_name;

#[cfg(test)]
fn of_names(names: Vec<&str>) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": names })
}

/// The schema of a regime.
#[cfg(test)]
pub fn regimes(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    of_names(Regime::ALL.iter().map(|r| r.name()).collect())
}

/// The schema of a layout.
#[cfg(test)]
pub fn layouts(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    of_names(Layout::ALL.iter().map(|(name, _)| *name).collect())
}

/// The schema of a rung.
#[cfg(test)]
pub fn rungs(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    of_names(Float::ALL.iter().map(|f| f.name()).collect())
}
