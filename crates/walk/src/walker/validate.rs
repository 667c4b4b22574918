//! Whether an older snapshot still holds, and what of it does not.
//!
//! First everything in its evidence is looked at, in chunks that all threads share. When nothing differs the snapshot
//! itself is the result. Directories that differ, or that may without a sign, are listed again, and what was not known
//! in them is scanned; the result is merged from both. Where that could differ from a scan of everything, because rules
//! changed or one directory has several paths, everything is scanned.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};

use crate::error::WalkError;
use crate::evidence::{Evidence, LinkState, RuleFileState};
use crate::listing::{Directory, Stamp};
use crate::paths::{slashes, to_bytes};
use crate::rules::Rules;
use crate::snapshot::{Cut, Kind, Snapshot, SnapshotBuilder, SnapshotHead};

use super::assemble::{Listing, NO_CHILD};
use super::{CHECK_EVERY, DirectoryTask, Phase, State, Task, Visit, Walk};

/// Things looked at per task; a look is about a microsecond.
const CHECKS_PER_TASK: usize = 256;
/// So many directories may be listed again even where that is most of a tree.
const FEW: usize = 64;

/// An older snapshot with evidence, and its root.
pub(super) struct Validation {
    base: Arc<Snapshot>,
    root: Directory,
}

/// What looking at the evidence has shown.
#[derive(Default)]
pub(super) struct Checked {
    /// Indices of the directories to be listed again.
    changed: Vec<u32>,
    /// Whether only a scan of everything can tell what is there now.
    rescan: bool,
    looks: u64,
    /// While links are followed: the directories that are shown, by identity. One that comes twice has several paths.
    shown: HashSet<(u64, u64)>,
}

/// What listing directories again has taken away: paths of directories with a `/` behind.
#[derive(Default)]
struct Vanished(HashSet<Vec<u8>>);

impl Vanished {
    /// Whether `path` lies in a directory that is gone, or is one.
    fn contains(&self, path: &[u8]) -> bool {
        !self.0.is_empty() && path.iter().enumerate().any(|(at, &byte)| byte == b'/' && self.0.contains(&path[..=at]))
    }
}

impl State {
    pub(super) fn absorb(&mut self, checked: Checked) {
        self.effort.checked += checked.looks;
        self.checked.rescan |= checked.rescan;
        self.checked.changed.extend(checked.changed);
    }
}

impl Validation {
    /// `None` when the snapshot has no evidence, or is certainly out of date.
    pub(super) fn of(base: Arc<Snapshot>, root_identity: (u64, u64)) -> Option<Self> {
        let evidence = base.evidence()?;
        let root = Directory::open(base.root(), true).ok()?;
        let same_root = root.stamp().is_ok_and(|stamp| stamp.identity() == root_identity)
            && evidence.directories.iter().any(|state| state.path.is_empty() && state.identity == Some(root_identity));
        let same_excludes = !base.options().use_gitignore || Rules::excludes(base.root()) == evidence.excludes;
        (same_root && same_excludes).then(|| Self { base, root })
    }

    fn evidence(&self) -> &Evidence {
        self.base.evidence().unwrap_or_else(|| unreachable!("no validation without evidence"))
    }

    /// The state from which everything is looked at.
    pub(super) fn begin(&self) -> State {
        let looks = self.evidence().len();
        let chunks = (0..looks).step_by(CHECKS_PER_TASK);
        State {
            phase: Phase::Checking,
            ready: chunks.map(|start| Task::Check(start..looks.min(start + CHECKS_PER_TASK))).collect(),
            outside: self.base.outside().clone(),
            ..State::default()
        }
    }

