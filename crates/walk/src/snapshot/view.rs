//! Views: a snapshot serves a request for fewer of its entries without another scan.

use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::kind::Kind;
use crate::options::{Detail, ScanOptions};

use super::{Cut, Derived, Entries, Record, Snapshot};

/// How many entries are filtered between two checks for cancellation.
const FILTERED_PER_CHECK: usize = 4096;

/// The views of a snapshot that were made.
#[derive(Default)]
struct Views(Mutex<Vec<Arc<Snapshot>>>);

impl Views {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Snapshot>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Derived for Views {
    fn bytes(&self) -> usize {
        self.lock().iter().map(|view| view.bytes()).sum()
    }
}

/// Whether a scan with the options `known` lists everything that one with `wanted` lists.
pub(crate) fn covers(known: ScanOptions, wanted: ScanOptions) -> bool {
    known != wanted
        && known.detail == Detail::Minimal
        && wanted.detail == Detail::Minimal
        && known.use_gitignore == wanted.use_gitignore
        && !known.follow_links
        && !wanted.record_excluded
        && (known.include_hidden || !wanted.include_hidden)
        && (!known.skip_node_modules || wanted.skip_node_modules)
}

impl Snapshot {
    /// Returns the snapshot that a scan with `wanted` gives, made of the entries of this one. Made once, and stored with this
    /// snapshot. Returns `None` if this one does not show it: see [`covers`], and [`Snapshot::shows`].
    pub(crate) fn view<E>(
        &self,
        wanted: ScanOptions,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<Option<Arc<Self>>, E> {
        if wanted.follow_links && !self.has_same_tree_through_links() {
            return Ok(None);
        }
        let views = self.views();
        let find = |views: &[Arc<Self>]| views.iter().find(|view| view.options == wanted).cloned();
        if let Some(known) = find(&views.lock()) {
            return Ok(Some(known));
        }
        if !self.shows(wanted) {
            return Ok(None);
        }
        let view = Arc::new(self.filtered(wanted, check)?);
        let mut views = views.lock();
        if let Some(first) = find(&views) {
            return Ok(Some(first));
        }
        views.push(Arc::clone(&view));
        Ok(Some(view))
    }

    fn views(&self) -> Arc<Views> {
        let Ok(views) = self.derived(|_| Ok::<_, Infallible>(Views::default()));
        views
    }

    /// Whether [`Snapshot::view`] returns one, and whether it exists already.
    pub(crate) fn has_view(&self, wanted: ScanOptions) -> Option<bool> {
        // The views are shared by later snapshots with the same entries, but what the rules hide may differ.
        if wanted.follow_links && !self.has_same_tree_through_links() {
            return None;
        }
        let is_known = covers(self.options, wanted) && self.views().lock().iter().any(|view| view.options == wanted);
        if is_known { Some(true) } else { self.shows(wanted).then_some(false) }
    }

    /// Whether it has everything that a scan with `wanted` lists. The unreadable places of a part are not known. A scan
    /// that follows links lists the same only if there are none, see also [`Snapshot::has_same_tree_through_links`].
    fn shows(&self, wanted: ScanOptions) -> bool {
        covers(self.options, wanted)
            && self.unread.count == 0
            && self.cut != Some(Cut::Budget)
            && (!wanted.follow_links || (!self.has_links(wanted) && self.has_same_tree_through_links()))
    }

    fn has_links(&self, wanted: ScanOptions) -> bool {
        // A link `node_modules` leads to a directory that is skipped, or not.
        let wanted = ScanOptions { skip_node_modules: false, ..wanted };
        let is_link = |entry: usize| self.entries.records[entry].kind == Kind::Symlink && self.is_listed(entry, wanted);
        (0..self.len()).any(is_link)
    }

    /// Whether a scan that follows links lists the same as one that does not, apart from the links that this one lists: no
    /// directory has several paths, and the rules hide no link that may be listed otherwise.
    fn has_same_tree_through_links(&self) -> bool {
        *self.same_through_links.get_or_init(|| {
            let Some(fingerprint) = &self.fingerprint else { return false };
            let states = &fingerprint.directories;
            let mut identities: Vec<(u64, u64)> = states.iter().filter_map(|state| state.identity).collect();
            identities.sort_unstable();
            identities.dedup();
            identities.len() == states.len() && !states.iter().any(|state| state.has_undecided_link)
        })
    }

    /// Whether a scan with `wanted` lists the entry, if it lists the directory of the entry.
    fn is_listed(&self, entry: usize, wanted: ScanOptions) -> bool {
        let name = self.name(entry);
        let is_hidden = !wanted.include_hidden && name.starts_with(b".");
        let is_skipped = wanted.skip_node_modules && name == b"node_modules";
        !self.entries.records[entry].excluded && !is_hidden && !is_skipped
    }

    fn filtered<E>(&self, wanted: ScanOptions, check: &dyn Fn() -> Result<(), E>) -> Result<Self, E> {
        // Everything left out, in runs: each entry, and what is in it.
        let mut dropped: Vec<Range<usize>> = Vec::new();
        let mut skipped: Vec<Box<[u8]>> = Vec::new();
        for entry in 0..self.len() {
            if entry % FILTERED_PER_CHECK == 0 {
                check()?;
            }
            if self.is_listed(entry, wanted) {
                continue;
            }
            dropped.push(entry..entry + 1);
            if self.entries.records[entry].kind == Kind::Dir && !self.entries.records[entry].excluded {
                dropped.push(self.with_prefix(&[self.path(entry), b"/"].concat()));
                if self.name(entry) == b"node_modules" {
                    skipped.push(self.path(entry).into());
                }
            }
        }
        skipped.extend_from_slice(&self.skipped);
        skipped.retain(|path| !is_in_left_out(path, wanted));
        skipped.sort_unstable();
        dropped.push(self.len()..self.len());
        dropped.sort_unstable_by_key(|range| range.start);
        let mut arena = Vec::with_capacity(self.entries.arena.len());
        let mut records: Vec<Record> = Vec::with_capacity(self.len());
        let mut from = 0;
        for next in dropped {
            check()?;
            if from < next.start {
                let begin = self.span(from).start;
                let end = self.entries.records[next.start - 1].end as usize;
                let shift = begin - arena.len();
                arena.extend_from_slice(&self.entries.arena[begin..end]);
                let moved = |record: &Record| Record { end: record.end - shift as u32, ..*record };
                records.extend(self.entries.records[from..next.start].iter().map(moved));
            }
            from = from.max(next.end);
        }
        Ok(Self {
            root: self.root.clone(),
            options: wanted,
            generation: self.generation,
            entries: Arc::new(Entries {
                arena: arena.into_boxed_slice(),
                records: records.into_boxed_slice(),
                times: Box::default(),
                sizes: Box::default(),
                decomposed: OnceLock::new(),
                derived: Mutex::default(),
            }),
            unread: self.unread.clone(),
            skipped: skipped.into(),
            cut: self.cut,
            whole: self.whole,
            outside: self.outside.clone(),
            fingerprint: None,
            same_through_links: OnceLock::new(),
        })
    }
}

/// Whether a path is in a directory that a scan with `wanted` leaves out by its name.
fn is_in_left_out(path: &[u8], wanted: ScanOptions) -> bool {
    let mut above = path.split(|&byte| byte == b'/').rev().skip(1);
    above.any(|name| {
        (wanted.skip_node_modules && name == b"node_modules") || (!wanted.include_hidden && name.starts_with(b"."))
    })
}
