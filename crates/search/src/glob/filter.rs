//! Which entries a glob selects: by their paths, types, depth and kind.

use std::fs::Metadata;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use cairn_walk::{Kind, Snapshot, Subtree, from_bytes};

use crate::depth::{is_within_depth, within_depth};
use crate::error::SearchError;
use crate::glob_pattern::{Anchoring, GlobList, GlobPattern, excluded};
use crate::types::TypeList;

use super::newest::Ranked;
use super::options::GlobOptions;
use super::{GlobDetails, GlobHit};

/// The globs of a search.
#[derive(Debug)]
pub(super) enum Selection {
    /// One that does not exclude. It is tested for many paths at a time.
    One(GlobPattern),
    List(GlobList),
}

impl Selection {
    fn compile(patterns: &[String], roots: [&PathBuf; 2], anchoring: Anchoring) -> Result<Self, SearchError> {
        match patterns {
            [only] if excluded(only).is_none() => GlobPattern::compile(only, roots, anchoring).map(Self::One),
            several => GlobList::compile(several.iter().map(String::as_str), roots, anchoring).map(Self::List),
        }
    }

    fn min_depth(&self) -> usize {
        match self {
            Self::One(pattern) => pattern.min_depth(),
            Self::List(list) => list.min_depth(),
        }
    }

    fn scope(&self) -> Subtree {
        match self {
            Self::One(pattern) => pattern.scope(),
            Self::List(list) => list.scope(),
        }
    }
}

/// The conditions on an entry.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) selection: Selection,
    kind: Option<Kind>,
    types: TypeList,
    max_depth: Option<usize>,
    /// Hits have their metadata.
    full: bool,
}

impl Filter {
    /// The conditions of the options, for paths below a root, which may have several names.
    pub(super) fn new(options: &GlobOptions, roots: [&PathBuf; 2]) -> Result<Self, SearchError> {
        Ok(Self {
            selection: Selection::compile(&options.patterns, roots, options.anchoring())?,
            kind: options.kind,
            types: TypeList::new(&options.file_types, &options.excluded_types)?,
            max_depth: options.max_depth,
            full: options.sort_by_mtime,
        })
    }

    /// The part of the tree that can match.
    pub(super) fn part(&self) -> Subtree {
        within_depth(self.selection.scope(), self.max_depth)
    }

    /// What an exclusion may have meant.
    pub(super) fn note(&self) -> Option<&str> {
        match &self.selection {
            Selection::One(_) => None,
            Selection::List(list) => list.note(),
        }
    }

    /// Rejects a type that no file of a snapshot has.
    pub(super) fn check_types(&self, snapshot: &Snapshot) -> Result<(), SearchError> {
        self.types.check_snapshot(snapshot)
    }

    /// The entries that can match, by binary search; with `has_prefix`, the paths of all matches begin with the prefix.
    pub(super) fn range(&self, snapshot: &Snapshot, has_prefix: bool) -> Range<usize> {
        let pattern = match &self.selection {
            Selection::One(pattern) => pattern,
            Selection::List(list) if has_prefix => return snapshot.with_prefix(list.prefix()),
            Selection::List(_) => return 0..snapshot.len(),
        };
        if pattern.only_directories() && self.kind.is_some_and(|kind| kind != Kind::Dir) {
            return 0..0;
        }
        if !has_prefix {
            return 0..snapshot.len();
        }
        match pattern.only_path() {
            Some(path) => snapshot.find(&path).map_or(0..0, |entry| entry..entry + 1),
            None => snapshot.with_prefix(pattern.prefix()),
        }
    }

    /// The only kind that matches.
    pub(super) fn wanted(&self) -> Option<Kind> {
        match &self.selection {
            Selection::One(pattern) if pattern.only_directories() => Some(Kind::Dir),
            _ => self.kind,
        }
    }

    /// Drops the selected entries that are too deep or not of the types.
    pub(super) fn restrict(&self, snapshot: &Snapshot, selected: &mut Vec<u32>) {
        if !self.types.is_empty() || self.max_depth.is_some() {
            selected.retain(|&entry| self.is_admitted(snapshot, entry as usize));
        }
    }

