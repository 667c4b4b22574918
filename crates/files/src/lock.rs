//! Exclusive locks of a directory or a file, between processes and within one.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use cairn_cancel::{CancelToken, Stopped};

/// The first pause between two attempts.
const MIN_PAUSE: Duration = Duration::from_micros(200);
/// The longest pause: so late a waiting call may notice that the lock is free, or that it was cancelled.
const MAX_PAUSE: Duration = Duration::from_millis(1);

/// A held lock. It ends with [`Lock::release`], when it is dropped, or with the process, however that ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Releases the lock, even when a child process that is being started shares the descriptor.
    pub fn release(self) {
        drop(self);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing releases it too, but only with the last copy of the descriptor.
        let _ = self.file.unlock();
    }
}

/// Locks a directory or a file exclusively. Waits until the lock is free; returns `None` when the deadline of `cancel` passes
/// first. With a deadline that has passed already it tries once.
///
/// The lock belongs to the file that has the name when the call returns: a lock of a file that was renamed or replaced during the
/// wait is given back, and the call begins again. Two locks exclude each other also within one process. A lock is advisory:
/// it excludes only other callers of such locks.
///
/// Waiting calls try again at intervals of at most 1 ms, so no order between them is promised. A waiting call occupies its thread
/// and one descriptor until it ends.
///
/// # Errors
/// - [`LockError::Unsupported`]: the system or the file system has no such locks: directories on NFS and on Windows, for
///   example.
/// - [`LockError::System`]: the path cannot be opened.
/// - [`LockError::Cancelled`]: the caller cancelled the wait.
pub fn lock(path: &Path, cancel: &CancelToken) -> Result<Option<Lock>, LockError> {
    let mut pause = MIN_PAUSE;
    let mut file = system::open(path)?;
    loop {
        match file.try_lock() {
            Ok(()) => {
                // From here on, dropping it releases the lock.
                let lock = Lock { file };
                if system::is_at(&lock.file, path)? {
                    return Ok(Some(lock));
                }
                drop(lock);
                file = system::open(path)?;
                // The new file is tried at once, unless its name changes faster than that.
                match cancel.check() {
                    Err(Stopped::Cancelled) => return Err(LockError::Cancelled),
                    Ok(()) | Err(Stopped::TimedOut) => continue,
                }
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(refused(error)),
        }
        match cancel.check() {
            Ok(()) => {}
            Err(Stopped::TimedOut) => return Ok(None),
            Err(Stopped::Cancelled) => return Err(LockError::Cancelled),
        }
        thread::sleep(cancel.time_left().map_or(pause, |left| pause.min(left)));
        pause = (pause * 2).min(MAX_PAUSE);
        // The holder of a file that was replaced may never release it.
        if !system::is_at(&file, path)? {
            file = system::open(path)?;
        }
    }
}

/// Why a path could not be locked.
#[derive(Debug)]
pub enum LockError {
    /// There are no such locks here. Lock a file on another file system.
    Unsupported(io::Error),
    /// The system's error.
    System(io::Error),
    /// The caller cancelled the wait.
    Cancelled,
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

#[cfg(unix)]
#[allow(unreachable_patterns, reason = "OPNOTSUPP and NOTSUP are one number on Linux and two on macOS")]
fn refused(error: io::Error) -> LockError {
    use rustix::io::Errno;
    // BADF: NFS locks only what is open for writing, which no directory is.
    let is_unsupported = error.kind() == io::ErrorKind::Unsupported
        || matches!(
            Errno::from_io_error(&error),
            Some(Errno::BADF | Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL)
        );
    if is_unsupported { LockError::Unsupported(error) } else { LockError::System(error) }
}

#[cfg(not(unix))]
fn refused(error: io::Error) -> LockError {
    if error.kind() == io::ErrorKind::Unsupported { LockError::Unsupported(error) } else { LockError::System(error) }
}

#[cfg(unix)]
mod system {
    use std::fs::{File, symlink_metadata};
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use super::LockError;
    use crate::open_existing;

    pub(super) fn open(path: &Path) -> Result<File, LockError> {
        Ok(open_existing(path)?)
    }

    /// Whether the path is a name of the open file.
    pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
        let (own, there) = (file.metadata()?, symlink_metadata(path)?);
        Ok(own.dev() == there.dev() && own.ino() == there.ino())
    }
}

#[cfg(windows)]
mod system {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::os::windows::fs::OpenOptionsExt;
    use std::path::Path;

    use super::LockError;

    const FILE_SHARE_READ_AND_WRITE: u32 = 3;

    /// Without the right to delete for others, no process can rename or replace the file while it is open.
    pub(super) fn open(path: &Path) -> Result<File, LockError> {
        if fs::symlink_metadata(path)?.is_dir() {
            return Err(LockError::Unsupported(io::ErrorKind::Unsupported.into()));
        }
        Ok(OpenOptions::new().read(true).share_mode(FILE_SHARE_READ_AND_WRITE).open(path)?)
    }

    #[allow(clippy::unnecessary_wraps, reason = "the signature of all systems")]
    pub(super) fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
        Ok(true)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_file_system_without_locks_is_told_apart_from_a_failure() {
        for code in [Errno::BADF, Errno::NOLCK, Errno::OPNOTSUPP, Errno::NOTSUP, Errno::NOSYS, Errno::INVAL] {
            assert!(matches!(refused(code.into()), LockError::Unsupported(_)), "{code:?}");
        }
        assert!(matches!(refused(io::ErrorKind::Unsupported.into()), LockError::Unsupported(_)));
        for code in [Errno::IO, Errno::NOENT, Errno::ACCESS, Errno::MFILE] {
            assert!(matches!(refused(code.into()), LockError::System(_)), "{code:?}");
        }
    }
}
