//! File system functions that commits need and Node lacks: copies of attributes, an exchange of two names, and locks that end with
//! their process.
//!
//! Nothing here follows a symbolic link in the last component of a path. All functions block; call them on a thread of your own.

mod attributes;
mod lock;
mod replace;

pub use attributes::{Attributes, copy_attributes};
pub use lock::{Lock, LockError, lock};
pub use replace::{Replaced, exchange, rename_no_replace, replace};

#[cfg(unix)]
fn open_existing(path: &std::path::Path) -> std::io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags, open};
    // NONBLOCK: a pipe without a writer must not stop the thread.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?.into())
}