    /// Looks at a part of the evidence.
    pub(super) fn check(
        &self,
        range: Range<usize>,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Checked, Stopped> {
        let Evidence { directories, links, rule_files, .. } = self.evidence();
        let mut checked = Checked { looks: range.len() as u64, ..Checked::default() };
        for look in range {
            if look % CHECK_EVERY == 0 {
                check()?;
            }
            if let Some(state) = directories.get(look) {
                let path = state.path.strip_suffix(b"/").unwrap_or(&state.path);
                let now = self.root.stamp_at(path, state.through_link).ok();
                if state.shown_elsewhere {
                    checked.rescan |= now.map(Stamp::identity) != state.identity;
                } else if now.is_none() || now != state.stamp {
                    checked.changed.push(look as u32);
                }
            } else if let Some(link) = links.get(look - directories.len()) {
                checked.rescan |= self.root.link_target(&link.path) != link.target;
            } else {
                checked.rescan |= !rule_files[look - directories.len() - links.len()].holds();
            }
        }
        Ok(checked)
    }

    /// What comes when a phase of the validation is done.
    pub(super) fn end_phase(&self, walk: &Walk, state: &mut State) {
        let directories = &self.evidence().directories;
        if state.phase == Phase::Relisting {
            let over_budget = self.base.len() + state.entries > walk.plan.max_entries;
            // Merging is for small changes; putting much together anew is quicker.
            let is_much = state.entries > FEW * FEW + self.base.len();
            if state.checked.rescan || state.cut.is_some() || over_budget || is_much {
                Self::scan_everything(walk, state);
            } else {
                state.finished = true;
            }
        } else if state.checked.rescan || state.checked.changed.len() > FEW + directories.len() / 2 {
            Self::scan_everything(walk, state);
        } else if state.checked.changed.is_empty() {
            state.result = Some(Arc::clone(&self.base));
            state.finished = true;
        } else {
            state.phase = Phase::Relisting;
            if self.base.options().follow_links {
                let changed: HashSet<u32> = state.checked.changed.iter().copied().collect();
                let unchanged = directories.iter().enumerate().filter(|(index, _)| !changed.contains(&(*index as u32)));
                let shown = unchanged.filter(|(_, known)| !known.shown_elsewhere);
                state.checked.shown = shown.filter_map(|(_, known)| known.identity).collect();
            }
            // In path order: a directory comes before those in it.
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
                    before: Some(known.rule_files),
                })
            });
            state.ready = again.collect();
        }
    }

    fn scan_everything(walk: &Walk, state: &mut State) {
        let effort = state.effort;
        *state = Walk::begin(&walk.plan);
        state.effort = effort;
        state.effort.rescanned = true;
    }

    /// Compares a directory with what was known of it, and leaves to be scanned only what was not.
    pub(super) fn compare(&self, state: &mut State, task: &DirectoryTask, visit: &mut Visit) {
        let evidence = self.evidence();
        let identity = visit.stamp.map(Stamp::identity);
        let before = task.before.map(|_| &evidence.directories[state.checked.changed[task.id as usize] as usize]);
        let is_same = before.is_some_and(|before| before.identity == identity);
        let is_known = |child: &DirectoryTask| self.lists(&child.path);
        let mut rescan = false;
        if let Some(before) = before {
            // One that could not be opened is gone, or its parent says what it is now.
            let with_rules = self.base.options().use_gitignore;
            rescan |= with_rules && identity.is_some() && before.rule_files != visit.rule_files;
            rescan |= !same_links(&evidence.links, &task.path, &mut visit.link_states);
            visit.links.clear();
            visit.link_states.clear();
        } else {
            rescan |= !visit.links.is_empty();
        }
        if evidence.aliased {
            let is_directory = |&entry: &usize| self.base.kind(entry) == Kind::Dir;
            let directories = self.base.children(&task.path).filter(is_directory).count();
            let directories_now = visit.listing.entries.iter().filter(|entry| entry.kind == Kind::Dir).count();
            rescan |=
                !is_same || directories != directories_now || !visit.children.iter().all(|(_, child)| is_known(child));
        }
        if let (true, Some(identity)) = (self.base.options().follow_links, identity) {
            rescan |= !state.checked.shown.insert(identity);
        }
        visit.children.retain(|(_, child)| !is_known(child));
        state.checked.rescan |= rescan;
    }

    /// Whether the base has listed the directory at `path`, which ends with `/`.
    fn lists(&self, path: &[u8]) -> bool {
        let entry = self.base.find(path.strip_suffix(b"/").unwrap_or(path));
        entry.is_some_and(|entry| self.base.kind(entry) == Kind::Dir)
    }

    /// The snapshot of what is there now: the base's, but for the directories that were listed again.
    pub(super) fn merge(
        &self,
        state: &MergeInput,
        mut head: SnapshotHead,
        cancel: &CancelToken,
    ) -> Result<Snapshot, WalkError> {
        let base = &self.base;
        let mut gone = vec![false; base.len()];
        let mut vanished = Vanished::default();
        let mut found: Vec<(Vec<u8>, Kind)> = Vec::new();
        for (id, &index) in state.changed.iter().enumerate() {
            cancel.check()?;
            let path = &self.evidence().directories[index as usize].path;
            if vanished.contains(path) {
                continue;
            }
            let Some(listing) = state.outputs[id].as_deref() else { continue };
            let kinds: HashMap<&[u8], Kind> =
                listing.entries.iter().map(|&entry| (listing.name(entry), entry.kind)).collect();
            for child in base.children(path) {
                gone[child] = true;
                if base.kind(child) == Kind::Dir && kinds.get(base.name(child)) != Some(&Kind::Dir) {
                    let subtree = [base.path(child), b"/"].concat();
                    gone[base.with_prefix(&subtree)].fill(true);
                    vanished.0.insert(subtree);
                }
            }
            gather(&state.outputs, listing, path, &mut found);
        }
        found.sort_unstable();
        let kept = gone.iter().filter(|gone| !**gone).count();
        let bytes = base.arena().len() + found.iter().map(|(path, _)| path.len()).sum::<usize>();
        let mut builder = SnapshotBuilder::new(kept + found.len(), bytes, false);
        let mut found = found.iter().peekable();
        let push = |builder: &mut SnapshotBuilder, path: &[u8], name_len: usize, kind: Kind| {
            let (directory, name) = path.split_at(path.len() - name_len);
            let depth = slashes(directory) + 1;
            builder.push(directory, name, depth, kind)
        };
        let push_found = |builder: &mut SnapshotBuilder, (path, kind): &(Vec<u8>, Kind)| {
            let name_len = path.iter().rev().take_while(|&&byte| byte != b'/').count();
            push(builder, path, name_len, *kind)
        };
        let mut fits = true;
        for (entry, gone) in gone.iter().enumerate() {
            if entry % 4096 == 0 {
                cancel.check()?;
            }
            if *gone {
                continue;
            }
            while let Some(next) = found.next_if(|(path, _)| path.as_slice() < base.path(entry)) {
                fits &= push_found(&mut builder, next);
            }
            fits &= push(&mut builder, base.path(entry), base.name(entry).len(), base.kind(entry));
        }
        for next in found {
            fits &= push_found(&mut builder, next);
        }
        if !fits {
            head.cut = Some(Cut::Budget);
        }
        let evidence = self.merge_evidence(state, &vanished);
        let in_directories: u64 = evidence.directories.iter().map(|state| state.unreadable).sum();
        head.unreadable = evidence.above_unreadable + in_directories;
        head.evidence = (fits && !state.untrusted).then_some(evidence);
        Ok(builder.finish(head))
    }

    fn merge_evidence(&self, state: &MergeInput, vanished: &Vanished) -> Evidence {
        let before = self.evidence();
        let mut changed = vec![false; before.directories.len()];
        for &index in &state.changed {
            changed[index as usize] = true;
        }
        let unchanged = before.directories.iter().zip(changed).filter(|(_, changed)| !changed).map(|(state, _)| state);
        let now = &state.evidence;
        let root = self.base.root();
        let in_vanished =
            |file: &RuleFileState| file.path().strip_prefix(root).is_ok_and(|path| vanished.contains(&to_bytes(path)));
        Evidence {
            directories: unchanged
                .chain(&now.directories)
                .filter(|state| !vanished.contains(&state.path))
                .cloned()
                .collect(),
            links: before
                .links
                .iter()
                .chain(&now.links)
                .filter(|link| !vanished.contains(&link.path))
                .cloned()
                .collect(),
            rule_files: before
                .rule_files
                .iter()
                .filter(|file| !in_vanished(file))
                .chain(&now.rule_files)
                .cloned()
                .collect(),
            excludes: before.excludes.clone(),
            above_unreadable: before.above_unreadable,
            aliased: before.aliased,
        }
    }
}

