//! Types of elements in data that goes to other processes: by the names that contracts give them.

use ktwin_num::DType;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes the name.
pub fn serialize<S: Serializer>(dtype: &DType, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(dtype.name())
}

/// Reads a name.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<DType, D::Error> {
    DType::parse(&String::deserialize(from)?).map_err(D::Error::custom)
}
