//! Watches the directories of indexed trees, so that a search need not read the state of every file.
//!
//! No thread listens. The kernel queues a report before the call that changes a file returns, and each search reads the queue when
//! it begins. So it knows of every change that was finished before, but for those that are never reported: stores through a mapping
//! of a file, writes with `io_submit`, and writes through a name outside of the watched directories.
//!
//! Everything that is trusted was first compared with the disk while it was watched: a file when its state was read, a list of files
//! when its directories were validated. Any report withdraws the trust in its subject, and a report that is lost withdraws all.

#[cfg(not(target_os = "linux"))]
#[path = "watch/no_queue.rs"]
mod queue;
#[cfg(target_os = "linux")]
mod queue;

mod event;
mod names;

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use cairn_walk::{Kind, Snapshot, to_bytes};

use self::event::{Change, Event};
use self::names::NewNames;
use self::queue::{Queue, max_watches};
use super::root::{NO_SLOT, RootIndex};

/// The watched directories of a process.
#[derive(Default)]
pub(super) struct Watcher {
    queue: Option<Queue>,
    paths: HashMap<i32, Arc<[u8]>>,
    numbers: HashMap<Arc<[u8]>, i32>,
    /// Device and inode of the roots of the watched trees: a change above them is not reported.
    roots: HashMap<Arc<[u8]>, (u64, u64)>,
    /// Rises when watches are added or removed.
    version: u64,
    /// [`super::IndexPolicy::max_watches`], and how many there may be on this system.
    limit: usize,
    max: usize,
    /// The watches that the queue is to end.
    ended: Vec<i32>,
}

/// The watched part of a snapshot.
#[derive(Clone)]
pub(super) struct Coverage {
    snapshot: Arc<Snapshot>,
    version: u64,
    /// By the slots of the files: whether the directory is watched.
    pub(super) files: Arc<Bits>,
    /// Whether all directories are.
    pub(super) is_complete: bool,
}

/// A set of slots.
#[derive(Clone, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn contains(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    pub(super) fn insert(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: u32) {
        if let Some(word) = self.0.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// The parts of a tree that need no comparison with the disk.
#[derive(Default)]
pub(super) struct Trust {
    /// The files that are as they were indexed.
    pub(super) files: Bits,
    /// The snapshots that have all files of their trees.
    pub(super) trees: Vec<Arc<Snapshot>>,
    /// Rises with every report.
    pub(super) sequence: u64,
    coverage: Option<Coverage>,
}

impl Trust {
    pub(super) fn withdraw(&mut self) {
        self.files = Bits::default();
        self.trees.clear();
        self.sequence += 1;
    }
}

impl Watcher {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Withdraws the trust in everything that was reported to have changed. `indexes` are all there are, and no other becomes one of
    /// them during the call: a report is read once.
    pub(super) fn drain(&mut self, indexes: &[Arc<RootIndex>]) {
        let Some(mut queue) = self.queue.take() else { return };
        let mut names = NewNames::default();
        let mut is_lost = queue.has_other_mounts();
        let read = queue.read(&mut |event| is_lost |= !self.take(&event, indexes, &mut names));
        if is_lost || read.is_err() {
            self.begin_again(indexes);
            return;
        }
        let is_indexed = |root: &[u8]| indexes.iter().any(|index| inside(root, &to_bytes(&index.root)).is_some());
        let is_there = |(root, known): &(&Arc<[u8]>, &(u64, u64))| identity(root) == Some(**known) && is_indexed(root);
        let gone: Vec<Arc<[u8]>> =
            self.roots.iter().filter(|root| !is_there(root)).map(|(root, _)| Arc::clone(root)).collect();
        for root in gone {
            self.forget(&root, indexes);
            self.roots.remove(&root);
        }
        self.ended.drain(..).for_each(|number| queue.remove(number));
        self.queue = Some(queue);
        if names.may_be_links() {
            withdraw_all(indexes);
        }
    }

    /// Ends all watches. After a report that was lost, or a mount, the directory at a path need not be the one that was watched there.
    fn begin_again(&mut self, indexes: &[Arc<RootIndex>]) {
        *self = Self { version: self.version + 1, ..Self::new(self.limit) };
        withdraw_all(indexes);
    }

    /// Returns whether it is known what changed.
    fn take(&mut self, event: &Event<'_>, indexes: &[Arc<RootIndex>], names: &mut NewNames) -> bool {
        match *event {
            Event::Lost => return false,
            Event::Ended(number) | Event::Gone(number) => {
                // Watches that were removed here end too.
                if let Some(path) = self.paths.get(&number).cloned() {
                    self.forget(&path, indexes);
                }
            }
            Event::Name { directory, name, is_directory, change } => {
                let Some(path) = self.paths.get(&directory).cloned() else { return true };
                let path = [&path, b"/".as_slice(), name].concat();
                if is_directory && !matches!(change, Change::Created | Change::Removed) {
                    self.forget(&path, indexes);
                }
                names.note(&path, is_directory, change);
                for index in indexes {
                    let Some(inside) = inside(&path, &to_bytes(&index.root)) else { continue };
                    let slot = index.slot_of(inside);
                    let mut trust = index.trust();
                    trust.sequence += 1;
                    if let Some(slot) = slot {
                        trust.files.remove(slot);
                    }
                    // A hidden file may have ignore rules.
                    if change != Change::Contents || name.starts_with(b".") {
                        trust.trees.clear();
                    }
                }
            }
        }
        true
    }

