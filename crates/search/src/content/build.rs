//! Reads files in the background and stores their signatures.

use std::io::{self, Read};
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cairn_content_index::{Column, PIECE_BYTES, Signature, SignatureBuilder, pieces};
use cairn_pool::{HelpEnd, Shared};
use cairn_walk::Snapshot;

use super::live::Live;
use super::root::{Content, File, NO_SLOT, RootIndex};
use super::stamp::{Stamp, is_settled};
use crate::open::{OpenFile, Opener};

/// A longer file is not indexed.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;
/// How much of a file is in memory. A file with a longer line is not indexed.
const BUFFER_BYTES: usize = 256 << 10;
/// Signatures of one size that are stored together.
const GROUP: usize = 64;
/// If more files changed too recently, the whole tree has to come to rest.
const MAX_UNSETTLED_PERCENT: usize = 10;

/// The work to index some files of a tree.
pub(super) struct Build {
    pub(super) index: Arc<RootIndex>,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) slots: Arc<[u32]>,
    /// In path order.
    pub(super) entries: Vec<u32>,
    pub(super) settle: Duration,
    /// No more files are indexed than this.
    pub(super) max_files: usize,
    pub(super) next: AtomicUsize,
    /// The entries that a worker left for a call. They come last, so that a long file does not keep others from being indexed.
    pub(super) left: Mutex<Vec<u32>>,
    pub(super) unsettled: AtomicUsize,
    pub(super) _live: Live,
}

impl Drop for Build {
    fn drop(&mut self) {
        if self.unsettled.load(Ordering::Relaxed) * 100 > self.entries.len() * MAX_UNSETTLED_PERCENT
            && self.entries.len() >= 100
        {
            self.index.retry_later(Instant::now() + self.settle);
        }
        self.index.is_building.store(false, Ordering::Release);
    }
}

/// Marks an index as failed when a thread panics, because what it has stored may be incomplete.
struct Guard<'a>(&'a RootIndex);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.has_failed.store(true, Ordering::Release);
        }
    }
}

impl Shared for Build {
    fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd {
        let _guard = Guard(&self.index);
        let mut worker = Worker::new(self);
        let end = loop {
            if should_leave() {
                break HelpEnd::Left;
            }
            let is_over = self.index.is_full.load(Ordering::Relaxed) || self.index.has_failed.load(Ordering::Acquire);
            let Some(entry) = self.next_entry().filter(|_| !is_over) else { break HelpEnd::Done };
            // A file that cannot be read stays unknown, which means that every search tries it.
            if let Ok(Step::Left) = worker.index(entry as usize, should_leave) {
                self.left().push(entry);
                break HelpEnd::Left;
            }
        };
        worker.store_all();
        end
    }
}

impl Build {
    fn next_entry(&self) -> Option<u32> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        if next < self.entries.len().min(self.max_files) { Some(self.entries[next]) } else { self.left().pop() }
    }

    fn left(&self) -> MutexGuard<'_, Vec<u32>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a file.
enum Step {
    Done,
    /// A call waits for the thread.
    Left,
}

/// The buffers of a thread, and the files whose signatures wait for a group.
struct Worker<'a> {
    build: &'a Build,
    opener: Opener,
    signatures: SignatureBuilder,
    buffer: Vec<u8>,
    path: Vec<u8>,
    /// By the size of the signatures; each with the number of its file.
    waiting: Vec<Vec<(Signature, usize)>>,
    files: Vec<Waiting>,
}

/// A file with signatures that are not stored.
struct Waiting {
    slot: u32,
    stamp: Stamp,
    has_nul: bool,
    columns: Vec<Column>,
    missing: usize,
}

/// What a file holds.
enum Text {
    Opaque,
    Signatures { pieces: Vec<Signature>, has_nul: bool },
}

impl<'a> Worker<'a> {
    fn new(build: &'a Build) -> Self {
        Self {
            build,
            opener: Opener::default(),
            signatures: SignatureBuilder::new(build.index.detail),
            buffer: vec![0; BUFFER_BYTES],
            path: Vec::new(),
            waiting: Vec::new(),
            files: Vec::new(),
        }
    }

