//! Linux: `getdents64` into a reused buffer, and `statat` relative to the open directory.

use std::cell::RefCell;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat, fstat, fstatfs, open, openat, openat2, statat,
    statfs,
};
use rustix::io::Errno;

use super::types::{EntryType, LinkTarget, Meta, Stamp};
use crate::kind::Kind;

/// Bytes of directory entries fetched per system call; the C library uses 32 KiB.
const BUFFER_BYTES: usize = 32 * 1024;

thread_local! {
    /// One buffer per worker, reused for every directory.
    static BUFFER: RefCell<Vec<MaybeUninit<u8>>> = RefCell::new(vec![MaybeUninit::uninit(); BUFFER_BYTES]);
}

/// File systems with reliable directory times, by their magic number in `linux/magic.h` or their own sources:
/// ext2 to ext4, btrfs, XFS, tmpfs, ramfs, overlayfs, F2FS, ZFS, bcachefs, squashfs, EROFS.
const LOCAL_SYSTEMS: [u32; 11] = [
    0xEF53,
    0x9123_683E,
    0x5846_5342,
    0x0102_1994,
    0x8584_58F6,
    0x794C_7630,
    0xF2F5_2010,
    0x2FC1_2FC1,
    0xCA45_1A4E,
    0x7371_7368,
    0xE0F5_E1E2,
];

/// An open directory.
pub(crate) struct DirectoryHandle {
    fd: OwnedFd,
}

/// Returns the stamp of the file at an absolute path.
pub(crate) fn stamp_of(path: &Path, follow: bool) -> io::Result<Stamp> {
    Ok(stamp(&statat(CWD, path, at_flags(follow))?))
}

/// Whether the file at an absolute path is on a file system with reliable times.
#[allow(clippy::cast_sign_loss, reason = "a magic number; its type differs between architectures")]
pub(crate) fn has_reliable_times_at(path: &Path) -> bool {
    statfs(path).is_ok_and(|system| LOCAL_SYSTEMS.contains(&(system.f_type as u32)))
}

/// Whether an open file is on a local file system with reliable times.
#[allow(clippy::cast_sign_loss, reason = "a magic number; its type differs between architectures")]
pub fn has_reliable_times(file: impl AsFd) -> bool {
    fstatfs(file).is_ok_and(|system| LOCAL_SYSTEMS.contains(&(system.f_type as u32)))
}

/// Opens an absolute path. A symbolic link anywhere in it is an error, so a directory that was replaced by a link after the
/// path was resolved does not lead elsewhere.
///
/// # Errors
/// `ELOOP` or `ENOTDIR` for a link; see `open(2)`.
pub fn open_without_links(path: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Linux has the call since 5.6, and some sandboxes reject it.
        Err(Errno::NOSYS | Errno::PERM) => open_stepwise(path, flags),
        opened => opened,
    }
}

/// Does the same with one call for each name of the path.
fn open_stepwise(path: &[u8], flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).peekable();
    if names.peek().is_none() {
        return openat(CWD, "/", flags, Mode::empty());
    }
    let mut directory = openat(CWD, "/", step, Mode::empty())?;
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            return openat(&directory, name, flags | OFlags::NOFOLLOW, Mode::empty());
        }
        directory = openat(&directory, name, step, Mode::empty())?;
    }
    unreachable!("the last name was opened")
}

fn at_flags(follow: bool) -> AtFlags {
    if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW }
}

#[allow(clippy::unnecessary_cast, reason = "the field types differ between architectures")]
fn stamp(stat: &Stat) -> Stamp {
    let nanoseconds = |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
    Stamp {
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        file_type: stat.st_mode & 0o17_0000,
    }
}

