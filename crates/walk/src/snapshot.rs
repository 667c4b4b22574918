//! The immutable result of one scan.

mod builder;
mod view;

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::compose::composed;
use crate::fingerprint::Fingerprint;
use crate::kind::Kind;
use crate::options::ScanOptions;
use crate::paths::{from_bytes, slashes};
use crate::rules::{Environment, RuleFileState};
use crate::unread::Unread;

pub(crate) use self::builder::{SnapshotBuilder, SnapshotHead};
pub(crate) use self::view::covers;

/// Why a snapshot does not contain the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The tree has more entries than one scan may collect.
    Budget,
    /// The caller's time ran out, and it had asked for a partial result.
    Timeout,
}

/// The position of an entry's path in the arena. The path begins where the path of the previous entry ends.
#[derive(Clone, Copy, Debug)]
struct Record {
    end: u32,
    name_len: u16,
    depth: u16,
    kind: Kind,
    excluded: bool,
}

/// All entries that one scan listed, sorted by the bytes of the whole relative path.
///
/// A snapshot never changes and is shared by reference: a cache hit copies nothing. In addition to the bytes of the
/// paths, an entry takes 12 bytes, or 36 with [`crate::Detail::Full`]. A snapshot is as old as its scan; see
/// [`crate::ScanCache`] for when callers receive an old one.
pub struct Snapshot {
    root: PathBuf,
    options: ScanOptions,
    generation: u64,
    entries: Arc<Entries>,
    unread: Unread,
    /// See [`Snapshot::skipped_node_modules`].
    skipped: Arc<[Box<[u8]>]>,
    cut: Option<Cut>,
    whole: bool,
    outside: Outside,
    fingerprint: Option<Fingerprint>,
    /// See [`Snapshot::has_same_tree_through_links`].
    same_through_links: OnceLock<bool>,
}

/// The entries of a snapshot, and what is computed from them. A later snapshot with the same entries shares them: a file that is
/// replaced changes the times of its directory and nothing else.
struct Entries {
    arena: Box<[u8]>,
    records: Box<[Record]>,
    times: Box<[f64]>,
    sizes: Box<[Option<u64>]>,
    decomposed: OnceLock<Decomposed>,
    derived: Mutex<Vec<Arc<dyn Kept>>>,
}

/// A structure that is computed from a snapshot and stored with it.
pub trait Derived: Any + Send + Sync {
    /// Returns the memory held, in bytes. It may change.
    fn bytes(&self) -> usize;
}

/// [`Derived`], for the list of a snapshot.
trait Kept: Send + Sync {
    fn bytes(&self) -> usize;
    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<T: Derived> Kept for T {
    fn bytes(&self) -> usize {
        Derived::bytes(self)
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// The entries with paths that are not in the composed form, with that form, in path order. Usually there are none.
#[derive(Debug, Default)]
pub struct Decomposed(Box<[(u32, Box<[u8]>)]>);

impl Decomposed {
    /// Whether the paths of all entries are composed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the entries in a range.
    #[must_use]
    pub fn within(&self, entries: Range<usize>) -> &[(u32, Box<[u8]>)] {
        let before = |end: usize| self.0.partition_point(|&(entry, _)| (entry as usize) < end);
        &self.0[before(entries.start)..before(entries.end)]
    }
}

/// Files and directories outside the root's own tree that a snapshot depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outside {
    /// Ignore files that their name alone does not identify, by canonical path.
    pub(crate) rule_files: Vec<PathBuf>,
    /// The targets of followed links.
    pub(crate) link_targets: Vec<PathBuf>,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { root, options, generation, cut, .. } = self;
        let head = (root, options, generation, cut);
        formatter.debug_tuple("Snapshot").field(&head).field(&self.len()).finish()
    }
}

/// The beginning of a tree in path order.
#[derive(Clone, Debug)]
pub struct Head {
    /// The entries that were listed.
    pub snapshot: Arc<Snapshot>,
    /// The snapshot has all entries with a path before this one; `None` if it has all there are.
    pub end: Option<Vec<u8>>,
}

impl Snapshot {
    /// Returns the canonical root. The root itself is not an entry.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the options of the scan.
    #[must_use]
    pub fn options(&self) -> ScanOptions {
        self.options
    }

    /// Returns a number that is unique in this process. A scan that began later has a higher one.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.records.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.records.is_empty()
    }

