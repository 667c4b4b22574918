//! Validates an older snapshot: finds out what changed on disk since its scan.
//!
//! The threads first compare all recorded states of its fingerprint with the disk, in chunks. When all are equal, the
//! older snapshot is the result. Otherwise the changed directories are listed again, also those that can change without
//! a new stamp, and unknown directories in them are scanned; the result is merged from both. When that result could
//! differ from a full scan, because rules changed or one directory has several paths, the walk scans everything.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use cairn_cancel::Stopped;

use crate::directory::{DirectoryHandle, Stamp};
use crate::error::WalkError;
use crate::fingerprint::{Fingerprint, LinkState};
use crate::kind::Kind;
use crate::paths::slashes;
use crate::rules::Environment;
use crate::snapshot::{Snapshot, SnapshotHead};

use super::merge::{MergeInput, merge};
use super::plan::{CHECK_INTERVAL, WalkPlan};
use super::state::{Checked, DirectoryTask, Phase, State, Task};
use super::visit::Visit;

/// States compared per task; one comparison takes about a microsecond.
const CHECKS_PER_TASK: usize = 256;
/// Up to this many directories are listed again even when they are most of the tree.
const FEW_DIRECTORIES: usize = 64;

/// An older snapshot with a fingerprint, and its root.
pub(super) struct Validation {
    base: Arc<Snapshot>,
    root: DirectoryHandle,
    /// The states to compare, as indices in the fingerprint; `None` means all of them.
    only: Option<Vec<u32>>,
}

impl Validation {
    /// Validates `places` and what is below them only, if they are given and no directory has several paths. Returns `None`
    /// when the snapshot has no fingerprint, or when its root was replaced, or the environment names other configuration files.
    pub(super) fn of(base: Arc<Snapshot>, places: Option<&[Box<[u8]>]>, root_identity: (u64, u64)) -> Option<Self> {
        let fingerprint = base.fingerprint()?;
        let root = DirectoryHandle::open_canonical(base.root()).ok()?;
        let same_root = root.stamp().is_ok_and(|stamp| stamp.identity() == root_identity)
            && fingerprint
                .directories
                .iter()
                .any(|state| state.path.is_empty() && state.identity == Some(root_identity));
        let same_environment =
            fingerprint.environment.as_ref().is_none_or(|environment| *environment == Environment::now());
        let only = places.filter(|_| !fingerprint.aliased).map(|places| fingerprint.states_at(base.root(), places));
        (same_root && same_environment).then_some(Self { base, root, only })
    }

    fn fingerprint(&self) -> &Fingerprint {
        self.base.fingerprint().unwrap_or_else(|| unreachable!("checked when the validation was made"))
    }

    /// Whether it validates some places only.
    pub(super) fn is_partial(&self) -> bool {
        self.only.is_some()
    }

    /// Returns the state at the start of the validation.
    pub(super) fn begin(&self) -> State {
        let count = self.only.as_ref().map_or_else(|| self.fingerprint().len(), Vec::len);
        let chunks = (0..count).step_by(CHECKS_PER_TASK);
        State {
            phase: Phase::Checking,
            ready: chunks.map(|start| Task::Check(start..count.min(start + CHECKS_PER_TASK))).collect(),
            outside: self.base.outside().clone(),
            ..State::default()
        }
    }