impl DirectoryHandle {
    /// Opens a directory by its canonical path. A symbolic link in the path is an error.
    pub(crate) fn open_canonical(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { fd: open_without_links(path.as_os_str().as_encoded_bytes(), flags)? })
    }

    /// Opens a directory, in a tree whose links are followed. With `through_link` the last component may be a link.
    pub(crate) fn open(path: &Path, through_link: bool) -> io::Result<Self> {
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if !through_link {
            flags |= OFlags::NOFOLLOW;
        }
        Ok(Self { fd: open(path, flags, Mode::empty())? })
    }

    pub(crate) fn stamp(&self) -> io::Result<Stamp> {
        Ok(stamp(&fstat(&self.fd)?))
    }

    /// Returns the stamp of the file at a path relative to this directory; an empty path is the directory itself.
    pub(crate) fn stamp_at(&self, path: &[u8], follow: bool) -> io::Result<Stamp> {
        if path.is_empty() { self.stamp() } else { Ok(stamp(&statat(&self.fd, path, at_flags(follow))?)) }
    }

    /// Whether its file system is a local one with reliable directory times.
    pub(crate) fn has_reliable_times(&self) -> bool {
        has_reliable_times(&self.fd)
    }

    /// Calls `visit` with each name except `.` and `..`. Stops at the first error of `visit`.
    ///
    /// # Errors
    /// The outer error comes from `visit`. The inner error means that the system could not list the rest.
    pub(crate) fn for_each<E>(
        &self,
        mut visit: impl FnMut(&[u8], EntryType) -> Result<(), E>,
    ) -> Result<io::Result<()>, E> {
        BUFFER.with_borrow_mut(|buffer| self.for_each_with(buffer, &mut visit))
    }

    fn for_each_with<E>(
        &self,
        buffer: &mut [MaybeUninit<u8>],
        visit: &mut impl FnMut(&[u8], EntryType) -> Result<(), E>,
    ) -> Result<io::Result<()>, E> {
        let mut entries = RawDir::new(&self.fd, buffer);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return Ok(Err(error.into())),
            };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let mut file_type = entry.file_type();
            if file_type == FileType::Unknown {
                match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => file_type = FileType::from_raw_mode(stat.st_mode),
                    // Removed since it was listed.
                    Err(_) => continue,
                }
            }
            visit(name.to_bytes(), entry_type(file_type))?;
        }
        Ok(Ok(()))
    }

    /// Returns the metadata of a name in this directory. Does not follow links.
    pub(crate) fn meta(&self, name: &[u8]) -> io::Result<Meta> {
        let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Meta { mtime_ms: mtime_ms(&stat), size: file_size(&stat) })
    }

    /// Returns the target of a symbolic link in this directory.
    pub(crate) fn link_target(&self, name: &[u8]) -> LinkTarget {
        match statat(&self.fd, name, AtFlags::empty()) {
            Ok(stat) => match entry_type(FileType::from_raw_mode(stat.st_mode)) {
                EntryType::Known(Kind::Dir) => LinkTarget::Dir,
                EntryType::Known(_) => LinkTarget::File,
                EntryType::Special => LinkTarget::Special,
            },
            Err(_) => LinkTarget::Missing,
        }
    }
}

fn entry_type(file_type: FileType) -> EntryType {
    match file_type {
        FileType::RegularFile => EntryType::Known(Kind::File),
        FileType::Directory => EntryType::Known(Kind::Dir),
        FileType::Symlink => EntryType::Known(Kind::Symlink),
        _ => EntryType::Special,
    }
}

#[allow(clippy::unnecessary_cast, reason = "the field types differ between architectures")]
fn mtime_ms(stat: &Stat) -> f64 {
    stat.st_mtime as f64 * 1000.0 + (stat.st_mtime_nsec as f64 / 1e6).floor()
}

#[allow(clippy::unnecessary_cast, reason = "the field types differ between architectures")]
#[allow(clippy::cast_sign_loss, reason = "a regular file's size is not negative")]
fn file_size(stat: &Stat) -> Option<u64> {
    (FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(stat.st_size as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_a_link_in_it_is_not_opened() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/inner")).unwrap();
        std::fs::write(root.join("real/inner/file"), "").unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        std::os::unix::fs::symlink("file", root.join("real/inner/last")).unwrap();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        for open in [open_without_links, open_stepwise] {
            let opens = |path: &str| open(root.join(path).as_os_str().as_encoded_bytes(), flags).is_ok();
            assert!(opens("real/inner/file") && opens("real/inner") && opens("real/"));
            assert!(!opens("link/inner/file") && !opens("link/inner") && !opens("real/inner/last"));
            assert!(open(b"/", flags).is_ok());
        }
        assert!(DirectoryHandle::open_canonical(&root.join("link/inner")).is_err());
    }
}
