//! The storage of a tensor: shared by its clones until one of them is written to, or lent by another owner.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Bytes that are copied only where they are written to while somebody else has them too.
#[derive(Clone)]
pub struct Bytes(Held);

#[derive(Clone)]
enum Held {
    Own(Arc<Vec<u8>>),
    Lent(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

impl Bytes {
    /// Bytes that another owner keeps, such as an interpreter; they do not change while it does.
    pub fn lent(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Bytes {
        Bytes(Held::Lent(Arc::new(owner)))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::Own(bytes) => bytes,
            Held::Lent(owner) => (**owner).as_ref(),
        }
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        if let Held::Lent(owner) = &self.0 {
            self.0 = Held::Own(Arc::new((**owner).as_ref().to_vec()));
        }
        match &mut self.0 {
            Held::Own(bytes) => Arc::<Vec<u8>>::make_mut(bytes),
            Held::Lent(_) => &mut [],
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(Held::Own(Arc::new(bytes)))
    }
}

impl FromIterator<u8> for Bytes {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Bytes {
        bytes.into_iter().collect::<Vec<u8>>().into()
    }
}

impl Default for Bytes {
    fn default() -> Bytes {
        Vec::new().into()
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Bytes) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_their_bytes_until_one_is_written_to() {
        let first: Bytes = vec![1, 2, 3].into();
        let mut second = first.clone();
        assert_eq!(first.as_ptr(), second.as_ptr());
        second[1] = 7;
        assert_eq!((&*first, &*second), (&[1, 2, 3][..], &[1, 7, 3][..]));
        let at = second.as_ptr();
        second[2] = 8;
        assert_eq!(second.as_ptr(), at, "nobody else has them");
    }

    #[test]
    fn what_is_lent_is_read_in_place_and_never_written_to() {
        static OWNER: [u8; 2] = [5, 6];
        let mut lent = Bytes::lent(&OWNER[..]);
        assert_eq!(lent.as_ptr(), OWNER.as_ptr());
        lent[0] = 9;
        assert_eq!((OWNER[0], &*lent), (5, &[9, 6][..]));
    }
}
