//! The state that the threads of one walk share.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::fingerprint::Fingerprint;
use crate::paths::to_bytes;
use crate::rules::{Environment, RuleFiles, Rules, Sources};
use crate::snapshot::{Cut, Outside, Snapshot};
use crate::unread::Unread;

use super::listing::Listing;
use super::plan::WalkPlan;

/// Guarded by the walk's mutex.
#[derive(Default)]
pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) ready: Vec<Task>,
    /// How many tasks threads are working on.
    pub(super) active: usize,
    pub(super) finished: bool,
    pub(super) worker_failed: bool,
    pub(super) assembling: bool,
    /// The assembled snapshot. `outputs` is emptied when it is set.
    pub(super) result: Option<Arc<Snapshot>>,
    pub(super) outputs: Vec<Option<Arc<Listing>>>,
    /// What a deadline left of directories that are listed again later, by the index in `outputs`.
    pub(super) parts: HashMap<u32, Arc<Listing>>,
    pub(super) entries: usize,
    pub(super) unread: Unread,
    /// The paths of `node_modules` that only the options leave out.
    pub(super) skipped: Vec<Box<[u8]>>,
    pub(super) cut: Option<Cut>,
    /// Where the head of a tree ends: the first directory that is not listed.
    pub(super) head_end: Option<Vec<u8>>,
    pub(super) outside: Outside,
    pub(super) fingerprint: Fingerprint,
    /// Whether a directory is on a file system without reliable times.
    pub(super) unreliable_times: bool,
    /// The directories listed so far; only filled when links are followed.
    pub(super) visited: HashSet<(u64, u64)>,
    /// The links of this round that point to directories, in reverse path order.
    pub(super) links: Vec<DirectoryTask>,
    /// The links for the next round.
    pub(super) next_links: Vec<DirectoryTask>,
    pub(super) checked: Checked,
    pub(super) effort: Effort,
}

/// The current step of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Compares the fingerprint of an older snapshot with the disk.
    Checking,
    /// Lists the changed directories again.
    Relisting,
    /// Lists everything.
    #[default]
    Scanning,
}

/// What a walk has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Directories listed.
    pub(crate) listed: u64,
    /// Directories, links and rule files compared to validate a snapshot.
    pub(crate) checked: u64,
    /// Whether a validation fell back to a full scan.
    pub(crate) rescanned: bool,
}

pub(super) enum Task {
    List(DirectoryTask),
    /// Compare a range of the states in a fingerprint.
    Check(Range<usize>),
}

impl Task {
    /// The path of the directory to list.
    pub(super) fn path(&self) -> &[u8] {
        match self {
            Self::List(task) => &task.path,
            Self::Check(_) => b"",
        }
    }
}

/// A directory to list.
pub(super) struct DirectoryTask {
    /// The index of its listing in [`State::outputs`].
    pub(super) id: u32,
    /// Relative path with a trailing `/`; empty for the root.
    pub(super) path: Vec<u8>,
    pub(super) depth: usize,
    pub(super) through_link: bool,
    /// The rules of its parent; with `known_rule_files`, the rules inside it.
    pub(super) rules: Rules,
    /// For a directory that is listed again: the rule files it had. While they are the same, `rules` applies unchanged.
    pub(super) known_rule_files: Option<RuleFiles>,
}

/// The result of comparing states of a fingerprint.
#[derive(Default)]
pub(super) struct Checked {
    /// The directories to list again, as indices in the fingerprint.
    pub(super) changed: Vec<u32>,
    /// Whether only a full scan can give the right result.
    pub(super) rescan: bool,
    /// How many states were compared.
    pub(super) count: u64,
    /// When links are followed: the identities of the listed directories. A second path to one of them forces a full
    /// scan.
    pub(super) listed: HashSet<(u64, u64)>,
}

impl DirectoryTask {
    /// Its relative path as it is reported; `.` is the root.
    pub(super) fn name(&self) -> &[u8] {
        self.path.strip_suffix(b"/").unwrap_or(b".")
    }
}

impl State {
    /// Returns the state at the start of a full scan.
    pub(super) fn full_scan(plan: &WalkPlan) -> Self {
        let mut sources = Sources::new(plan.record_fingerprint);
        let mut environment = None;
        let mut rules = Rules::default();
        if plan.options.use_gitignore {
            environment = Some(Environment::now());
            rules = Rules::above(&plan.root, &mut sources);
        }
        let mut unread = Unread::default();
        sources.unread.iter().for_each(|path| unread.add(&to_bytes(path)));
        let root =
            DirectoryTask { id: 0, path: Vec::new(), depth: 0, through_link: true, rules, known_rule_files: None };
        Self {
            ready: vec![Task::List(root)],
            outputs: vec![None],
            unread: unread.clone(),
            outside: Outside { rule_files: sources.files, link_targets: Vec::new() },
            fingerprint: Fingerprint {
                rule_files: sources.states,
                environment,
                above_unread: unread,
                ..Fingerprint::default()
            },
            ..Self::default()
        }
    }

    pub(super) fn absorb(&mut self, checked: Checked) {
        self.effort.checked += checked.count;
        self.checked.rescan |= checked.rescan;
        self.checked.changed.extend(checked.changed);
    }

    /// Reserves a place in `outputs` and returns its index.
    pub(super) fn new_output(&mut self) -> u32 {
        self.outputs.push(None);
        (self.outputs.len() - 1) as u32
    }
}
