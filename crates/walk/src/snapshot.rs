//! The immutable result of one scan.

use std::any::Any;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::evidence::Evidence;
use crate::options::ScanOptions;
use crate::paths::{from_bytes, slashes};

/// What an entry is. The numbers are those of the public `FileType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A regular file.
    File = 1,
    /// A directory.
    Dir = 2,
    /// A symbolic link. Where links are followed, only one that leads nowhere.
    Symlink = 3,
}

/// Why a scan did not see the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The tree has more entries than one scan may collect.
    Budget,
    /// The caller's time ran out and it asked for what there was.
    Timeout,
}

/// Where an entry's path lies in the arena. The path begins where that of the entry before it ends.
#[derive(Clone, Copy, Debug)]
struct Record {
    end: u32,
    name_len: u16,
    depth: u16,
    kind: Kind,
}

/// Everything one scan found, sorted by the bytes of the whole relative path.
///
/// A snapshot never changes and is shared by reference: a cache hit copies nothing. Beside the bytes of the paths it
/// takes 12 bytes an entry, or 36 with [`crate::Detail::Full`]. It is as old as its scan; see [`crate::ScanCache`] for
/// who may be served an old one.
#[derive(Debug)]
pub struct Snapshot {
    root: PathBuf,
    options: ScanOptions,
    generation: u64,
    arena: Box<[u8]>,
    records: Box<[Record]>,
    times: Box<[f64]>,
    sizes: Box<[Option<u64>]>,
    unreadable: u64,
    cut: Option<Cut>,
    outside: Outside,
    evidence: Option<Evidence>,
    derived: OnceLock<(usize, Arc<dyn Any + Send + Sync>)>,
}

/// Places other than the root's own tree that shaped a snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outside {
    /// Ignore files, by canonical path, whose name alone does not give them away.
    pub(crate) rule_files: Vec<PathBuf>,
    /// Where followed links lead.
    pub(crate) link_targets: Vec<PathBuf>,
}

/// Collects entries in path order and becomes a [`Snapshot`].
pub(crate) struct SnapshotBuilder {
    arena: Vec<u8>,
    records: Vec<Record>,
    times: Vec<f64>,
    sizes: Vec<Option<u64>>,
}

impl SnapshotBuilder {
    pub(crate) fn new(entries: usize, bytes: usize, full: bool) -> Self {
        let details = if full { entries } else { 0 };
        Self {
            arena: Vec::with_capacity(bytes),
            records: Vec::with_capacity(entries),
            times: Vec::with_capacity(details),
            sizes: Vec::with_capacity(details),
        }
    }

    /// Adds the entry `directory` + `name`; `directory` ends with `/` or is empty. `false` when the arena is full.
    pub(crate) fn push(&mut self, directory: &[u8], name: &[u8], depth: usize, kind: Kind) -> bool {
        let Ok(end) = u32::try_from(self.arena.len() + directory.len() + name.len()) else { return false };
        self.arena.extend_from_slice(directory);
        self.arena.extend_from_slice(name);
        self.records.push(Record {
            end,
            name_len: name.len().try_into().unwrap_or(u16::MAX),
            depth: depth.try_into().unwrap_or(u16::MAX),
            kind,
        });
        true
    }

    pub(crate) fn push_details(&mut self, mtime_ms: f64, size: Option<u64>) {
        self.times.push(mtime_ms);
        self.sizes.push(size);
    }

    pub(crate) fn finish(self, head: SnapshotHead) -> Snapshot {
        Snapshot {
            root: head.root,
            options: head.options,
            generation: head.generation,
            arena: self.arena.into_boxed_slice(),
            records: self.records.into_boxed_slice(),
            times: self.times.into_boxed_slice(),
            sizes: self.sizes.into_boxed_slice(),
            unreadable: head.unreadable,
            cut: head.cut,
            outside: head.outside,
            evidence: head.evidence,
            derived: OnceLock::new(),
        }
    }
}

/// What a snapshot says about its scan as a whole.
pub(crate) struct SnapshotHead {
    pub(crate) root: PathBuf,
    pub(crate) options: ScanOptions,
    pub(crate) generation: u64,
    pub(crate) unreadable: u64,
    pub(crate) cut: Option<Cut>,
    pub(crate) outside: Outside,
    pub(crate) evidence: Option<Evidence>,
}

impl Snapshot {
    /// The canonical root, which is itself no entry.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What the scan included.
    #[must_use]
    pub fn options(&self) -> ScanOptions {
        self.options
    }

