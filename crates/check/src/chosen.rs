//! A device as the library's users choose it. Plain data.

use std::sync::Arc;

use crate::device::Device;

/// A device that was chosen: by its name, or one's own.
///
/// It is made of a name, of anything that implements [`Device`], or of a shared one.
pub enum Chosen {
    /// The device of this name.
    Named(String),
    /// This device.
    Own(Arc<dyn Device>),
}

impl From<&str> for Chosen {
    fn from(name: &str) -> Chosen {
        Chosen::Named(name.into())
    }
}

impl From<String> for Chosen {
    fn from(name: String) -> Chosen {
        Chosen::Named(name)
    }
}

impl From<Arc<dyn Device>> for Chosen {
    fn from(device: Arc<dyn Device>) -> Chosen {
        Chosen::Own(device)
    }
}

impl<D: Device + 'static> From<D> for Chosen {
    fn from(device: D) -> Chosen {
        Chosen::Own(Arc::new(device))
    }
}