    /// Returns the number of directories or entries that could not be read and are missing.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.unread.count
    }

    /// Returns which ones: the first few in path order, relative to the root; `.` is the root itself, and an ignore file
    /// above the root has an absolute path.
    #[must_use]
    pub fn unreadable_paths(&self) -> &[Box<[u8]>] {
        &self.unread.first
    }

    /// Returns the `node_modules` that [`crate::ScanOptions::skip_node_modules`] leaves out and the ignore rules do not: their
    /// paths relative to the root, in order. None is in a directory that is not listed.
    #[must_use]
    pub fn skipped_node_modules(&self) -> &[Box<[u8]>] {
        &self.skipped
    }

    /// Returns the reason why entries are missing; `None` when the snapshot is complete.
    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Returns the relative paths of all entries, concatenated.
    #[must_use]
    pub fn arena(&self) -> &[u8] {
        &self.entries.arena
    }

    /// Returns the position of the path of entry `index` in [`Snapshot::arena`].
    #[must_use]
    pub fn span(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.entries.records[index - 1].end as usize };
        start..self.entries.records[index].end as usize
    }

    /// Returns the entry with the path that the byte of [`Snapshot::arena`] at `offset` belongs to. Binary search.
    #[must_use]
    pub fn entry_at(&self, offset: usize) -> usize {
        self.entries.records.partition_point(|record| record.end as usize <= offset)
    }

    /// Returns [`Snapshot::span`] for each entry of a range, in order.
    #[must_use]
    pub fn spans(&self, entries: Range<usize>) -> impl ExactSizeIterator<Item = Range<usize>> {
        let mut start = entries.start.checked_sub(1).map_or(0, |before| self.entries.records[before].end as usize);
        self.entries.records[entries].iter().map(move |record| {
            let end = record.end as usize;
            std::mem::replace(&mut start, end)..end
        })
    }

    /// Returns the path of entry `index`, relative to the root, `/` separated.
    #[must_use]
    pub fn path(&self, index: usize) -> &[u8] {
        &self.entries.arena[self.span(index)]
    }

    /// Returns the path of entry `index` in the composed form. Only after [`Snapshot::decomposed`]; before it, the path.
    #[must_use]
    pub fn composed_path(&self, index: usize) -> &[u8] {
        match self.entries.decomposed.get() {
            Some(decomposed) if !decomposed.is_empty() => match decomposed.within(index..index + 1) {
                [(_, composed)] => composed,
                _ => self.path(index),
            },
            _ => self.path(index),
        }
    }

    /// Returns the entries with paths that are not composed. Computed once.
    ///
    /// # Errors
    /// The error of `check`, which is called every few thousand entries.
    pub fn decomposed<E>(&self, check: &dyn Fn() -> Result<(), E>) -> Result<&Decomposed, E> {
        if let Some(known) = self.entries.decomposed.get() {
            return Ok(known);
        }
        let mut found = Vec::new();
        // Nearly all trees have no other bytes, and this test takes no time.
        if !self.entries.arena.is_ascii() {
            for (index, span) in self.spans(0..self.len()).enumerate() {
                if index % 4096 == 0 {
                    check()?;
                }
                if let Cow::Owned(composed) = composed(&self.entries.arena[span]) {
                    found.push((index as u32, composed.into_boxed_slice()));
                }
            }
        }
        Ok(self.entries.decomposed.get_or_init(|| Decomposed(found.into_boxed_slice())))
    }

    /// Returns the last component of the path of entry `index`.
    #[must_use]
    pub fn name(&self, index: usize) -> &[u8] {
        let record = self.entries.records[index];
        let end = record.end as usize;
        &self.entries.arena[end - usize::from(record.name_len)..end]
    }

    /// Returns the kind of entry `index`.
    #[must_use]
    pub fn kind(&self, index: usize) -> Kind {
        self.entries.records[index].kind
    }

    /// Whether the ignore rules or the options leave entry `index` out; only with
    /// [`crate::ScanOptions::record_excluded`]. The contents of such a directory are not listed.
    #[must_use]
    pub fn is_excluded(&self, index: usize) -> bool {
        self.entries.records[index].excluded
    }

    /// Returns the number of components in the path of entry `index`.
    #[must_use]
    pub fn depth(&self, index: usize) -> usize {
        usize::from(self.entries.records[index].depth)
    }

    /// Returns the modification time of entry `index` in milliseconds since the epoch; `None` with minimal detail or when
    /// the time could not be read.
    #[must_use]
    pub fn mtime_ms(&self, index: usize) -> Option<f64> {
        self.entries.times.get(index).copied().filter(|time| time.is_finite())
    }

    /// Returns the size of entry `index` in bytes; `None` with minimal detail or when it is not a regular file.
    #[must_use]
    pub fn size(&self, index: usize) -> Option<u64> {
        self.entries.sizes.get(index).copied().flatten()
    }

    /// Returns the absolute path of entry `index`.
    #[must_use]
    pub fn absolute(&self, index: usize) -> PathBuf {
        self.root.join(from_bytes(self.path(index)))
    }

    /// Returns the entries with a path that begins with `prefix`. Binary search.
    #[must_use]
    pub fn with_prefix(&self, prefix: &[u8]) -> Range<usize> {
        let start = self.partition(|path| path < prefix);
        let end = self.partition(|path| path < prefix || path.starts_with(prefix));
        start..end
    }

    /// Returns the entry at exactly `path`. Binary search.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<usize> {
        let index = self.place_of(path);
        (index < self.len() && self.path(index) == path).then_some(index)
    }

    /// Returns the position of `path` among the entries: the position of its entry, or of the first entry after it. Binary search.
    pub(crate) fn place_of(&self, path: &[u8]) -> usize {
        self.partition(|other| other < path)
    }

    fn partition(&self, before: impl Fn(&[u8]) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.path(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the memory held, in bytes, including the derived structure.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.entries.arena.len()
            + size_of_val(&*self.entries.records)
            + size_of_val(&*self.entries.times)
            + size_of_val(&*self.entries.sizes)
            + self.fingerprint.as_ref().map_or(0, Fingerprint::bytes)
            + self.skipped.iter().map(|path| size_of::<Box<[u8]>>() + path.len()).sum::<usize>()
            + self.entries.decomposed.get().map_or(0, |decomposed| {
                size_of_val(&*decomposed.0) + decomposed.0.iter().map(|(_, path)| path.len()).sum::<usize>()
            })
            + self.lock_derived().iter().map(|kept| kept.bytes()).sum::<usize>()
    }

    /// Returns a structure that is computed from the snapshot once and stored with it, such as an index; one of each type.
    /// Simultaneous calls may each build it; all of them receive the same result.
    ///
    /// # Errors
    /// The error of `build`; nothing is stored then.
    pub fn derived<T: Derived, E>(&self, build: impl FnOnce(&Self) -> Result<T, E>) -> Result<Arc<T>, E> {
        let known = |derived: &[Arc<dyn Kept>]| derived.iter().find_map(|kept| Arc::clone(kept).any().downcast().ok());
        if let Some(kept) = known(&self.lock_derived()) {
            return Ok(kept);
        }
        let value = Arc::new(build(self)?);
        let mut derived = self.lock_derived();
        if let Some(first) = known(&derived) {
            return Ok(first);
        }
        derived.push(value.clone());
        Ok(value)
    }

    fn lock_derived(&self) -> MutexGuard<'_, Vec<Arc<dyn Kept>>> {
        // Only complete values are pushed.
        self.entries.derived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a later snapshot with the same entries, which shares them and the derived structures.
    pub(crate) fn unchanged(&self, head: SnapshotHead) -> Self {
        Self {
            root: head.root,
            options: head.options,
            generation: head.generation,
            entries: Arc::clone(&self.entries),
            unread: head.unread,
            skipped: head.skipped,
            cut: head.cut,
            whole: head.whole,
            outside: head.outside,
            fingerprint: head.fingerprint,
            same_through_links: OnceLock::new(),
        }
    }

    /// Whether a snapshot with `head` has the same unreadable and skipped places, which derived structures depend on.
    pub(crate) fn has_gaps_of(&self, head: &SnapshotHead) -> bool {
        self.unread == head.unread && self.skipped == head.skipped
    }

    /// Whether the files that its ignore rules come from, and the environment variables that name such files, are certainly as
    /// they were at the scan.
    #[must_use]
    pub fn has_current_rules(&self) -> bool {
        self.fingerprint.as_ref().is_some_and(|fingerprint| {
            !fingerprint.aliased
                && fingerprint.environment.as_ref().is_none_or(|environment| *environment == Environment::now())
                && fingerprint.rule_files.iter().all(RuleFileState::is_unchanged)
        })
    }

    pub(crate) fn outside(&self) -> &Outside {
        &self.outside
    }

    /// Whether the scan covered the whole tree, not a [`crate::Subtree`].
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    pub(crate) fn set_fingerprint(&mut self, fingerprint: Fingerprint) {
        self.fingerprint = Some(fingerprint);
    }

    /// Returns the state that a validation compares; `None` when the snapshot cannot be validated.
    pub(crate) fn fingerprint(&self) -> Option<&Fingerprint> {
        self.fingerprint.as_ref()
    }

    /// Returns the direct entries of the directory at `path`, which ends with `/` or is empty for the root.
    pub(crate) fn children(&self, path: &[u8]) -> impl Iterator<Item = usize> {
        let depth = slashes(path) + 1;
        self.with_prefix(path).filter(move |&entry| self.depth(entry) == depth)
    }
}