    fn is_admitted(&self, snapshot: &Snapshot, entry: usize) -> bool {
        let (path, kind) = (snapshot.path(entry), snapshot.kind(entry));
        is_within_depth(path, self.max_depth)
            && if kind == Kind::Dir { !self.types.needs_type() } else { self.types.selects(path) }
    }

    /// Why no entry can match, whatever the tree has.
    pub(super) fn contradiction(&self) -> Option<String> {
        let min_depth = self.selection.min_depth();
        if let Some(max_depth) = self.max_depth.filter(|&max_depth| max_depth < min_depth) {
            return Some(match max_depth {
                0 => "maxDepth 0 leaves out every entry: entries of the root have the depth 1".to_owned(),
                _ => {
                    format!("maxDepth {max_depth} leaves out every match: the globs match paths from depth {min_depth}")
                }
            });
        }
        if self.kind == Some(Kind::Dir) && self.types.needs_type() {
            return Some("type selects only files, which fileType leaves out".to_owned());
        }
        self.types.selects_nothing().then(|| "typeNot leaves out every file that type selects".to_owned())
    }

    /// What the globs exclude, if they exclude every entry that the other options select.
    pub(super) fn exclusion_hint(&self, snapshot: &Snapshot) -> Option<String> {
        match &self.selection {
            Selection::One(_) => None,
            Selection::List(list) => list.exclusion_hint(snapshot, |entry| self.fits(snapshot, entry)),
        }
    }

    /// Whether all but the globs select an entry.
    pub(super) fn fits(&self, snapshot: &Snapshot, entry: usize) -> bool {
        self.is_admitted(snapshot, entry) && self.hit(snapshot, entry as u32).is_some()
    }

    /// The hit for an entry with a path that matches, if its kind matches too.
    pub(super) fn hit(&self, snapshot: &Snapshot, entry: u32) -> Option<Ranked> {
        let index = entry as usize;
        let kind = snapshot.kind(index);
        let details = || GlobDetails { mtime_ms: snapshot.mtime_ms(index), size: snapshot.size(index) };
        match self.wanted() {
            Some(wanted) if wanted != kind => {
                if kind != Kind::Symlink {
                    return None;
                }
                let (target, metadata) = target_of(&snapshot.root().join(from_bytes(snapshot.path(index))))?;
                (target == wanted).then(|| Ranked {
                    hit: GlobHit { entry, kind: wanted },
                    details: GlobDetails {
                        mtime_ms: if self.full { mtime_ms(&metadata) } else { None },
                        size: (self.full && metadata.is_file()).then_some(metadata.len()),
                    },
                })
            }
            _ => Some(Ranked { hit: GlobHit { entry, kind }, details: details() }),
        }
    }
}

/// Whether an entry is a directory, or a link to one.
pub(super) fn is_directory(snapshot: &Snapshot, entry: usize) -> bool {
    match snapshot.kind(entry) {
        Kind::Dir => true,
        Kind::File => false,
        Kind::Symlink => {
            let target = target_of(&snapshot.root().join(from_bytes(snapshot.path(entry))));
            target.is_some_and(|(kind, _)| kind == Kind::Dir)
        }
    }
}

/// The kind of a link's target; `None` if it does not exist or is neither a file nor a directory.
fn target_of(link: &Path) -> Option<(Kind, Metadata)> {
    let metadata = link.metadata().ok()?;
    let kind = if metadata.is_file() {
        Kind::File
    } else if metadata.is_dir() {
        Kind::Dir
    } else {
        return None;
    };
    Some((kind, metadata))
}

fn mtime_ms(metadata: &Metadata) -> Option<f64> {
    let since_epoch = metadata.modified().ok()?.duration_since(UNIX_EPOCH);
    Some(match since_epoch {
        Ok(after) => after.as_millis() as f64,
        Err(before) => -(before.duration().as_millis() as f64),
    })
}