    /// A number that no other scan of this process has; later scans have higher ones.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many directories or entries could not be read and were left out.
    #[must_use]
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Why entries may be missing, if any may.
    #[must_use]
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// The relative paths of all entries, one behind the other.
    #[must_use]
    pub fn arena(&self) -> &[u8] {
        &self.arena
    }

    /// Where the path of entry `index` lies in [`Snapshot::arena`].
    #[must_use]
    pub fn span(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.records[index - 1].end as usize };
        start..self.records[index].end as usize
    }

    /// [`Snapshot::span`] of some entries, one after the other.
    pub fn spans(&self, entries: Range<usize>) -> impl ExactSizeIterator<Item = Range<usize>> {
        let mut start = entries.start.checked_sub(1).map_or(0, |before| self.records[before].end as usize);
        self.records[entries].iter().map(move |record| {
            let end = record.end as usize;
            std::mem::replace(&mut start, end)..end
        })
    }

    /// The path of entry `index`, relative to the root, `/` separated.
    #[must_use]
    pub fn path(&self, index: usize) -> &[u8] {
        &self.arena[self.span(index)]
    }

    /// The last component of the path of entry `index`.
    #[must_use]
    pub fn name(&self, index: usize) -> &[u8] {
        let record = self.records[index];
        let end = record.end as usize;
        &self.arena[end - usize::from(record.name_len)..end]
    }

    /// What entry `index` is.
    #[must_use]
    pub fn kind(&self, index: usize) -> Kind {
        self.records[index].kind
    }

    /// How many components the path of entry `index` has.
    #[must_use]
    pub fn depth(&self, index: usize) -> usize {
        usize::from(self.records[index].depth)
    }

    /// Modification time of entry `index` in milliseconds since the epoch; `None` with minimal detail or when the
    /// system would not tell.
    #[must_use]
    pub fn mtime_ms(&self, index: usize) -> Option<f64> {
        self.times.get(index).copied().filter(|time| time.is_finite())
    }

    /// Size of entry `index` in bytes; `None` with minimal detail or when it is no regular file.
    #[must_use]
    pub fn size(&self, index: usize) -> Option<u64> {
        self.sizes.get(index).copied().flatten()
    }

    /// The absolute path of entry `index`.
    #[must_use]
    pub fn absolute(&self, index: usize) -> PathBuf {
        self.root.join(from_bytes(self.path(index)))
    }

    /// The entries whose path begins with `prefix`, found by binary search.
    #[must_use]
    pub fn with_prefix(&self, prefix: &[u8]) -> Range<usize> {
        let start = self.partition(|path| path < prefix);
        let end = self.partition(|path| path < prefix || path.starts_with(prefix));
        start..end
    }

    /// The entry at exactly `path`, found by binary search.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<usize> {
        let index = self.partition(|other| other < path);
        (index < self.len() && self.path(index) == path).then_some(index)
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

    /// Memory held, in bytes, with what was derived.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.arena.len()
            + size_of_val(&*self.records)
            + size_of_val(&*self.times)
            + size_of_val(&*self.sizes)
            + self.evidence.as_ref().map_or(0, Evidence::bytes)
            + self.derived.get().map_or(0, |(bytes, _)| *bytes)
    }

    /// A structure computed from the snapshot once and kept with it, such as an index. `build` also says how many
    /// bytes it holds. There is one such structure per snapshot: asking for another type builds it anew each time.
    /// Calls at the same time may each build it; one of the results is kept.
    ///
    /// # Errors
    /// What `build` gave; nothing is kept then.
    pub fn derived<T: Any + Send + Sync, E>(
        &self,
        build: impl FnOnce(&Self) -> Result<(T, usize), E>,
    ) -> Result<Arc<T>, E> {
        if let Some((_, kept)) = self.derived.get()
            && let Ok(kept) = Arc::clone(kept).downcast()
        {
            return Ok(kept);
        }
        let (value, bytes) = build(self)?;
        let value = Arc::new(value);
        let kept: Arc<dyn Any + Send + Sync> = value.clone();
        let _ = self.derived.set((bytes, kept));
        Ok(value)
    }

    pub(crate) fn outside(&self) -> &Outside {
        &self.outside
    }

    pub(crate) fn set_evidence(&mut self, evidence: Evidence) {
        self.evidence = Some(evidence);
    }

    /// What a later look must find unchanged; `None` when only another scan can tell.
    pub(crate) fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
    }

    /// The direct entries of the directory at `path`, which ends with `/` or is empty for the root.
    pub(crate) fn children(&self, path: &[u8]) -> impl Iterator<Item = usize> {
        let depth = slashes(path) + 1;
        self.with_prefix(path).filter(move |&entry| self.depth(entry) == depth)
    }
}
