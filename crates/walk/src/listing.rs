//! Lists one directory. On Linux straight from `getdents64` into a reused buffer; elsewhere through `std`.

use std::io;
use std::path::Path;

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

/// What a symbolic link points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkTarget {
    File,
    Dir,
    Special,
    Missing,
}

#[cfg(target_os = "linux")]
pub(crate) use linux::Directory;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::Directory;

#[cfg(target_os = "linux")]
mod linux {
    use std::cell::RefCell;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat, fstat, open, statat};

    use super::{Kind, LinkTarget, Listed, Meta, Path, io};

    /// Bytes of directory entries fetched per system call; the C library uses 32 KiB.
    const BUFFER_BYTES: usize = 32 * 1024;

    thread_local! {
        /// One buffer per worker, reused for every directory.
        static BUFFER: RefCell<Vec<MaybeUninit<u8>>> = RefCell::new(vec![MaybeUninit::uninit(); BUFFER_BYTES]);
    }

    /// An open directory.
    pub(crate) struct Directory {
        fd: OwnedFd,
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

        /// Device and inode.
        pub(crate) fn identity(&self) -> io::Result<(u64, u64)> {
            let stat = fstat(&self.fd)?;
            Ok((stat.st_dev, stat.st_ino))
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

    use super::{Kind, LinkTarget, Listed, Meta, Path, io};

    /// A directory by its path.
    pub(crate) struct Directory {
        path: PathBuf,
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

        #[cfg(unix)]
        pub(crate) fn identity(&self) -> io::Result<(u64, u64)> {
            use std::os::unix::fs::MetadataExt;
            let metadata = fs::metadata(&self.path)?;
            Ok((metadata.dev(), metadata.ino()))
        }

        /// Windows has no stable inode in `std`: the canonical path stands for it.
        #[cfg(not(unix))]
        pub(crate) fn identity(&self) -> io::Result<(u64, u64)> {
            use std::hash::{DefaultHasher, Hash, Hasher};
            let mut hasher = DefaultHasher::new();
            self.path.canonicalize()?.hash(&mut hasher);
            Ok((0, hasher.finish()))
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