    /// Compares a range of the recorded states with the disk.
    pub(super) fn check(
        &self,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Checked, Stopped> {
        let Fingerprint { directories, links, rule_files, .. } = self.fingerprint();
        let mut checked = Checked { count: range.len() as u64, ..Checked::default() };
        for at in range {
            if at % CHECK_INTERVAL == 0 {
                check()?;
            }
            let index = self.only.as_ref().map_or(at, |only| only[at] as usize);
            if let Some(state) = directories.get(index) {
                let path = state.path.strip_suffix(b"/").unwrap_or(&state.path);
                let now = self.root.stamp_at(path, state.through_link).ok();
                if state.listed_elsewhere {
                    checked.rescan |= now.map(Stamp::identity) != state.identity;
                } else if now.is_none() || now != state.stamp {
                    checked.changed.push(index as u32);
                }
            } else if let Some(link) = links.get(index - directories.len()) {
                checked.rescan |= self.root.link_target(&link.path) != link.target;
            } else {
                checked.rescan |= !rule_files[index - directories.len() - links.len()].is_unchanged();
            }
        }
        Ok(checked)
    }

    /// Starts the phase after the current one.
    pub(super) fn end_phase(&self, plan: &WalkPlan, state: &mut State) {
        let directories = &self.fingerprint().directories;
        if state.phase == Phase::Relisting {
            let over_budget = self.base.len() + state.entries > plan.max_entries;
            // Merging is for small changes. For large ones a full scan is faster.
            let is_large = state.entries > FEW_DIRECTORIES * FEW_DIRECTORIES + self.base.len();
            if state.checked.rescan || state.cut.is_some() || over_budget || is_large {
                Self::scan_everything(plan, state);
            } else {
                state.finished = true;
            }
        } else if state.checked.rescan || state.checked.changed.len() > FEW_DIRECTORIES + directories.len() / 2 {
            Self::scan_everything(plan, state);
        } else if state.checked.changed.is_empty() {
            state.result = Some(Arc::clone(&self.base));
            state.finished = true;
        } else {
            state.phase = Phase::Relisting;
            if self.base.options().follow_links {
                let changed: HashSet<u32> = state.checked.changed.iter().copied().collect();
                let unchanged = directories.iter().enumerate().filter(|(index, _)| !changed.contains(&(*index as u32)));
                let listed = unchanged.filter(|(_, known)| !known.listed_elsewhere);
                state.checked.listed = listed.filter_map(|(_, known)| known.identity).collect();
            }
            // In path order, so that a directory comes before its subdirectories.
            state.checked.changed.sort_unstable_by_key(|&index| &directories[index as usize].path);
            state.outputs = vec![None; state.checked.changed.len()];
            let again = state.checked.changed.iter().enumerate().rev().map(|(id, &index)| {
                let known = &directories[index as usize];
                Task::List(DirectoryTask {
                    id: id as u32,
                    path: known.path.to_vec(),
                    depth: slashes(&known.path),
                    through_link: known.through_link,
                    rules: known.rules.clone(),
                    known_rule_files: Some(known.rule_files),
                })
            });
            state.ready = again.collect();
        }
    }

    fn scan_everything(plan: &WalkPlan, state: &mut State) {
        let effort = state.effort;
        *state = State::full_scan(plan);
        state.effort = effort;
        state.effort.rescanned = true;
    }

    /// Compares a directory that was listed again with its recorded state. Removes the known directories from
    /// `visit.children`: only unknown ones need a scan.
    pub(super) fn compare(&self, state: &mut State, task: &DirectoryTask, visit: &mut Visit) {
        let fingerprint = self.fingerprint();
        let identity = visit.stamp.map(Stamp::identity);
        let before =
            task.known_rule_files.map(|_| &fingerprint.directories[state.checked.changed[task.id as usize] as usize]);
        let is_same = before.is_some_and(|before| before.identity == identity);
        let is_known = |child: &DirectoryTask| self.lists(&child.path);
        let mut rescan = false;
        if let Some(before) = before {
            // A directory that cannot be opened was removed, or the listing of its parent shows its new kind.
            let with_rules = self.base.options().use_gitignore;
            rescan |= with_rules && identity.is_some() && before.rule_files != visit.rule_files;
            rescan |= !same_links(&fingerprint.links, &task.path, &mut visit.link_states);
            visit.links.clear();
            visit.link_states.clear();
        } else {
            rescan |= !visit.links.is_empty();
        }
        if fingerprint.aliased {
            let is_directory = |&entry: &usize| self.base.kind(entry) == Kind::Dir;
            let directories = self.base.children(&task.path).filter(is_directory).count();
            let directories_now = visit.listing.entries.iter().filter(|entry| entry.kind == Kind::Dir).count();
            rescan |=
                !is_same || directories != directories_now || !visit.children.iter().all(|(_, child)| is_known(child));
        }
        if let (true, Some(identity)) = (self.base.options().follow_links, identity) {
            rescan |= !state.checked.listed.insert(identity);
        }
        visit.children.retain(|(_, child)| !is_known(child));
        state.checked.rescan |= rescan;
    }

    /// Whether the base has listed the directory at `path`, which ends with `/`.
    fn lists(&self, path: &[u8]) -> bool {
        let entry = self.base.find(path.strip_suffix(b"/").unwrap_or(path));
        entry.is_some_and(|entry| self.base.kind(entry) == Kind::Dir)
    }

    /// Returns the snapshot of the current tree: the base, with the entries of the directories that were listed again.
    pub(super) fn merge(
        &self,
        input: &MergeInput,
        head: SnapshotHead,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Snapshot, WalkError> {
        merge(&self.base, self.fingerprint(), input, head, check)
    }
}

/// Whether the links in the directory at `path` are the recorded ones.
fn same_links(before: &[LinkState], path: &[u8], now: &mut [LinkState]) -> bool {
    let in_directory =
        |link: &&LinkState| link.path.strip_prefix(path).is_some_and(|name| !name.is_empty() && !name.contains(&b'/'));
    let mut before: Vec<&LinkState> = before.iter().filter(in_directory).collect();
    before.sort_unstable_by_key(|link| &link.path);
    now.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    before.iter().copied().eq(now.iter())
}