    fn index(&mut self, entry: usize, should_leave: &dyn Fn() -> bool) -> io::Result<Step> {
        let slot = self.build.slots[entry];
        if slot == NO_SLOT {
            return Ok(Step::Done);
        }
        self.path.clear();
        self.path.extend_from_slice(self.build.snapshot.root().as_os_str().as_encoded_bytes());
        self.path.push(b'/');
        self.path.extend_from_slice(self.build.snapshot.path(entry));
        let now = SystemTime::now();
        let stat = self.opener.stat(&self.path)?;
        let stamp = Stamp::of(&stat);
        if !stat.keeps_times || self.build.index.knows(slot, stamp) {
            return Ok(Step::Done);
        }
        if !is_settled(&stat, now, self.build.settle) {
            self.build.unsettled.fetch_add(1, Ordering::Relaxed);
            return Ok(Step::Done);
        }
        if stat.size > MAX_FILE_BYTES {
            self.build.index.set(slot, File { stamp, content: Content::Opaque });
            return Ok(Step::Done);
        }
        let mut file = self.opener.open(&self.path, false)?;
        // Otherwise the path has another file now.
        if Stamp::of(&file.stat()?) != stamp {
            return Ok(Step::Done);
        }
        let Some(text) = self.read(&mut file, stat.size, should_leave)? else { return Ok(Step::Left) };
        if Stamp::of(&file.stat()?) == stamp {
            self.keep(slot, stamp, text);
        }
        Ok(Step::Done)
    }

