//! Puts a prepared file in the place of another one.

#[cfg(any(test, not(unix)))]
use std::fs;
use std::fs::File;
use std::io;
use std::path::Path;

use crate::attributes::{Attributes, copy_attributes};

/// What [`replace`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The two names were exchanged: the old file stands under the name of the temporary one.
    Exchanged,
    /// The system or the file system cannot exchange names. Nothing was replaced, but `temporary` is ready: a rename replaces the
    /// target, without a way back.
    Unsupported,
    /// An attribute cannot be kept, for this reason. Nothing was replaced.
    Refused(String),
}

/// Copies the attributes of `target` to `temporary`, waits until `temporary` is on the disk, and exchanges the two names. With
/// `is_synced` its content is on the disk already, and it is synced only after a change of its attributes.
///
/// The caller then compares the old file, which has the name `temporary`, with what it expected, and calls [`exchange`] when
/// another program saved meanwhile. It syncs the directory, too.
///
/// # Errors
/// The system's error; then nothing was replaced. `NotFound` even when `target` was deleted.
pub fn replace(temporary: &Path, target: &Path, is_synced: bool) -> io::Result<Replaced> {
    replace_by(exchange, temporary, target, is_synced)
}

fn replace_by(
    exchange: fn(&Path, &Path) -> io::Result<bool>,
    temporary: &Path,
    target: &Path,
    is_synced: bool,
) -> io::Result<Replaced> {
    // Before the copy, which may leave a file that its owner cannot write.
    let file = open_to_sync(temporary)?;
    let changed = match copy_attributes(target, temporary)? {
        Attributes::Kept { changed } => changed,
        Attributes::Lost(reason) => return Ok(Replaced::Refused(reason)),
    };
    if changed || !is_synced {
        file.sync_all()?;
    }
    drop(file);
    Ok(if exchange(temporary, target)? { Replaced::Exchanged } else { Replaced::Unsupported })
}

/// Exchanges two names in one step: at every moment each of them is there. Returns false when the system or the file system
/// cannot; then nothing has changed.
///
/// # Errors
/// The system's error, such as `NotFound`; then nothing has changed.
pub fn exchange(left: &Path, right: &Path) -> io::Result<bool> {
    system::exchange(left, right)
}

/// Renames in one step, unless the new name exists. Returns false when the system or the file system cannot; then nothing has
/// changed.
///
/// # Errors
/// The system's error; then nothing has changed. `AlreadyExists` even when both are names of one file.
pub fn rename_no_replace(from: &Path, to: &Path) -> io::Result<bool> {
    system::rename_no_replace(from, to)
}

#[cfg(unix)]
fn open_to_sync(path: &Path) -> io::Result<File> {
    crate::open_existing(path)
}

/// Windows syncs only what is open for writing.
#[cfg(not(unix))]
fn open_to_sync(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new().write(true).open(path)
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "ios"))]
mod system {
    use std::io;
    use std::path::Path;

    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    pub(super) fn exchange(left: &Path, right: &Path) -> io::Result<bool> {
        rename_with(left, right, RenameFlags::EXCHANGE)
    }

    pub(super) fn rename_no_replace(from: &Path, to: &Path) -> io::Result<bool> {
        rename_with(from, to, RenameFlags::NOREPLACE)
    }

    fn rename_with(from: &Path, to: &Path, flags: RenameFlags) -> io::Result<bool> {
        match renameat_with(CWD, from, CWD, to, flags) {
            Ok(()) => Ok(true),
            // PERM is the answer of sandboxes that do not know the call. If it is a real rejection, a rename is rejected too.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos", target_os = "ios")))]
mod system {
    use std::io;
    use std::path::Path;

    #[allow(clippy::unnecessary_wraps, reason = "the signature of all systems")]
    pub(super) fn exchange(_left: &Path, _right: &Path) -> io::Result<bool> {
        Ok(false)
    }

    #[allow(clippy::unnecessary_wraps, reason = "the signature of all systems")]
    pub(super) fn rename_no_replace(_from: &Path, _to: &Path) -> io::Result<bool> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use tempfile::TempDir;

    use super::*;

    fn two_files() -> (TempDir, PathBuf, PathBuf) {
        let directory = TempDir::new().expect("a directory");
        let [temporary, target] = ["temporary", "target"].map(|name| directory.path().join(name));
        fs::write(&temporary, "new").expect("a file");
        fs::write(&target, "old").expect("a file");
        (directory, temporary, target)
    }

    fn text(path: &Path) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn the_old_file_gets_the_name_of_the_temporary_one_and_an_exchange_takes_that_back() {
        let (_directory, temporary, target) = two_files();
        assert_eq!(replace(&temporary, &target, false).expect("replaced"), Replaced::Exchanged);
        assert_eq!((text(&temporary).as_deref(), text(&target).as_deref()), (Some("old"), Some("new")));
        assert!(exchange(&temporary, &target).expect("exchanged"));
        assert_eq!((text(&temporary).as_deref(), text(&target).as_deref()), (Some("new"), Some("old")));
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn an_existing_name_is_not_replaced() {
        let (directory, temporary, target) = two_files();
        let error = rename_no_replace(&temporary, &target).expect_err("the name exists");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((text(&temporary).as_deref(), text(&target).as_deref()), (Some("new"), Some("old")));
        let other = directory.path().join("other");
        assert!(rename_no_replace(&temporary, &other).expect("renamed"));
        assert_eq!((text(&temporary), text(&other).as_deref()), (None, Some("new")));
    }

    #[test]
    fn where_names_cannot_be_exchanged_nothing_is_replaced() {
        let (_directory, temporary, target) = two_files();
        let replaced = replace_by(|_, _| Ok(false), &temporary, &target, false).expect("prepared");
        assert_eq!(replaced, Replaced::Unsupported);
        assert_eq!((text(&temporary).as_deref(), text(&target).as_deref()), (Some("new"), Some("old")));
    }

    #[test]
    fn a_target_that_is_gone_is_not_created_again() {
        let (_directory, temporary, target) = two_files();
        fs::remove_file(&target).expect("removed");
        let error = replace(&temporary, &target, false).expect_err("nothing to replace");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!((text(&temporary).as_deref(), text(&target)), (Some("new"), None));
    }

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn a_target_that_disappears_before_the_exchange_is_not_created_again() {
        let (_directory, temporary, target) = two_files();
        let vanishing = |temporary: &Path, target: &Path| {
            fs::remove_file(target)?;
            exchange(temporary, target)
        };
        let error = replace_by(vanishing, &temporary, &target, true).expect_err("nothing to replace");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!((text(&temporary).as_deref(), text(&target)), (Some("new"), None));
    }
}