    /// Ends the watches at and below a path, and the trust in what is there.
    fn forget(&mut self, path: &[u8], indexes: &[Arc<RootIndex>]) {
        let below: Vec<(Arc<[u8]>, i32)> = self
            .numbers
            .iter()
            .filter(|(other, _)| inside(other, path).is_some())
            .map(|(other, number)| (Arc::clone(other), *number))
            .collect();
        for (other, number) in below {
            self.numbers.remove(&other);
            self.paths.remove(&number);
            self.ended.push(number);
        }
        self.version += 1;
        for index in indexes {
            let root = to_bytes(&index.root);
            if inside(path, &root).is_some() || inside(&root, path).is_some() {
                index.trust().withdraw();
            }
        }
    }

    /// Watches the directories of a snapshot, as far as the limits allow.
    pub(super) fn cover(&mut self, index: &RootIndex, snapshot: &Arc<Snapshot>, slots: &[u32]) -> Coverage {
        let mut trust = index.trust();
        let known = trust.coverage.as_ref();
        if let Some(known) =
            known.filter(|known| known.version == self.version && Arc::ptr_eq(&known.snapshot, snapshot))
        {
            return known.clone();
        }
        let root: Arc<[u8]> = to_bytes(snapshot.root()).into();
        let mut files = Bits::default();
        let mut is_complete = self.watch(&root, None);
        let mut above = (root.to_vec(), is_complete);
        for (entry, slot) in slots.iter().enumerate() {
            let path = snapshot.path(entry);
            if *slot == NO_SLOT && snapshot.kind(entry) == Kind::Dir {
                is_complete &= self.watch(&[&root, b"/".as_slice(), path].concat(), Some(&root));
            }
            if *slot != NO_SLOT {
                let parent = memchr::memrchr(b'/', path).map_or(&b""[..], |at| &path[..at]);
                if above.0.get(root.len() + 1..).unwrap_or_default() != parent {
                    above.0 = if parent.is_empty() { root.to_vec() } else { [&root, b"/".as_slice(), parent].concat() };
                    above.1 = self.numbers.contains_key(above.0.as_slice());
                }
                if above.1 {
                    files.insert(*slot);
                }
            }
        }
        let coverage =
            Coverage { snapshot: Arc::clone(snapshot), version: self.version, files: Arc::new(files), is_complete };
        trust.coverage = Some(coverage.clone());
        coverage
    }

    /// Watches a directory below `root` if the one above it is watched, or the root itself. Returns whether it is watched.
    fn watch(&mut self, path: &[u8], root: Option<&[u8]>) -> bool {
        if self.numbers.contains_key(path) {
            return true;
        }
        let parent = &path[..memchr::memrchr(b'/', path).unwrap_or(0)];
        // A change of a directory that is not watched is not reported, so what is below it cannot be trusted.
        let is_reachable = root.is_none() || self.numbers.contains_key(parent);
        if self.queue.is_none() && is_reachable {
            self.queue = Queue::open().ok();
            self.max = self.limit.min(max_watches() / 4);
        }
        if !is_reachable || self.paths.len() >= self.max {
            return false;
        }
        let Some(Ok((number, identity))) = self.queue.as_ref().map(|queue| queue.add(path)) else { return false };
        // One directory at two paths: only the first one is watched.
        if self.paths.contains_key(&number) {
            return false;
        }
        let path: Arc<[u8]> = path.into();
        if root.is_none() {
            self.roots.insert(Arc::clone(&path), identity);
        }
        self.paths.insert(number, Arc::clone(&path));
        self.numbers.insert(path, number);
        self.version += 1;
        true
    }
}

fn withdraw_all(indexes: &[Arc<RootIndex>]) {
    for index in indexes {
        index.trust().withdraw();
    }
}

/// Returns the part of a path below a directory; empty for the directory itself.
fn inside<'a>(path: &'a [u8], directory: &[u8]) -> Option<&'a [u8]> {
    match path.strip_prefix(directory)? {
        [] => Some(&[]),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Returns device and inode of a directory.
#[cfg(unix)]
fn identity(path: &[u8]) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::symlink_metadata(&*cairn_walk::from_bytes(path)).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_path: &[u8]) -> Option<(u64, u64)> {
    None
}
