//! Opens and reads files with as few system calls as correctness allows.

use std::fs::File;
use std::io::{self, Read, Seek};

/// Opens files for reading. It does not wait for a FIFO that has replaced a file.
#[derive(Default)]
pub(crate) struct Opener {
    /// The directory of the last file. Files in it are opened relative to it, which takes half as long as from the root.
    #[cfg(target_os = "linux")]
    directory: Option<linux::OpenDirectory>,
    #[cfg(target_os = "linux")]
    devices: Vec<linux::Device>,
}

/// The identity, size and times of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileStat {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// Its type and permissions.
    pub(crate) mode: u32,
    /// How many names it has.
    pub(crate) links: u32,
    /// In bytes.
    pub(crate) size: u64,
    /// Nanoseconds since the epoch.
    pub(crate) modified: i64,
    /// Nanoseconds since the epoch.
    pub(crate) changed: i64,
    /// Whether every change gives it another time of change.
    pub(crate) keeps_times: bool,
}

/// An open file.
pub(crate) struct OpenFile {
    file: File,
    /// Whether a read of fewer bytes than requested means the end of the file. It does not if the read ended between two
    /// pages.
    short_is_end: bool,
    offset: u64,
    at_end: bool,
}

#[cfg(test)]
thread_local! {
    /// How often this thread read the state of a file.
    pub(crate) static STATS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The size of a page, or a divisor of it.
const PAGE_BYTES: u64 = 4096;

impl OpenFile {
    fn new(file: File, short_is_end: bool) -> Self {
        Self { file, short_is_end, offset: 0, at_end: false }
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Its identity, size and times. [`FileStat::keeps_times`] is not known.
    #[cfg(target_os = "linux")]
    pub(crate) fn stat(&self) -> io::Result<FileStat> {
        linux::stat(&self.file, c"", rustix::fs::AtFlags::EMPTY_PATH)
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it reads the file")]
    pub(crate) fn stat(&self) -> io::Result<FileStat> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Goes back to its beginning.
    pub(crate) fn rewind(&mut self) -> io::Result<()> {
        self.file.rewind()?;
        (self.offset, self.at_end) = (0, false);
        Ok(())
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at_end {
            return Ok(0);
        }
        let read = read(self, buffer)?;
        self.offset += read as u64;
        self.at_end = self.short_is_end && read < buffer.len() && !self.offset.is_multiple_of(PAGE_BYTES);
        Ok(read)
    }
}

/// Reads with a plain system call. The call of the C library is a cancellation point for threads, which costs time. If a short
/// read means the end, the call has an offset, so that it fails on a FIFO that has replaced the file.
#[cfg(target_os = "linux")]
fn read(open: &mut OpenFile, buffer: &mut [u8]) -> io::Result<usize> {
    if open.short_is_end {
        return Ok(rustix::io::pread(&open.file, buffer, open.offset)?);
    }
    Ok(rustix::io::read(&open.file, buffer)?)
}

#[cfg(not(target_os = "linux"))]
fn read(open: &mut OpenFile, buffer: &mut [u8]) -> io::Result<usize> {
    open.file.read(buffer)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use cairn_walk::{has_reliable_times, open_without_links};
    use rustix::fd::{AsFd, OwnedFd};
    use rustix::fs::{
        AtFlags, Mode, OFlags, ResolveFlags, StatxFlags, StatxTimestamp, fstat, fstatfs, makedev, openat, openat2,
        statx,
    };
    use rustix::path::Arg;

    use super::{FileStat, OpenFile, Opener};

    /// The file systems that read regular files through the page cache (`filemap_read` in the kernel's `mm/filemap.c`),
    /// by their magic number in `linux/magic.h`: ext2 to ext4, btrfs, XFS, tmpfs, ramfs, F2FS. There a read ends early at
    /// the end of the file, or before a page that could not be read. Others, `proc` and FUSE among them, end it anywhere.
    const PAGED_SYSTEMS: [u32; 6] = [0xEF53, 0x9123_683E, 0x5846_5342, 0x0102_1994, 0x8584_58F6, 0xF2F5_2010];

    /// A directory whose files are being opened.
    pub(crate) struct OpenDirectory {
        path: Vec<u8>,
        handle: OwnedFd,
        device: Device,
        /// [`OpenFile::short_is_end`] for the files on the same file system.
        short_is_end: bool,
    }

    /// The properties of a file system.
    #[derive(Clone, Copy)]
    pub(super) struct Device {
        number: u64,
        short_is_end: bool,
        keeps_times: bool,
    }

    /// Returns the identity, size and times of a file relative to a directory.
    pub(super) fn stat(directory: impl AsFd, name: impl Arg, flags: AtFlags) -> io::Result<FileStat> {
        let flags = flags | AtFlags::SYMLINK_NOFOLLOW | AtFlags::STATX_DONT_SYNC;
        let stat = statx(directory, name, flags, StatxFlags::BASIC_STATS)?;
        let nanoseconds =
            |time: StatxTimestamp| time.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(i64::from(time.tv_nsec));
        Ok(FileStat {
            device: makedev(stat.stx_dev_major, stat.stx_dev_minor),
            inode: stat.stx_ino,
            mode: u32::from(stat.stx_mode),
            links: stat.stx_nlink,
            size: stat.stx_size,
            modified: nanoseconds(stat.stx_mtime),
            changed: nanoseconds(stat.stx_ctime),
            keeps_times: false,
        })
    }

    impl Opener {
        /// Opens the file at a canonical path. A symbolic link in the path is an error. A file that is opened `alone` does
        /// not keep its directory open for the next one.
        pub(crate) fn open(&mut self, path: &[u8], alone: bool) -> io::Result<OpenFile> {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
            if alone {
                return Ok(OpenFile::new(open_without_links(path, flags)?.into(), false));
            }
            let (directory, name) = self.directory_of(path)?;
            let flags = flags | OFlags::NOFOLLOW;
            if directory.short_is_end {
                // A file may have another file mounted on it.
                match openat2(&directory.handle, name, flags, Mode::empty(), ResolveFlags::NO_XDEV) {
                    Ok(file) => return Ok(OpenFile::new(file.into(), true)),
                    Err(_) => directory.short_is_end = false,
                }
            }
            Ok(OpenFile::new(openat(&directory.handle, name, flags, Mode::empty())?.into(), false))
        }

        /// Returns the state of the file at a canonical path. A symbolic link in the path is an error, or its own state if it is the
        /// file.
        pub(crate) fn stat(&mut self, path: &[u8]) -> io::Result<FileStat> {
            #[cfg(test)]
            super::STATS.with(|count| count.set(count.get() + 1));
            let (directory, name) = self.directory_of(path)?;
            let found = stat(&directory.handle, name, AtFlags::empty())?;
            let Device { number, keeps_times, .. } = directory.device;
            // A file may have another file mounted on it.
            Ok(FileStat { keeps_times: keeps_times && found.device == number, ..found })
        }

        /// Returns the open directory of a file, and its name there.
        fn directory_of<'a>(&mut self, path: &'a [u8]) -> io::Result<(&mut OpenDirectory, &'a [u8])> {
            let (parent, name) = path.split_at(memchr::memrchr(b'/', path).map_or(0, |at| at + 1));
            let directory = match self.directory.take() {
                Some(current) if current.path == parent => current,
                _ => self.open_directory(parent)?,
            };
            Ok((self.directory.insert(directory), name))
        }

        fn open_directory(&mut self, path: &[u8]) -> io::Result<OpenDirectory> {
            let handle = open_without_links(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
            let number = fstat(&handle).map_or(0, |stat| stat.st_dev);
            let device = self.device(number, &handle);
            Ok(OpenDirectory { path: path.to_vec(), handle, device, short_is_end: device.short_is_end })
        }

        #[allow(clippy::cast_sign_loss, reason = "a magic number; its type differs between architectures")]
        fn device(&mut self, number: u64, handle: &OwnedFd) -> Device {
            if let Some(known) = self.devices.iter().find(|known| known.number == number) {
                return *known;
            }
            let short_is_end = fstatfs(handle).is_ok_and(|system| PAGED_SYSTEMS.contains(&(system.f_type as u32)));
            let device = Device { number, short_is_end, keeps_times: has_reliable_times(handle) };
            self.devices.push(device);
            device
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Opener {
    /// Opens the file at a canonical path. A symbolic link at this path is an error; one that replaced a directory above it
    /// is followed here.
    #[expect(clippy::unused_self, reason = "on Linux it keeps a directory")]
    pub(crate) fn open(&mut self, path: &[u8], _alone: bool) -> io::Result<OpenFile> {
        let mut options = std::fs::OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NOFOLLOW;
            options.custom_flags(flags.bits().cast_signed());
        }
        Ok(OpenFile::new(options.open(cairn_walk::from_bytes(path))?, false))
    }
}

#[cfg(not(target_os = "linux"))]
impl Opener {
    #[expect(clippy::unused_self, reason = "on Linux it keeps a directory")]
    pub(crate) fn stat(&mut self, _path: &[u8]) -> io::Result<FileStat> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Opener {
    /// Opens the file at a path, which may have symbolic links.
    #[expect(clippy::unused_self, reason = "the other way to open a file keeps a directory")]
    pub(crate) fn follow(&self, path: &[u8]) -> io::Result<OpenFile> {
        let mut options = std::fs::OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
            options.custom_flags(flags.bits().cast_signed());
        }
        Ok(OpenFile::new(options.open(cairn_walk::from_bytes(path))?, false))
    }
}

/// Whether opening failed because the path is a link.
pub(crate) fn is_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_to_its_end_on_every_file_system() {
        let tree = tempfile::tempdir().unwrap();
        let mut paths: Vec<std::path::PathBuf> = [0, 1, 4095, 4096, 8192, 100_000, 600_000]
            .into_iter()
            .map(|size| {
                let path = tree.path().join(size.to_string());
                std::fs::write(&path, vec![b'x'; size]).unwrap();
                path
            })
            .collect();
        // It is made as it is read, a page at a time that does not end with one.
        if cfg!(target_os = "linux") {
            paths.push(std::fs::canonicalize("/proc/self/smaps").unwrap());
        }
        let mut opener = Opener::default();
        for path in paths {
            let mut file = opener.open(path.as_os_str().as_encoded_bytes(), false).unwrap();
            // The file of the process itself may differ from one time to the next.
            let expected = std::fs::read(&path).unwrap().len();
            for round in ["at first", "again"] {
                let mut buffer = vec![0; 256 * 1024];
                let mut seen = 0;
                while let read @ 1.. = file.read(&mut buffer).unwrap() {
                    seen += read;
                }
                let is_whole = if path.starts_with("/proc") { seen > 2 * 4096 } else { seen == expected };
                assert!(is_whole, "{}, {round}: {seen} of {expected}", path.display());
                file.rewind().unwrap();
            }
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_contents_of_a_fifo_are_not_mistaken_for_a_whole_file() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        use std::io::Write;

        let tree = tempfile::tempdir().unwrap();
        let path = tree.path().join("fifo");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let mut writer = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        writer.write_all(b"the first of two lines\n").unwrap();
        let mut file = Opener::default().open(path.as_os_str().as_encoded_bytes(), false).unwrap();
        let mut buffer = [0; 64];
        let mut read = file.read(&mut buffer);
        while matches!(read, Ok(1..)) {
            read = file.read(&mut buffer);
        }
        assert!(read.is_err(), "no end was met: {read:?}");
    }
}
