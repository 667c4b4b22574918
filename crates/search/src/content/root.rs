//! The index of one tree.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cairn_content_index::{Column, Detail, Signature, Store};
use cairn_walk::{Derived, Kind, ScanOptions, Snapshot, to_bytes};

use super::budget::Budget;
use super::stamp::{Stamp, mix};
use super::watch::Trust;

/// The slot of an entry that has none: it is not a file, or is not to be indexed, or there was no memory for it.
pub(super) const NO_SLOT: u32 = u32::MAX;
/// What a file takes in the tables, in bytes. A hash table is at least half full.
pub(super) const FILE_BYTES: usize = size_of::<File>() + 2 * size_of::<(u64, u32)>();
/// The records that are copied together when one of them changes during a search.
const PART: usize = 4096;

/// The signatures of the files below a directory, with the stamps that the files had.
pub(super) struct RootIndex {
    /// No other index of this process has it.
    id: u64,
    pub(super) root: PathBuf,
    /// Only snapshots with these options add files to it. Others may list ignored files, which are not to be in an index because of
    /// one search for them.
    pub(super) options: ScanOptions,
    pub(super) detail: Detail,
    budget: Arc<Budget>,
    /// A random number for the hashes of paths.
    key: u64,
    table: Mutex<Table>,
    /// Whether no more files are added, because the memory for them is not there.
    pub(super) is_full: AtomicBool,
    /// Whether a part of the building failed, so that nothing is trusted.
    pub(super) has_failed: AtomicBool,
    pub(super) is_building: AtomicBool,
    /// When files that had changed too recently are worth another try.
    pub(super) retry_at: Mutex<Option<Instant>>,
    trust: Mutex<Trust>,
}

#[derive(Default)]
struct Table {
    slots: HashMap<u64, u32, BuildHasherDefault<Same>>,
    files: Files,
    store: Store,
    /// The bytes that are reserved.
    bytes: usize,
    indexed: usize,
}

/// The records of all files by their slots. A clone shares them.
#[derive(Clone, Default)]
pub(super) struct Files(Vec<Arc<Vec<File>>>);

impl Files {
    pub(super) fn get(&self, slot: u32) -> Option<&File> {
        self.0.get(slot as usize / PART)?.get(slot as usize % PART)
    }

    fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * PART + last.len())
    }

    fn push(&mut self) {
        if self.len().is_multiple_of(PART) {
            self.0.push(Arc::new(Vec::with_capacity(PART)));
        }
        if let Some(last) = self.0.last_mut() {
            Arc::make_mut(last).push(File::default());
        }
    }

    fn replace(&mut self, slot: u32, file: File) -> File {
        std::mem::replace(&mut Arc::make_mut(&mut self.0[slot as usize / PART])[slot as usize % PART], file)
    }
}

/// The record of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) stamp: Stamp,
    pub(super) content: Content,
}

#[derive(Clone, Debug, Default)]
pub(super) enum Content {
    /// Nothing.
    #[default]
    Unknown,
    /// It has no useful signature, and is always searched.
    Opaque,
    /// It has one signature.
    Short { column: Column, has_nul: bool },
    /// It has as many signatures as pieces; an empty file has none.
    Pieces { columns: Box<[Column]>, has_nul: bool },
}

impl Content {
    pub(super) fn columns(&self) -> &[Column] {
        match self {
            Self::Unknown | Self::Opaque => &[],
            Self::Short { column, .. } => std::slice::from_ref(column),
            Self::Pieces { columns, .. } => columns,
        }
    }

    fn is_indexed(&self) -> bool {
        matches!(self, Self::Short { .. } | Self::Pieces { .. })
    }
}

/// The table and the signatures at one moment.
pub(super) struct View {
    pub(super) files: Files,
    pub(super) store: Store,
}

/// The slots of the entries of a snapshot.
struct Slots(Mutex<Option<(u64, Arc<[u32]>)>>);

