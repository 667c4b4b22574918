//! Other systems: `std::fs`, by path.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::types::{EntryType, LinkTarget, Meta, Stamp};
use crate::kind::Kind;
use crate::paths::{from_bytes, to_bytes};

/// A directory by its path.
pub(crate) struct DirectoryHandle {
    path: PathBuf,
}

/// False: no system other than Linux has been tested.
pub(crate) fn has_reliable_times_at(_path: &Path) -> bool {
    false
}

/// Returns the identity only; the times are zero.
pub(crate) fn stamp_of(path: &Path, follow: bool) -> io::Result<Stamp> {
    let metadata = if follow { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
    let (device, inode) = identity(path, &metadata)?;
    Ok(Stamp { device, inode, modified: 0, changed: 0, file_type: 0 })
}

#[cfg(unix)]
fn identity(_path: &Path, metadata: &fs::Metadata) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Ok((metadata.dev(), metadata.ino()))
}

/// Windows has no stable inode in `std`: a hash of the canonical path replaces it.
#[cfg(not(unix))]
fn identity(path: &Path, _metadata: &fs::Metadata) -> io::Result<(u64, u64)> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    path.canonicalize()?.hash(&mut hasher);
    Ok((0, hasher.finish()))
}

impl DirectoryHandle {
    /// Opens a directory by its canonical path. Here a directory above it that has become a link is followed.
    pub(crate) fn open_canonical(path: &Path) -> io::Result<Self> {
        Self::open(path, false)
    }

    pub(crate) fn open(path: &Path, through_link: bool) -> io::Result<Self> {
        let metadata = if through_link { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
        if metadata.is_dir() { Ok(Self { path: path.to_owned() }) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub(crate) fn stamp(&self) -> io::Result<Stamp> {
        stamp_of(&self.path, true)
    }

    pub(crate) fn stamp_at(&self, path: &[u8], follow: bool) -> io::Result<Stamp> {
        stamp_of(&self.path.join(from_bytes(path)), follow)
    }

    /// False: no system other than Linux has been tested.
    pub(crate) fn has_reliable_times(&self) -> bool {
        false
    }

    pub(crate) fn for_each<E>(
        &self,
        mut visit: impl FnMut(&[u8], EntryType) -> Result<(), E>,
    ) -> Result<io::Result<()>, E> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) => return Ok(Err(error)),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return Ok(Err(error)),
            };
            let Ok(file_type) = entry.file_type() else { continue };
            visit(&to_bytes(Path::new(&entry.file_name())), entry_type(file_type))?;
        }
        Ok(Ok(()))
    }

    pub(crate) fn meta(&self, name: &[u8]) -> io::Result<Meta> {
        let metadata = fs::symlink_metadata(self.path.join(from_bytes(name)))?;
        let since_epoch = metadata.modified()?.duration_since(UNIX_EPOCH);
        let mtime_ms =
            since_epoch.map_or_else(|before| -(before.duration().as_millis() as f64), |after| after.as_millis() as f64);
        Ok(Meta { mtime_ms, size: metadata.is_file().then(|| metadata.len()) })
    }

    pub(crate) fn link_target(&self, name: &[u8]) -> LinkTarget {
        match fs::metadata(self.path.join(from_bytes(name))) {
            Ok(metadata) if metadata.is_dir() => LinkTarget::Dir,
            Ok(metadata) if metadata.is_file() => LinkTarget::File,
            Ok(_) => LinkTarget::Special,
            Err(_) => LinkTarget::Missing,
        }
    }
}

fn entry_type(file_type: fs::FileType) -> EntryType {
    if file_type.is_symlink() {
        EntryType::Known(Kind::Symlink)
    } else if file_type.is_dir() {
        EntryType::Known(Kind::Dir)
    } else if file_type.is_file() {
        EntryType::Known(Kind::File)
    } else {
        EntryType::Special
    }
}
