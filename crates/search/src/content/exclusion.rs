//! Which files a search need not open.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cairn_content_index::{Columns, Query};
use cairn_walk::Snapshot;

use super::root::{Content, NO_SLOT, RootIndex, View};
use super::stamp::Stamp;
use super::watch::{Bits, Coverage};
use super::{Freshness, Watching};
use crate::open::FileStat;

/// If more of the files may have a match, the search opens all of them: to read the state of the others would take longer.
const MAX_CANDIDATES_PERCENT: usize = 60;

/// How a search reads a file.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) nul: Nul,
    /// Whether a match may span lines.
    pub(crate) multiline: bool,
}

/// What a NUL byte means for a file without a match.
#[derive(Clone, Copy)]
pub(crate) enum Nul {
    /// Nothing.
    Plain,
    /// It ends the search of the file, which is reported.
    Ends,
    /// That depends on its place, which an index does not know.
    ByPlace,
}

/// The files of a snapshot that have no match, by an index as it was when the search began.
pub(crate) struct Exclusion {
    pub(super) index: Arc<RootIndex>,
    pub(super) snapshot: Arc<Snapshot>,
    view: View,
    pub(super) slots: Arc<[u32]>,
    found: Columns,
    reading: Reading,
    /// The entries that the index does not know, or not as they are.
    noted: Mutex<Vec<u32>>,
    watched: Option<Watched>,
}

/// The watched files.
struct Watched {
    /// As it was when the search began.
    trusted: Bits,
    sequence: u64,
    /// The files in watched directories.
    covered: Arc<Bits>,
    /// The slots of those whose state was read.
    verified: Mutex<Vec<u32>>,
}

/// A file that has no match if its state is still the one that was indexed.
pub(crate) struct Claim {
    stamp: Stamp,
    /// Whether the file is watched and did not change since its state was read.
    pub(crate) is_watched: bool,
    /// Whether a NUL byte would have ended the search of the file.
    pub(crate) binary: bool,
}

impl Claim {
    /// Whether a state of the file, which was read within the call, proves the claim.
    pub(crate) fn holds(&self, stat: &FileStat) -> bool {
        Stamp::of(stat) == self.stamp
    }
}

impl Exclusion {
    /// Returns `None` if it is not worth the work.
    pub(super) fn new(
        index: &Arc<RootIndex>,
        snapshot: &Arc<Snapshot>,
        entries: Range<usize>,
        query: &Query,
        reading: Reading,
        slots: Arc<[u32]>,
        watched: Option<(&Watching, Coverage)>,
    ) -> Option<Self> {
        let view = index.view();
        let found = view.store.find(query);
        let (index, snapshot) = (Arc::clone(index), Arc::clone(snapshot));
        let watched = watched.map(|(watching, coverage)| Watched {
            trusted: watching.trusted.clone(),
            sequence: watching.sequence,
            covered: coverage.files,
            verified: Mutex::default(),
        });
        let exclusion = Self { index, snapshot, view, slots, found, reading, noted: Mutex::default(), watched };
        let (mut indexed, mut excluded) = (0, 0);
        for slot in entries.map(|entry| exclusion.slots[entry]).filter(|slot| *slot != NO_SLOT) {
            // A file that is not known is noted by the search.
            if !matches!(exclusion.view.files.get(slot).map(|file| &file.content), None | Some(Content::Unknown)) {
                indexed += 1;
                excluded += usize::from(exclusion.claim_of(slot).is_some());
            }
        }
        (excluded * 100 >= indexed * (100 - MAX_CANDIDATES_PERCENT)).then_some(exclusion)
    }

    /// How the files that are left out are known to be as they were indexed.
    pub(crate) fn freshness(&self) -> Freshness {
        let is_trusted = self.watched.as_ref().is_some_and(|watched| !watched.trusted.is_empty());
        if is_trusted { Freshness::Watched } else { Freshness::Validated }
    }

    /// Remembers a state that proved a claim. A file with several names can be changed through one that is not watched.
    pub(crate) fn verify(&self, entry: usize, stat: &FileStat) {
        if let Some(watched) = &self.watched
            && stat.links == 1
            && watched.covered.contains(self.slots[entry])
        {
            watched.verified.lock().unwrap_or_else(PoisonError::into_inner).push(self.slots[entry]);
        }
    }

    /// Trusts the files whose state was read, unless something was reported in the meantime.
    pub(super) fn trust_verified(&self) {
        let Some(watched) = &self.watched else { return };
        let verified = std::mem::take(&mut *watched.verified.lock().unwrap_or_else(PoisonError::into_inner));
        let mut trust = self.index.trust();
        if trust.sequence == watched.sequence {
            for slot in verified {
                trust.files.insert(slot);
            }
        }
    }

    /// Returns the claim of the index that an entry has no match; `None` if it may have one.
    pub(crate) fn claim(&self, entry: usize) -> Option<Claim> {
        let slot = self.slots[entry];
        if slot == NO_SLOT {
            return None;
        }
        match self.view.files.get(slot).map(|file| &file.content) {
            None | Some(Content::Unknown) => {
                self.note(entry);
                None
            }
            Some(_) => self.claim_of(slot),
        }
    }

    fn claim_of(&self, slot: u32) -> Option<Claim> {
        let file = self.view.files.get(slot)?;
        let has_nul = match file.content {
            Content::Unknown | Content::Opaque => return None,
            // A match over several lines can have its grams in several pieces.
            Content::Pieces { ref columns, .. } if self.reading.multiline && columns.len() > 1 => return None,
            Content::Short { has_nul, .. } | Content::Pieces { has_nul, .. } => has_nul,
        };
        let binary = has_nul
            && match self.reading.nul {
                Nul::Plain => false,
                Nul::Ends => true,
                Nul::ByPlace => return None,
            };
        let is_candidate = file.content.columns().iter().any(|column| self.found.contains(*column));
        let is_watched = self.watched.as_ref().is_some_and(|watched| watched.trusted.contains(slot));
        (!is_candidate).then_some(Claim { stamp: file.stamp, is_watched, binary })
    }

    /// Remembers an entry whose state is not the one that was indexed.
    pub(crate) fn note(&self, entry: usize) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).push(entry as u32);
    }

    /// Returns the entries that are to be indexed, in order.
    pub(super) fn noted(&self) -> Vec<u32> {
        let mut noted = std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner));
        noted.sort_unstable();
        noted
    }
}
