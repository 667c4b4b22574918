//! The files that a grep may read, in path order.
//!
//! A search over a tree starts with every file of a snapshot. Filters and an [`Exclusion`] make the list smaller. They test the
//! files chunk by chunk while the search runs, so their work is parallel and ends with the search.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_walk::{Kind, Snapshot};

use crate::content::{Claim, Exclusion};
use crate::context::StopReason;
use crate::depth::is_within_depth;
use crate::glob_pattern::GlobList;
use crate::open::FileStat;
use crate::types::TypeList;

/// A list of files, in path order.
#[derive(Clone)]
pub(super) struct Candidates(Source);

#[derive(Clone)]
enum Source {
    Nothing,
    /// A single file, with its directory.
    File {
        directory: PathBuf,
        name: Vec<u8>,
    },
    /// Files among some entries of a snapshot.
    Tree {
        snapshot: Arc<Snapshot>,
        entries: Range<usize>,
        filter: Option<Arc<Filter>>,
        exclusion: Option<Arc<Exclusion>>,
    },
}

/// Selects files of a snapshot by their paths.
pub(super) struct Filter {
    pub(super) globs: GlobList,
    pub(super) types: TypeList,
    pub(super) max_depth: Option<usize>,
}

impl Filter {
    fn accepts(&self, path: &[u8]) -> bool {
        self.globs.selects(path, || false) && self.types.selects(path) && is_within_depth(path, self.max_depth)
    }
}

/// What a search does with one item of the list.
pub(super) enum Candidate<'a> {
    /// Not a file, or filtered out.
    Skip,
    /// The file with this name has no match if its state proves it.
    Claimed(&'a [u8], Claim),
    /// Search the file with this name below [`Candidates::root`].
    Search(&'a [u8]),
}

impl Candidates {
    /// Every file of a snapshot.
    #[cfg(test)]
    pub(super) fn of(snapshot: Arc<Snapshot>) -> Self {
        let entries = 0..snapshot.len();
        Self(Source::Tree { snapshot, entries, filter: None, exclusion: None })
    }

    /// One file, by its canonical path. The list is empty if the path has no name or no directory.
    pub(super) fn of_file(path: &Path) -> Self {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Self::empty() };
        Self(Source::File { directory: directory.to_owned(), name: name.as_encoded_bytes().to_vec() })
    }

    /// The empty list.
    pub(super) fn empty() -> Self {
        Self(Source::Nothing)
    }

    /// The list with what an index shows about the files of a tree.
    pub(super) fn excluding(mut self, with: impl FnOnce(&Arc<Snapshot>, Range<usize>) -> Option<Exclusion>) -> Self {
        if let Source::Tree { snapshot, entries, exclusion, .. } = &mut self.0 {
            *exclusion = with(snapshot, entries.clone()).map(Arc::new);
        }
        self
    }

    /// What an index shows, if it does.
    pub(super) fn exclusion(&self) -> Option<&Exclusion> {
        if let Source::Tree { exclusion, .. } = &self.0 { exclusion.as_deref() } else { None }
    }

    /// Remembers that an item is not indexed as it is.
    pub(super) fn note(&self, index: usize) {
        if let Source::Tree { entries, exclusion: Some(exclusion), .. } = &self.0 {
            exclusion.note(entries.start + index);
        }
    }

    /// Remembers a state that proved what the index shows about an item.
    pub(super) fn verify(&self, index: usize, stat: &FileStat) {
        if let Source::Tree { entries, exclusion: Some(exclusion), .. } = &self.0 {
            exclusion.verify(entries.start + index, stat);
        }
    }

    /// The files of a snapshot that a filter accepts.
    pub(super) fn filtered(snapshot: Arc<Snapshot>, filter: Arc<Filter>) -> Self {
        let entries = snapshot.with_prefix(filter.globs.prefix());
        Self(Source::Tree { snapshot, entries, filter: Some(filter), exclusion: None })
    }

    /// The files of the list with a path before `end`.
    pub(super) fn before(mut self, end: &[u8]) -> Self {
        if let Source::Tree { snapshot, entries, .. } = &mut self.0 {
            entries.end = snapshot.with_prefix(end).start.clamp(entries.start, entries.end);
        }
        self
    }

    /// The other files of the list.
    pub(super) fn from(mut self, start: &[u8]) -> Self {
        if let Source::Tree { snapshot, entries, .. } = &mut self.0 {
            entries.start = snapshot.with_prefix(start).start.clamp(entries.start, entries.end);
        }
        self
    }

    /// The number of items; some may be skipped.
    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Source::Nothing => 0,
            Source::File { .. } => 1,
            Source::Tree { entries, .. } => entries.len(),
        }
    }

    /// The directory that the names are relative to.
    pub(super) fn root(&self) -> &Path {
        match &self.0 {
            Source::Nothing => Path::new(""),
            Source::File { directory, .. } => directory,
            Source::Tree { snapshot, .. } => snapshot.root(),
        }
    }

    /// Whether it is a single file.
    pub(super) fn is_file(&self) -> bool {
        matches!(self.0, Source::File { .. })
    }

    pub(super) fn candidate(&self, index: usize) -> Candidate<'_> {
        let (snapshot, entry, filter, exclusion) = match &self.0 {
            Source::Nothing => return Candidate::Skip,
            Source::File { name, .. } => return Candidate::Search(name),
            Source::Tree { snapshot, entries, filter, exclusion } => {
                (snapshot, entries.start + index, filter, exclusion)
            }
        };
        if snapshot.kind(entry) != Kind::File {
            return Candidate::Skip;
        }
        let path = snapshot.path(entry);
        if filter.as_ref().is_some_and(|filter| !filter.accepts(path)) {
            return Candidate::Skip;
        }
        match exclusion.as_ref().and_then(|exclusion| exclusion.claim(entry)) {
            Some(claim) => Candidate::Claimed(path, claim),
            None => Candidate::Search(path),
        }
    }

    pub(super) fn name(&self, index: usize) -> &[u8] {
        match &self.0 {
            Source::Nothing => b"",
            Source::File { name, .. } => name,
            Source::Tree { snapshot, entries, .. } => snapshot.path(entries.start + index),
        }
    }

    /// How many `node_modules` the scan left out that may have files which the filter accepts.
    pub(super) fn skipped_node_modules(&self) -> u64 {
        let Source::Tree { snapshot, filter, .. } = &self.0 else { return 0 };
        let is_in_reach = |directory: &[u8]| {
            filter.as_ref().is_none_or(|filter| {
                let (prefix, file) = (filter.globs.prefix(), [directory, b"/"].concat());
                (file.starts_with(prefix) || prefix.starts_with(&file)) && is_within_depth(&file, filter.max_depth)
            })
        };
        snapshot.skipped_node_modules().iter().filter(|directory| is_in_reach(directory)).count() as u64
    }

    /// How many directories and entries the scan could not read.
    pub(super) fn unreadable(&self) -> u64 {
        if let Source::Tree { snapshot, .. } = &self.0 { snapshot.unreadable() } else { 0 }
    }

    /// The first of them in path order.
    pub(super) fn unreadable_paths(&self) -> &[Box<[u8]>] {
        if let Source::Tree { snapshot, .. } = &self.0 { snapshot.unreadable_paths() } else { &[] }
    }

    /// Why files may be missing from the list.
    pub(super) fn stop_reason(&self) -> Option<StopReason> {
        if let Source::Tree { snapshot, .. } = &self.0 { snapshot.cut().map(StopReason::from) } else { None }
    }
}
