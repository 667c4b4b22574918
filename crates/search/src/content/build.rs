//! Reads files in the background and stores their signatures.

use std::io::{self, Read};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use cairn_content_index::{Column, PIECE_BYTES, Signature, SignatureBuilder, pieces};
use cairn_pool::{HelpEnd, Shared};
use cairn_walk::Snapshot;

use super::live::Live;
use super::root::{Content, File, NO_SLOT, RootIndex};
use super::stamp::{Stamp, is_settled};
use crate::open::{OpenFile, Opener};

/// A longer file is not indexed.
const MAX_FILE_BYTES: u64 = 64 << 20;
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
            let next = self.next.fetch_add(1, Ordering::Relaxed);
            if is_over || next >= self.entries.len().min(self.max_files) {
                break HelpEnd::Done;
            }
            // A file that cannot be read stays unknown, which means that every search tries it.
            let _ = worker.index(self.entries[next] as usize);
        };
        worker.store_all();
        end
    }
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

    fn index(&mut self, entry: usize) -> io::Result<()> {
        let slot = self.build.slots[entry];
        if slot == NO_SLOT {
            return Ok(());
        }
        self.path.clear();
        self.path.extend_from_slice(self.build.snapshot.root().as_os_str().as_encoded_bytes());
        self.path.push(b'/');
        self.path.extend_from_slice(self.build.snapshot.path(entry));
        let now = SystemTime::now();
        let stat = self.opener.stat(&self.path)?;
        let stamp = Stamp::of(&stat);
        if !stat.keeps_times || self.build.index.knows(slot, stamp) {
            return Ok(());
        }
        if !is_settled(&stat, now, self.build.settle) {
            self.build.unsettled.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        if stat.size > MAX_FILE_BYTES {
            self.build.index.set(slot, File { stamp, content: Content::Opaque });
            return Ok(());
        }
        let mut file = self.opener.open(&self.path, false)?;
        // Otherwise the path has another file now.
        if Stamp::of(&file.stat()?) != stamp {
            return Ok(());
        }
        let text = self.read(&mut file, stat.size)?;
        if Stamp::of(&file.stat()?) == stamp {
            self.keep(slot, stamp, text);
        }
        Ok(())
    }

    /// Makes the signatures of the pieces of a file.
    fn read(&mut self, file: &mut OpenFile, size: u64) -> io::Result<Text> {
        let (mut filled, mut is_first, mut has_nul) = (0, true, false);
        let mut found = Vec::new();
        loop {
            let mut at_end = false;
            while filled < self.buffer.len() && !at_end {
                let read = file.read(&mut self.buffer[filled..])?;
                has_nul |= memchr::memchr(0, &self.buffer[filled..filled + read]).is_some();
                filled += read;
                at_end = read == 0;
            }
            let text = &self.buffer[..filled];
            // UTF-16 is decoded before it is searched.
            if mem::take(&mut is_first) && (text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF")) {
                return Ok(Text::Opaque);
            }
            let mut rest = 0;
            for piece in pieces(text) {
                rest = piece.len();
                if piece.as_ptr_range().end == text.as_ptr_range().end && !at_end {
                    break;
                }
                let Some(signature) = self.signatures.build(piece, size > PIECE_BYTES as u64) else {
                    return Ok(Text::Opaque);
                };
                found.push(signature);
            }
            if at_end {
                return Ok(Text::Signatures { pieces: found, has_nul });
            }
            if rest == self.buffer.len() {
                return Ok(Text::Opaque);
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
