//! Lists one directory. On Linux straight from `getdents64` into a reused buffer; elsewhere through `std`.

use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::snapshot::Kind;

/// What a directory says about one of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// A file, a directory or a symbolic link.
    Known(Kind),
    /// A FIFO, socket or device: no entry of ours.
    Special,
}

/// Modification time in milliseconds since the epoch, and size for regular files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) mtime_ms: f64,
    pub(crate) size: Option<u64>,
}

/// Identity and times of a directory or file. While it stays the same, so do the names in the directory or the contents
/// of the file: systems that are [`Directory::keeps_times`] set the time of change at every change, and let nobody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Nanoseconds since the epoch.
    pub(crate) modified: i64,
    pub(crate) changed: i64,
    /// The file type bits of its mode; 0 where the system has none.
    pub(crate) file_type: u32,
}

/// A clock of a file system may tick so rarely, in nanoseconds: ten milliseconds at 100 Hz, and as much again.
const TICK: i64 = 20_000_000;
/// The same where times are whole seconds.
const COARSE_TICK: i64 = 2_000_000_000;

impl Stamp {
    /// Device and inode.
    pub(crate) fn identity(self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Whether a change at the time `now` or later is sure to give another stamp.
    pub(crate) fn is_settled(self, now: SystemTime) -> bool {
        let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos().try_into().unwrap_or(i64::MAX));
        let whole_seconds = self.changed % 1_000_000_000 == 0 && self.modified % 1_000_000_000 == 0;
        self.changed.saturating_add(if whole_seconds { COARSE_TICK } else { TICK }) < now
    }
}

/// What a symbolic link points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    File,
    Dir,
    Special,
    Missing,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{Directory, keeps_times_at, stamp_of};
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{Directory, keeps_times_at, stamp_of};

