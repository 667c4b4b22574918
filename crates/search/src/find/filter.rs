//! Which entries a fuzzy find may return, whatever their rank.

use cairn_fuzzy::{Line, Terms};
use cairn_walk::{Kind, Snapshot};

use super::options::FindOptions;

/// Conditions on entries besides the words of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    kind: Option<Kind>,
    /// Lower-case, each with its dot.
    extensions: Vec<Vec<u8>>,
    terms: Terms,
}

impl Filter {
    pub(super) fn new(options: &FindOptions, terms: Terms) -> Self {
        let extension = |given: &String| cairn_fuzzy::folded(&format!(".{}", given.trim_start_matches('.')));
        Self { kind: options.kind, extensions: options.extensions.iter().map(extension).collect(), terms }
    }

    /// Whether every entry passes.
    pub(super) fn is_open(&self) -> bool {
        self.kind.is_none() && self.extensions.is_empty() && self.terms.is_empty()
    }

    /// Whether an entry passes. `line` is memory for its path.
    pub(super) fn admits(&self, snapshot: &Snapshot, entry: usize, line: &mut Line) -> bool {
        let kind = snapshot.kind(entry);
        if self.kind.is_some_and(|wanted| wanted != kind) {
            return false;
        }
        if !self.extensions.is_empty() {
            line.read(snapshot.composed_path(entry), false);
            if !self.extensions.iter().any(|extension| has_extension(line.folded(), extension)) {
                return false;
            }
        }
        if self.terms.is_empty() {
            return true;
        }
        line.read(snapshot.composed_path(entry), kind == Kind::Dir);
        self.terms.are_met(line)
    }
}

/// Whether a path ends with an extension that is not its whole base name, as `fd` decides.
fn has_extension(path: &[u8], extension: &[u8]) -> bool {
    let Some(stem) = path.strip_suffix(extension) else { return false };
    stem.last().is_some_and(|&byte| byte != b'/')
}
