//! inotify, and the table of mounts: what the kernel reports of changes. See `inotify(7)`.

use std::fs;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use cairn_walk::open_without_links;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init, remove_watch};
use rustix::fs::{OFlags, fstat};

use super::event::{Change, Event};

/// Some hundreds of events.
const BUFFER_BYTES: usize = 32 << 10;

/// The queue of one inotify instance. Nothing waits for it: it is read when a search begins.
pub(super) struct Queue {
    inotify: OwnedFd,
    mounts: File,
    buffer: Vec<MaybeUninit<u8>>,
}

impl Queue {
    pub(super) fn open() -> io::Result<Self> {
        let inotify = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mounts = File::open("/proc/self/mountinfo")?;
        let queue = Self { inotify, mounts, buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES] };
        queue.has_other_mounts();
        Ok(queue)
    }

    /// Watches a directory. Returns the number of the watch, and device and inode of the directory. A link in the path is an error.
    pub(super) fn add(&self, path: &[u8]) -> io::Result<(i32, (u64, u64))> {
        let directory = open_without_links(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
        let stat = fstat(&directory)?;
        let flags = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::EXCL_UNLINK;
        let number = add_watch(&self.inotify, format!("/proc/self/fd/{}", directory.as_raw_fd()), flags)?;
        Ok((number, (stat.st_dev, stat.st_ino)))
    }

    pub(super) fn remove(&self, number: i32) {
        // A directory that was removed has no watch any more.
        let _ = remove_watch(&self.inotify, number);
    }

    /// Passes on what was reported up to now. An error means that reports may be missing.
    pub(super) fn read(&mut self, take: &mut dyn FnMut(Event<'_>)) -> io::Result<()> {
        let mut reader = Reader::new(self.inotify.as_fd(), &mut self.buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(rustix::io::Errno::AGAIN) => return Ok(()),
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let (flags, directory) = (event.events(), event.wd());
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                take(Event::Lost);
            } else if flags.contains(ReadFlags::IGNORED) {
                take(Event::Ended(directory));
            } else if let Some(name) = event.file_name() {
                let change = if flags.contains(ReadFlags::MOVED_FROM) {
                    Change::Left(event.cookie())
                } else if flags.contains(ReadFlags::MOVED_TO) {
                    Change::Arrived(event.cookie())
                } else if flags.contains(ReadFlags::CREATE) {
                    Change::Created
                } else if flags.contains(ReadFlags::DELETE) {
                    Change::Removed
                } else {
                    Change::Contents
                };
                let is_directory = flags.contains(ReadFlags::ISDIR);
                take(Event::Name { directory, name: name.to_bytes(), is_directory, change });
            } else {
                take(Event::Gone(directory));
            }
        }
    }

    /// Whether something was mounted or unmounted since the last call.
    pub(super) fn has_other_mounts(&self) -> bool {
        let mut files = [PollFd::new(&self.mounts, PollFlags::PRI)];
        let polled = poll(&mut files, Some(&Timespec::default()));
        polled.is_err() || files[0].revents().intersects(PollFlags::PRI | PollFlags::ERR)
    }
}

/// How many watches a user may have.
pub(super) fn max_watches() -> usize {
    let text = fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
