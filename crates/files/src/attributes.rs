//! Copies owner, group, permissions, access lists and extended attributes from one file to another.

use std::io;
use std::path::Path;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
#[cfg(any(target_os = "macos", target_os = "ios"))]
mod macos;
#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

/// What became of the attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attributes {
    /// The file has all of them.
    Kept {
        /// Whether one of them was different before.
        changed: bool,
    },
    /// The system rejected one of them: which attribute, and the reason. The file may have some of the others.
    Lost(String),
}

/// Gives the file `to` the owner, group, permissions, access lists and extended attributes of the file `from`, and takes away
/// those that `from` does not have. An attribute that is equal already is not set again. Times are not copied.
///
/// Two attributes are left out: `security.ima` and `security.evm`, which the system computes from the content. On systems other
/// than Linux and macOS, the access list is the one that the new file got from its directory.
///
/// # Errors
/// When a file cannot be opened or read. A rejection to set something is [`Attributes::Lost`].
pub fn copy_attributes(from: &Path, to: &Path) -> io::Result<Attributes> {
    system::copy(from, to)
}
