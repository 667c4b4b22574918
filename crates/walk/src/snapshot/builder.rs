//! Builds a snapshot from entries in path order.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use crate::fingerprint::Fingerprint;
use crate::generation::next_generation;
use crate::kind::Kind;
use crate::options::ScanOptions;
use crate::paths::slashes;
use crate::unread::Unread;

use super::{Cut, Entries, Outside, Record, Snapshot};

/// Collects entries in path order and builds a [`Snapshot`].
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

    /// Adds the entry `directory` + `name`; `directory` ends with `/` or is empty. Returns `false` when the arena is full.
    pub(crate) fn push(&mut self, directory: &[u8], name: &[u8], depth: usize, kind: Kind, excluded: bool) -> bool {
        let Ok(end) = u32::try_from(self.arena.len() + directory.len() + name.len()) else { return false };
        self.arena.extend_from_slice(directory);
        self.arena.extend_from_slice(name);
        self.records.push(Record {
            end,
            name_len: name.len().try_into().unwrap_or(u16::MAX),
            depth: depth.try_into().unwrap_or(u16::MAX),
            kind,
            excluded,
        });
        true
    }

    /// Adds entries of another snapshot. Their paths are greater than those before. Returns `false`, and adds none, when the
    /// arena is full.
    pub(crate) fn push_range(&mut self, snapshot: &Snapshot, entries: Range<usize>) -> bool {
        if entries.is_empty() {
            return true;
        }
        let bytes = snapshot.span(entries.start).start..snapshot.span(entries.end - 1).end;
        let start = self.arena.len();
        if u32::try_from(start + bytes.len()).is_err() {
            return false;
        }
        self.arena.extend_from_slice(&snapshot.arena()[bytes.clone()]);
        let moved = |record: &Record| Record { end: (record.end as usize - bytes.start + start) as u32, ..*record };
        self.records.extend(snapshot.entries.records[entries].iter().map(moved));
        true
    }

    /// Adds an entry by its whole path. Returns `false` when the arena is full.
    fn push_path(&mut self, path: &[u8], kind: Kind) -> bool {
        let (directory, name) = path.split_at(path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1));
        self.push(directory, name, slashes(path) + 1, kind, false)
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
            entries: Arc::new(Entries {
                arena: self.arena.into_boxed_slice(),
                records: self.records.into_boxed_slice(),
                times: self.times.into_boxed_slice(),
                sizes: self.sizes.into_boxed_slice(),
                decomposed: OnceLock::new(),
                derived: Mutex::default(),
            }),
            unread: head.unread,
            skipped: head.skipped,
            cut: head.cut,
            whole: head.whole,
            outside: head.outside,
            fingerprint: head.fingerprint,
            same_through_links: OnceLock::new(),
        }
    }
}

impl Snapshot {
    /// Returns a snapshot of paths that no scan listed: in byte order. Its root is empty.
    ///
    /// # Panics
    /// If the paths have 4 GiB of text or more.
    #[must_use]
    pub fn of_paths<'a>(paths: impl ExactSizeIterator<Item = (&'a [u8], Kind)>, cut: Option<Cut>) -> Self {
        let mut builder = SnapshotBuilder::new(paths.len(), 0, false);
        let fits = paths.fold(true, |fits, (path, kind)| fits && builder.push_path(path, kind));
        assert!(fits, "the paths have 4 GiB of text or more");
        builder.finish(SnapshotHead {
            root: PathBuf::new(),
            options: ScanOptions::default(),
            generation: next_generation(),
            unread: Unread::default(),
            skipped: Arc::default(),
            cut,
            whole: true,
            outside: Outside::default(),
            fingerprint: None,
        })
    }
}

/// The properties of a snapshot that are not per entry.
pub(crate) struct SnapshotHead {
    pub(crate) root: PathBuf,
    pub(crate) options: ScanOptions,
    pub(crate) generation: u64,
    pub(crate) unread: Unread,
    pub(crate) skipped: Arc<[Box<[u8]>]>,
    pub(crate) cut: Option<Cut>,
    /// Whether the scan covered the whole tree, not a [`crate::Subtree`].
    pub(crate) whole: bool,
    pub(crate) outside: Outside,
    pub(crate) fingerprint: Option<Fingerprint>,
}