/// What was listed again and newly, for the merge.
pub(super) struct MergeInput {
    /// Indices of the directories in the base's evidence; the first outputs are theirs.
    pub(super) changed: Vec<u32>,
    pub(super) outputs: Vec<Option<Arc<Listing>>>,
    pub(super) evidence: Evidence,
    pub(super) untrusted: bool,
}

impl MergeInput {
    pub(super) fn of(state: &State) -> Self {
        Self {
            changed: state.checked.changed.clone(),
            outputs: state.outputs.clone(),
            evidence: state.evidence.clone(),
            untrusted: state.untrusted,
        }
    }
}

/// Collects the entries of a listing in the directory at `path`, and of the listings below it.
fn gather(outputs: &[Option<Arc<Listing>>], listing: &Listing, path: &[u8], found: &mut Vec<(Vec<u8>, Kind)>) {
    let mut open = vec![(path.to_vec(), listing)];
    while let Some((path, listing)) = open.pop() {
        for &entry in &listing.entries {
            let full = [&path, listing.name(entry)].concat();
            if let Some(Some(child)) = (entry.child != NO_CHILD).then(|| outputs.get(entry.child as usize)).flatten() {
                open.push(([full.as_slice(), b"/"].concat(), child));
            }
            found.push((full, entry.kind));
        }
    }
}

/// Whether the links in the directory at `path` are those that were known.
fn same_links(before: &[LinkState], path: &[u8], now: &mut [LinkState]) -> bool {
    let in_directory =
        |link: &&LinkState| link.path.strip_prefix(path).is_some_and(|name| !name.is_empty() && !name.contains(&b'/'));
    let mut before: Vec<&LinkState> = before.iter().filter(in_directory).collect();
    before.sort_unstable_by_key(|link| &link.path);
    now.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    before.iter().copied().eq(now.iter())
}