#[cfg(target_os = "linux")]
mod linux {
    use std::cell::RefCell;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, Stat, fstat, fstatfs, open, statat, statfs};

    use super::{Kind, LinkTarget, Listed, Meta, Path, Stamp, io};

    /// Bytes of directory entries fetched per system call; the C library uses 32 KiB.
    const BUFFER_BYTES: usize = 32 * 1024;

    thread_local! {
        /// One buffer per worker, reused for every directory.
        static BUFFER: RefCell<Vec<MaybeUninit<u8>>> = RefCell::new(vec![MaybeUninit::uninit(); BUFFER_BYTES]);
    }

    /// The file systems whose directory times are trusted, by their magic number in `linux/magic.h` or their own sources:
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
    pub(crate) struct Directory {
        fd: OwnedFd,
    }

    /// The stamp of what lies at an absolute path.
    pub(crate) fn stamp_of(path: &Path, follow: bool) -> io::Result<Stamp> {
        Ok(stamp(&statat(CWD, path, at_flags(follow))?))
    }

    /// Whether what lies at an absolute path is on a file system that keeps times.
    #[allow(clippy::cast_sign_loss, reason = "a magic number; its type differs between architectures")]
    pub(crate) fn keeps_times_at(path: &Path) -> bool {
        statfs(path).is_ok_and(|system| LOCAL_SYSTEMS.contains(&(system.f_type as u32)))
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

    impl Directory {
        /// Opens a directory. With `through_link` the last component may be a symbolic link.
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

        /// The stamp of what lies at a path in this directory; the directory's own for an empty one.
        pub(crate) fn stamp_at(&self, path: &[u8], follow: bool) -> io::Result<Stamp> {
            if path.is_empty() { self.stamp() } else { Ok(stamp(&statat(&self.fd, path, at_flags(follow))?)) }
        }

        /// Whether its file system is a local one that is known to keep the times of directories.
        #[allow(clippy::cast_sign_loss, reason = "a magic number; its type differs between architectures")]
        pub(crate) fn keeps_times(&self) -> bool {
            fstatfs(&self.fd).is_ok_and(|system| LOCAL_SYSTEMS.contains(&(system.f_type as u32)))
        }

        /// Calls `visit` with each name but `.` and `..`, until it answers with an error.
        ///
        /// The outer error is the visitor's; an inner one means that the system could not list the rest.
        pub(crate) fn for_each<E>(
            &self,
            mut visit: impl FnMut(&[u8], Listed) -> Result<(), E>,
        ) -> Result<io::Result<()>, E> {
            BUFFER.with_borrow_mut(|buffer| self.for_each_with(buffer, &mut visit))
        }

        fn for_each_with<E>(
            &self,
            buffer: &mut [MaybeUninit<u8>],
            visit: &mut impl FnMut(&[u8], Listed) -> Result<(), E>,
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
                        // Gone since it was listed.
                        Err(_) => continue,
                    }
                }
                visit(name.to_bytes(), listed(file_type))?;
            }
            Ok(Ok(()))
        }

        /// Metadata of a name in this directory, not of what a link points to.
        pub(crate) fn meta(&self, name: &[u8]) -> io::Result<Meta> {
            let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(Meta { mtime_ms: mtime_ms(&stat), size: file_size(&stat) })
        }

        /// What a symbolic link in this directory points to.
        pub(crate) fn link_target(&self, name: &[u8]) -> LinkTarget {
            match statat(&self.fd, name, AtFlags::empty()) {
                Ok(stat) => match listed(FileType::from_raw_mode(stat.st_mode)) {
                    Listed::Known(Kind::Dir) => LinkTarget::Dir,
                    Listed::Known(_) => LinkTarget::File,
                    Listed::Special => LinkTarget::Special,
                },
                Err(_) => LinkTarget::Missing,
            }
        }
    }

    fn listed(file_type: FileType) -> Listed {
        match file_type {
            FileType::RegularFile => Listed::Known(Kind::File),
            FileType::Directory => Listed::Known(Kind::Dir),
            FileType::Symlink => Listed::Known(Kind::Symlink),
            _ => Listed::Special,
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
}

#[cfg(not(target_os = "linux"))]
mod portable {
    use std::fs;
    use std::path::PathBuf;
    use std::time::UNIX_EPOCH;

    use super::{Kind, LinkTarget, Listed, Meta, Path, Stamp, io};

    /// A directory by its path.
    pub(crate) struct Directory {
        path: PathBuf,
    }

    /// Nobody has tried yet which systems do.
    pub(crate) fn keeps_times_at(_path: &Path) -> bool {
        false
    }

    /// Identity only; times are not trusted here.
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

    /// Windows has no stable inode in `std`: the canonical path stands for it.
    #[cfg(not(unix))]
    fn identity(path: &Path, _metadata: &fs::Metadata) -> io::Result<(u64, u64)> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        path.canonicalize()?.hash(&mut hasher);
        Ok((0, hasher.finish()))
    }

    impl Directory {
        pub(crate) fn open(path: &Path, through_link: bool) -> io::Result<Self> {
            let metadata = if through_link { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
            if metadata.is_dir() {
                Ok(Self { path: path.to_owned() })
            } else {
                Err(io::ErrorKind::NotADirectory.into())
            }
        }

        pub(crate) fn stamp(&self) -> io::Result<Stamp> {
            stamp_of(&self.path, true)
        }

        pub(crate) fn stamp_at(&self, path: &[u8], follow: bool) -> io::Result<Stamp> {
            stamp_of(&self.path.join(crate::paths::from_bytes(path)), follow)
        }

        /// Nobody has tried yet which systems do.
        pub(crate) fn keeps_times(&self) -> bool {
            false
        }

        pub(crate) fn for_each<E>(
            &self,
            mut visit: impl FnMut(&[u8], Listed) -> Result<(), E>,
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
                visit(&crate::paths::to_bytes(Path::new(&entry.file_name())), listed(file_type))?;
            }
            Ok(Ok(()))
        }

        pub(crate) fn meta(&self, name: &[u8]) -> io::Result<Meta> {
            let metadata = fs::symlink_metadata(self.path.join(crate::paths::from_bytes(name)))?;
            let since_epoch = metadata.modified()?.duration_since(UNIX_EPOCH);
            let mtime_ms = since_epoch
                .map_or_else(|before| -(before.duration().as_millis() as f64), |after| after.as_millis() as f64);
            Ok(Meta { mtime_ms, size: metadata.is_file().then(|| metadata.len()) })
        }

        pub(crate) fn link_target(&self, name: &[u8]) -> LinkTarget {
            match fs::metadata(self.path.join(crate::paths::from_bytes(name))) {
                Ok(metadata) if metadata.is_dir() => LinkTarget::Dir,
                Ok(metadata) if metadata.is_file() => LinkTarget::File,
                Ok(_) => LinkTarget::Special,
                Err(_) => LinkTarget::Missing,
            }
        }
    }

    fn listed(file_type: fs::FileType) -> Listed {
        if file_type.is_symlink() {
            Listed::Known(Kind::Symlink)
        } else if file_type.is_dir() {
            Listed::Known(Kind::Dir)
        } else if file_type.is_file() {
            Listed::Known(Kind::File)
        } else {
            Listed::Special
        }
    }
}