    /// Makes the signatures of the pieces of a file. `None` if the worker is to leave.
    fn read(&mut self, file: &mut OpenFile, size: u64, should_leave: &dyn Fn() -> bool) -> io::Result<Option<Text>> {
        let (mut filled, mut is_first, mut has_nul) = (0, true, false);
        let (mut found, mut bytes) = (Vec::new(), 0);
        loop {
            if !is_first && should_leave() {
                return Ok(None);
            }
            let mut at_end = false;
            while filled < self.buffer.len() && !at_end {
                let read = file.read(&mut self.buffer[filled..])?;
                has_nul |= memchr::memchr(0, &self.buffer[filled..filled + read]).is_some();
                filled += read;
                bytes += read as u64;
                // A file that grows as fast as it is read would never end.
                if bytes > size {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                at_end = read == 0;
            }
            let text = &self.buffer[..filled];
            // UTF-16 is decoded before it is searched.
            if mem::take(&mut is_first) && (text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF")) {
                return Ok(Some(Text::Opaque));
            }
            let mut rest = 0;
            for piece in pieces(text) {
                rest = piece.len();
                if piece.as_ptr_range().end == text.as_ptr_range().end && !at_end {
                    break;
                }
                let Some(signature) = self.signatures.build(piece, size > PIECE_BYTES as u64) else {
                    return Ok(Some(Text::Opaque));
                };
                found.push(signature);
            }
            if at_end {
                return Ok(Some(Text::Signatures { pieces: found, has_nul }));
            }
            if rest == self.buffer.len() {
                return Ok(Some(Text::Opaque));
            }
            self.buffer.copy_within(filled - rest..filled, 0);
            filled = rest;
        }
    }

    fn keep(&mut self, slot: u32, stamp: Stamp, text: Text) {
        let (pieces, has_nul) = match text {
            Text::Signatures { pieces, has_nul } if !pieces.is_empty() => (pieces, has_nul),
            Text::Signatures { has_nul, .. } => {
                let content = Content::Pieces { columns: Box::default(), has_nul };
                return self.build.index.set(slot, File { stamp, content });
            }
            Text::Opaque => return self.build.index.set(slot, File { stamp, content: Content::Opaque }),
        };
        let number = self.files.len();
        self.files.push(Waiting { slot, stamp, has_nul, columns: Vec::new(), missing: pieces.len() });
        for signature in pieces {
            let size = signature.words().ilog2() as usize;
            self.waiting.resize_with(self.waiting.len().max(size + 1), Vec::new);
            self.waiting[size].push((signature, number));
            if self.waiting[size].len() == GROUP {
                self.store(size);
            }
        }
    }

    /// Stores the signatures of one size, and what is known of each file that has all of its own.
    fn store(&mut self, size: usize) {
        let (signatures, numbers): (Vec<Signature>, Vec<usize>) = self.waiting[size].drain(..).unzip();
        let Some(columns) = self.build.index.add(&signatures) else { return };
        for (column, number) in columns.into_iter().zip(numbers) {
            let file = &mut self.files[number];
            file.columns.push(column);
            file.missing -= 1;
            if file.missing == 0 {
                let (columns, has_nul) = (mem::take(&mut file.columns), file.has_nul);
                let content = match *columns {
                    [column] => Content::Short { column, has_nul },
                    _ => Content::Pieces { columns: columns.into(), has_nul },
                };
                self.build.index.set(file.slot, File { stamp: file.stamp, content });
            }
        }
    }

    fn store_all(&mut self) {
        for size in 0..self.waiting.len() {
            self.store(size);
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use cairn_cancel::CancelToken;
    use cairn_pool::Pool;
    use cairn_walk::{Policy, ScanCache, ScanOptions, ScanRequest};

    use super::super::budget::Budget;
    use super::*;
    use crate::content::stamp::wait_until_settled;

    /// Work on a tree with one file.
    fn build(content: &[u8]) -> (tempfile::TempDir, Build) {
        let tree = tempfile::tempdir().expect("a directory");
        fs::write(tree.path().join("file"), content).expect("a file");
        let root = tree.path().canonicalize().expect("the tree");
        let (pool, cancel) = (Pool::new(1), CancelToken::new());
        let request = ScanRequest {
            root: &root,
            options: ScanOptions::default(),
            asked: Instant::now(),
            validate: false,
            partial_on_timeout: false,
        };
        let snapshot =
            ScanCache::new(Policy::default()).get_or_scan(&request, &pool, &cancel).expect("a scan").snapshot;
        let index =
            Arc::new(RootIndex::new(&snapshot, cairn_content_index::Detail::Full, &Arc::new(Budget::new(1 << 20))));
        let slots = index.slots(&snapshot).expect("slots");
        let live = Live::new(&Arc::default());
        let (entries, settle, max_files) = (vec![0], Duration::ZERO, usize::MAX);
        let (next, left, unsettled) = (AtomicUsize::new(0), Mutex::default(), AtomicUsize::new(0));
        (tree, Build { index, snapshot, slots, entries, settle, max_files, next, left, unsettled, _live: live })
    }

    #[test]
    fn a_file_that_grows_while_it_is_read_is_given_up() {
        let (tree, build) = build(&b"a line of text\n".repeat(100_000));
        let path = tree.path().canonicalize().expect("the tree").join("file");
        let mut worker = Worker::new(&build);
        let open = || worker_file(&path);
        for (size, is_read) in [(1_500_000, true), (1_499_999, false), (10, false)] {
            assert_eq!(worker.read(&mut open(), size, &|| false).is_ok(), is_read, "{size}");
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_read_is_not_stored() {
        for is_changed in [false, true] {
            let (tree, build) = build(&b"a line of text\n".repeat(100_000));
            wait_until_settled(&build.index.root.join("file"));
            let asked = AtomicUsize::new(0);
            let end = build.help(&|| {
                // The second question comes after the first part was read.
                if asked.fetch_add(1, Ordering::Relaxed) == 1 && is_changed {
                    use std::os::unix::fs::FileExt;
                    let file = fs::File::options().write(true).open(tree.path().join("file")).expect("the file");
                    file.write_all_at(b"other", 2).expect("a write");
                }
                false
            });
            assert_eq!((end, build.index.size().1), (HelpEnd::Done, usize::from(!is_changed)));
        }
    }

    fn worker_file(path: &std::path::Path) -> OpenFile {
        Opener::default().open(path.as_os_str().as_encoded_bytes(), false).expect("the file")
    }

    #[test]
    fn a_long_file_is_left_for_a_call_and_indexed_later() {
        let (_tree, build) = build(&b"a line of text\n".repeat(100_000));
        wait_until_settled(&build.index.root.join("file"));
        let asked = AtomicUsize::new(0);
        // The first question comes before the file, the others while it is read.
        assert_eq!(build.help(&|| asked.fetch_add(1, Ordering::Relaxed) >= 2), HelpEnd::Left);
        assert_eq!(build.index.size().1, 0);
        assert_eq!(build.help(&|| false), HelpEnd::Done);
        assert_eq!(build.index.size().1, 1);
    }
}