impl Derived for Slots {
    fn bytes(&self) -> usize {
        lock(&self.0).as_ref().map_or(0, |(_, slots)| size_of_val(&**slots))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while it is held marks the index as failed.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RootIndex {
    /// An empty index for the tree of a snapshot.
    pub(super) fn new(snapshot: &Snapshot, detail: Detail, budget: &Arc<Budget>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            root: snapshot.root().to_owned(),
            options: snapshot.options(),
            detail,
            budget: Arc::clone(budget),
            key: RandomState::new().hash_one(()),
            table: Mutex::default(),
            is_full: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            is_building: AtomicBool::new(false),
            retry_at: Mutex::new(None),
            trust: Mutex::default(),
        }
    }

    /// Returns the slot of each entry of a snapshot of this tree or of a part of it; `None` if it is another tree. A file of a
    /// snapshot with the options of the index gets a slot, as long as there is memory for it.
    pub(super) fn slots(&self, snapshot: &Snapshot) -> Option<Arc<[u32]>> {
        let Ok(kept) = snapshot.derived(|_| Ok::<_, std::convert::Infallible>(Slots(Mutex::new(None))));
        let mut kept = lock(&kept.0);
        if let Some((_, slots)) = kept.as_ref().filter(|(id, _)| *id == self.id) {
            return Some(Arc::clone(slots));
        }
        let inside = snapshot.root().strip_prefix(&self.root).ok()?;
        let mut prefix = to_bytes(inside).into_owned();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let adds = snapshot.options() == self.options;
        let mut table = lock(&self.table);
        let mut path = prefix.clone();
        let mut slots = vec![NO_SLOT; snapshot.len()];
        for (entry, slot) in slots.iter_mut().enumerate() {
            if snapshot.kind(entry) != Kind::File {
                continue;
            }
            path.truncate(prefix.len());
            path.extend_from_slice(snapshot.path(entry));
            let hash = self.hash_of(&path);
            let known = table.slots.get(&hash).copied();
            *slot = known.or_else(|| if adds { self.add_slot(&mut table, hash) } else { None }).unwrap_or(NO_SLOT);
        }
        let slots: Arc<[u32]> = slots.into();
        *kept = Some((self.id, Arc::clone(&slots)));
        Some(slots)
    }

    /// Returns the hash of a path below the root. Two paths with one hash share a slot, which would trust the one for the state of
    /// the other, so nobody can choose names with that property: the hash depends on a random number.
    fn hash_of(&self, path: &[u8]) -> u64 {
        let (words, rest) = path.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let mix = |hash: u64, word: u64| {
            let product = u128::from(hash ^ word) * u128::from(self.key | 1);
            (product >> 64) as u64 ^ product as u64 ^ hash.rotate_left(32)
        };
        let hash = words.iter().fold(path.len() as u64 ^ self.key, |hash, word| mix(hash, u64::from_le_bytes(*word)));
        mix(mix(hash, u64::from_le_bytes(last)), self.key)
    }

    fn add_slot(&self, table: &mut Table, hash: u64) -> Option<u32> {
        self.reserve(table, FILE_BYTES)?;
        let slot = table.files.len() as u32;
        table.files.push();
        table.slots.insert(hash, slot);
        Some(slot)
    }

    fn reserve(&self, table: &mut Table, bytes: usize) -> Option<()> {
        if !self.budget.reserve(bytes) {
            self.is_full.store(true, Ordering::Relaxed);
            return None;
        }
        table.bytes += bytes;
        Some(())
    }

    /// The parts of the tree that need no comparison with the disk.
    pub(super) fn trust(&self) -> MutexGuard<'_, Trust> {
        lock(&self.trust)
    }

    /// Returns the slot of a path below the root.
    pub(super) fn slot_of(&self, path: &[u8]) -> Option<u32> {
        lock(&self.table).slots.get(&self.hash_of(path)).copied()
    }

    pub(super) fn view(&self) -> View {
        let table = lock(&self.table);
        View { files: table.files.clone(), store: table.store.clone() }
    }

    /// Whether the index has this state of a file, so that it need not be read.
    pub(super) fn knows(&self, slot: u32, stamp: Stamp) -> bool {
        let table = lock(&self.table);
        table.files.get(slot).is_some_and(|file| file.stamp == stamp && !matches!(file.content, Content::Unknown))
    }

    /// Stores signatures of one size. `None` if there is no memory for them.
    pub(super) fn add(&self, signatures: &[Signature]) -> Option<Vec<Column>> {
        let mut table = lock(&self.table);
        let table = &mut *table;
        let is_group = signatures.len() == 64;
        if is_group {
            self.reserve(table, table.store.bytes_for(signatures))?;
            return Some(table.store.add_group(signatures).collect());
        }
        let mut columns = Vec::with_capacity(signatures.len());
        for signature in signatures {
            self.reserve(table, table.store.bytes_for(std::slice::from_ref(signature)))?;
            columns.push(table.store.add(signature));
        }
        Some(columns)
    }

    /// Replaces what is known of a file.
    pub(super) fn set(&self, slot: u32, file: File) {
        let mut table = lock(&self.table);
        let table = &mut *table;
        table.indexed += usize::from(file.content.is_indexed());
        let known = table.files.replace(slot, file).content;
        table.indexed -= usize::from(known.is_indexed());
        for column in known.columns() {
            table.store.remove(*column);
        }
    }

    /// Forgets the contents of a file. Returns whether the path is one.
    pub(super) fn forget(&self, path: &[u8]) -> bool {
        let slot = self.slot_of(path);
        if let Some(slot) = slot {
            self.set(slot, File::default());
        }
        slot.is_some()
    }

    /// How many files it knows of, how many of them have signatures, and the memory it takes in bytes.
    pub(super) fn size(&self) -> (usize, usize, usize) {
        let table = lock(&self.table);
        (table.files.len(), table.indexed, table.bytes)
    }

    /// Marks the tree as one that has just changed: the files in it are tried again later.
    pub(super) fn retry_later(&self, at: Instant) {
        *lock(&self.retry_at) = Some(at);
    }

    pub(super) fn is_waiting(&self) -> bool {
        lock(&self.retry_at).is_some_and(|at| Instant::now() < at)
    }
}

impl Drop for RootIndex {
    fn drop(&mut self) {
        self.budget.release(lock(&self.table).bytes);
    }
}

/// The hasher of a key that is a hash.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0, u64::from(byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
