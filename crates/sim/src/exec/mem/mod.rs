//! Memory: objects, access patterns, checks, and the instructions that touch them.

pub mod atomic;
pub mod delayed;
pub mod early;
pub mod flight;
pub mod index;
pub mod known;
pub mod load;
pub mod object;
pub mod order;
pub mod private;
pub mod race;
pub mod shadow;
mod signal;
pub mod site;
pub mod slow;
pub mod store;
