//! Merges an older snapshot with the directories that were listed again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cairn_cancel::Stopped;

use crate::error::WalkError;
use crate::fingerprint::Fingerprint;
use crate::kind::Kind;
use crate::paths::{node_modules_in, slashes, to_bytes};
use crate::rules::RuleFileState;
use crate::snapshot::{Cut, Snapshot, SnapshotBuilder, SnapshotHead};

use super::listing::{Listing, NO_CHILD};
use super::state::State;

/// How many entries are copied between two checks for cancellation.
const COPIED_PER_CHECK: usize = 65_536;

/// The result of the relisting phase.
pub(super) struct MergeInput {
    /// The directories that were listed again, as indices in the base's fingerprint. The first outputs are theirs.
    pub(super) changed: Vec<u32>,
    pub(super) outputs: Vec<Option<Arc<Listing>>>,
    pub(super) fingerprint: Fingerprint,
    pub(super) unreliable_times: bool,
}

impl MergeInput {
    pub(super) fn of(state: &State) -> Self {
        Self {
            changed: state.checked.changed.clone(),
            outputs: state.outputs.clone(),
            fingerprint: state.fingerprint.clone(),
            unreliable_times: state.unreliable_times,
        }
    }
}

/// The directories that no longer exist: relative paths with a trailing `/`.
#[derive(Default)]
struct Vanished(HashSet<Vec<u8>>);

impl Vanished {
    /// Whether `path` is one of the directories, or is inside one.
    fn contains(&self, path: &[u8]) -> bool {
        !self.0.is_empty() && path.iter().enumerate().any(|(at, &byte)| byte == b'/' && self.0.contains(&path[..=at]))
    }
}

/// Returns the snapshot of the current tree. `before` is the fingerprint of `base`.
pub(super) fn merge(
    base: &Snapshot,
    before: &Fingerprint,
    input: &MergeInput,
    mut head: SnapshotHead,
    check: &dyn Fn() -> Result<(), Stopped>,
) -> Result<Snapshot, WalkError> {
    let mut gone = vec![false; base.len()];
    let mut vanished = Vanished::default();
    let mut found: Vec<(Vec<u8>, Kind, bool)> = Vec::new();
    for (id, &index) in input.changed.iter().enumerate() {
        check()?;
        let path = &before.directories[index as usize].path;
        if vanished.contains(path) {
            continue;
        }
        let Some(listing) = input.outputs[id].as_deref() else { continue };
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
        gather(&input.outputs, listing, path, &mut found);
    }
    found.sort_unstable();
    let fingerprint = merge_fingerprints(base, before, input, &vanished);
    head.unread = fingerprint.above_unread.clone();
    fingerprint
        .directories
        .iter()
        .filter_map(|state| state.unread.as_deref())
        .for_each(|unread| head.unread.absorb(unread));
    let skipping = fingerprint.directories.iter().filter(|state| state.skips_node_modules);
    let mut skipped: Vec<Box<[u8]>> = skipping.map(|state| node_modules_in(&state.path)).collect();
    skipped.sort_unstable();
    head.skipped = skipped.into();
    head.fingerprint = (!input.unreliable_times).then_some(fingerprint);
    let listed_before = (0..base.len()).filter(|&entry| gone[entry]);
    let listed_before = listed_before.map(|entry| (base.path(entry), base.kind(entry), base.is_excluded(entry)));
    let is_same = found.iter().map(|(path, kind, excluded)| (&path[..], *kind, *excluded)).eq(listed_before);
    if is_same && head.cut == base.cut() && base.has_gaps_of(&head) {
        return Ok(base.unchanged(head));
    }
    let kept = gone.iter().filter(|gone| !**gone).count();
    let bytes = base.arena().len() + found.iter().map(|(path, ..)| path.len()).sum::<usize>();
    let mut builder = SnapshotBuilder::new(kept + found.len(), bytes, false);
    let mut found = found.iter().peekable();
    let push_found = |builder: &mut SnapshotBuilder, (path, kind, excluded): &(Vec<u8>, Kind, bool)| {
        let name_start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let (directory, name) = path.split_at(name_start);
        builder.push(directory, name, slashes(directory) + 1, *kind, *excluded)
    };
    let mut fits = true;
    let mut start = 0;
    while start < gone.len() {
        if gone[start] {
            start += 1;
            continue;
        }
        check()?;
        let run = gone[start..].iter().take(COPIED_PER_CHECK).take_while(|gone| !**gone).count();
        let mut end = start + run;
        if let Some((path, ..)) = found.peek()
            && path.as_slice() < base.path(end - 1)
        {
            end = base.place_of(path).clamp(start, end);
            fits &= builder.push_range(base, start..end);
            fits &= found.next().is_none_or(|next| push_found(&mut builder, next));
        } else {
            fits &= builder.push_range(base, start..end);
        }
        start = end;
    }
    for next in found {
        fits &= push_found(&mut builder, next);
    }
    if !fits {
        head.cut = Some(Cut::Budget);
        head.fingerprint = None;
    }
    Ok(builder.finish(head))
}

fn merge_fingerprints(base: &Snapshot, before: &Fingerprint, input: &MergeInput, vanished: &Vanished) -> Fingerprint {
    let mut changed = vec![false; before.directories.len()];
    for &index in &input.changed {
        changed[index as usize] = true;
    }
    let unchanged = before.directories.iter().zip(changed).filter(|(_, changed)| !changed).map(|(state, _)| state);
    let now = &input.fingerprint;
    let root = base.root();
    let in_vanished =
        |file: &RuleFileState| file.path().strip_prefix(root).is_ok_and(|path| vanished.contains(&to_bytes(path)));
    Fingerprint {
        directories: unchanged
            .chain(&now.directories)
            .filter(|state| !vanished.contains(&state.path))
            .cloned()
            .collect(),
        links: before.links.iter().chain(&now.links).filter(|link| !vanished.contains(&link.path)).cloned().collect(),
        rule_files: before
            .rule_files
            .iter()
            .filter(|file| !in_vanished(file))
            .chain(&now.rule_files)
            .cloned()
            .collect(),
        environment: before.environment.clone(),
        above_unread: before.above_unread.clone(),
        aliased: before.aliased,
    }
}

/// Collects the entries of a listing in the directory at `path`, and of the listings below it.
fn gather(outputs: &[Option<Arc<Listing>>], listing: &Listing, path: &[u8], found: &mut Vec<(Vec<u8>, Kind, bool)>) {
    let mut open = vec![(path.to_vec(), listing)];
    while let Some((path, listing)) = open.pop() {
        for &entry in &listing.entries {
            let full = [&path, listing.name(entry)].concat();
            if let Some(Some(child)) = (entry.child != NO_CHILD).then(|| outputs.get(entry.child as usize)).flatten() {
                open.push(([full.as_slice(), b"/"].concat(), child));
            }
            found.push((full, entry.kind, entry.excluded));
        }
    }
}
