//! One parallel scan of a tree.
//!
//! A [`Walk`] is a shared state that any number of threads work on together. Calls that want its result *attach* and
//! work as long as their own token allows; idle pool workers *help*. The scan goes on while one attached call is
//! left, so a cancelled caller can leave at once without cancelling the others, and nobody blocks a thread to wait.
//!
//! Directories are taken from one queue. A directory's entries are sorted where it was listed; putting the sorted
//! directories together in path order is then one copy of the path bytes ([`assemble`]).
//!
//! A walk that is given an older snapshot first checks its evidence, then lists again only what has changed
//! ([`validate`]); when that cannot be enough, it scans everything after all.

mod assemble;
mod validate;
mod visit;

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering as Atomic};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::{HelpEnd, Pool, Shared};

use crate::error::WalkError;
use crate::evidence::{DirectoryState, Evidence, Sources};
use crate::listing::{Directory, Stamp};
use crate::options::{Detail, ScanOptions, Scope};
use crate::rules::{RuleFiles, Rules};
use crate::snapshot::{Cut, Outside, Snapshot, SnapshotHead};

use self::assemble::{Listing, assemble};
use self::validate::{Checked, MergeInput, Validation};
use self::visit::Visit;

/// A visitor looks at its token every so many entries, as the contract says.
const CHECK_EVERY: usize = 128;
/// How long a thread with nothing to do sleeps before it looks at its token again. Wake-ups do not depend on it.
const IDLE: Duration = Duration::from_millis(2);
/// A root that is replaced while it is scanned is scanned again, at most so often.
pub(crate) const ROOT_ATTEMPTS: usize = 3;

/// What to scan.
pub(crate) struct Plan {
    /// The canonical root.
    pub(crate) root: PathBuf,
    pub(crate) options: ScanOptions,
    pub(crate) scope: Scope,
    pub(crate) max_entries: usize,
    /// Make a snapshot that can be validated later.
    pub(crate) keep_evidence: bool,
    /// An older snapshot of the same root and options, with evidence, to begin with.
    pub(crate) base: Option<Arc<Snapshot>>,
}

/// One scan, shared by the threads that work on it.
pub(crate) struct Walk {
    plan: Plan,
    root_identity: (u64, u64),
    validation: Option<Validation>,
    /// Whether the file system of a device keeps the times that evidence needs, for those seen so far.
    devices: Mutex<Vec<(u64, bool)>>,
    state: Mutex<State>,
    progress: Condvar,
    /// How many threads wait for a directory to list; changed with `state` locked. Waking nobody is a system call too.
    idle: AtomicUsize,
    abandoned: AtomicBool,
}

#[derive(Default)]
struct State {
    phase: Phase,
    ready: Vec<Task>,
    active: usize,
    finished: bool,
    worker_failed: bool,
    assembling: bool,
    /// The assembled snapshot; `outputs` are dropped when it is there.
    result: Option<Arc<Snapshot>>,
    outputs: Vec<Option<Arc<Listing>>>,
    entries: usize,
    unreadable: u64,
    cut: Option<Cut>,
    outside: Outside,
    evidence: Evidence,
    /// Some directory is on a file system whose times are not trusted.
    untrusted: bool,
    /// Directories listed so far; only kept where links are followed.
    visited: HashSet<(u64, u64)>,
    /// Links to directories of this round in reverse path order, and those found meanwhile.
    links: Vec<DirectoryTask>,
    next_links: Vec<DirectoryTask>,
    checked: Checked,
    effort: Effort,
}

/// What a walk is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// Looking at the evidence of an older snapshot.
    Checking,
    /// Listing again what has changed since.
    Relisting,
    /// Listing everything.
    #[default]
    Scanning,
}

/// What a walk has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Directories listed.
    pub(crate) listed: u64,
    /// Directories, links and rule files looked at to validate a snapshot.
    pub(crate) checked: u64,
    /// Whether a validation gave up for a scan of everything.
    pub(crate) rescanned: bool,
}

enum Task {
    List(DirectoryTask),
    Check(Range<usize>),
}

/// A directory still to be listed.
struct DirectoryTask {
    id: u32,
    /// Relative path with a trailing `/`; empty for the root.
    path: Vec<u8>,
    depth: usize,
    through_link: bool,
    /// The rules around it.
    rules: Rules,
    /// Listed again: which rule files it had; with the same ones, `rules` are those inside.
    before: Option<RuleFiles>,
}

/// Why a thread stopped working on a walk.
enum Leave {
    Finished,
    Stopped(Stopped),
    MadeRoom,
    Failed,
}

impl Walk {
    /// Prepares a scan; lists nothing yet.
    pub(crate) fn new(plan: Plan) -> Result<Arc<Self>, WalkError> {
        let root_identity = identity_of(&plan.root)?;
        let validation = plan.base.clone().and_then(|base| Validation::of(base, root_identity));
        let state = match &validation {
            Some(validation) => validation.begin(),
            None => Self::begin(&plan),
        };
        Ok(Arc::new(Self {
            plan,
            root_identity,
            validation,
            devices: Mutex::default(),
            state: Mutex::new(state),
            progress: Condvar::new(),
            idle: AtomicUsize::new(0),
            abandoned: AtomicBool::new(false),
        }))
    }

    /// The state from which everything is scanned.
    fn begin(plan: &Plan) -> State {
        let mut sources = Sources::new(plan.keep_evidence);
        let mut excludes = None;
        let mut rules = Rules::default();
        if plan.options.use_gitignore {
            excludes = Rules::excludes(&plan.root);
            rules = Rules::above(&plan.root, &mut sources);
        }
        let root = DirectoryTask { id: 0, path: Vec::new(), depth: 0, through_link: true, rules, before: None };
        State {
            ready: vec![Task::List(root)],
            outputs: vec![None],
            unreadable: sources.unreadable,
            outside: Outside { rule_files: sources.files, link_targets: Vec::new() },
            evidence: Evidence {
                rule_files: sources.consulted,
                excludes,
                above_unreadable: sources.unreadable,
                ..Evidence::default()
            },
            ..State::default()
        }
    }

    /// Works on the scan until it is finished and returns its snapshot. Idle workers of `pool` help.
    pub(crate) fn run(self: &Arc<Self>, pool: &Pool, cancel: &CancelToken) -> Result<Arc<Snapshot>, WalkError> {
        let shared: Arc<dyn Shared> = self.clone();
        pool.offer(&shared);
        let result = self.run_attached(cancel);
        if result.is_ok() {
            pool.withdraw(&shared);
        }
        result
    }

    fn run_attached(&self, cancel: &CancelToken) -> Result<Arc<Snapshot>, WalkError> {
        match self.work(Some(cancel), &|| false) {
            Leave::Stopped(stopped) => return Err(stopped.into()),
            Leave::Failed => return Err(WalkError::WorkerFailed { path: self.plan.root.clone() }),
            Leave::Finished | Leave::MadeRoom => {}
        }
        loop {
            let mut state = lock(&self.state);
            if let Some(snapshot) = &state.result {
                return Ok(Arc::clone(snapshot));
            }
            if state.worker_failed {
                return Err(WalkError::WorkerFailed { path: self.plan.root.clone() });
            }
            if state.assembling {
                drop(self.progress.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner));
                cancel.check()?;
                continue;
            }
            state.assembling = true;
            let head = self.head(&state, None);
            let relisted = (state.phase == Phase::Relisting).then(|| MergeInput::of(&state));
            let outputs = state.outputs.clone();
            drop(state);
            let guard = FailureGuard { walk: self };
            let assembled = match (&self.validation, relisted) {
                (Some(validation), Some(relisted)) => validation.merge(&relisted, head, cancel),
                _ => assemble(&outputs, self.plan.max_entries, head, Some(cancel)),
            };
            std::mem::forget(guard);
            let mut state = lock(&self.state);
            // After a cancelled attempt another attached call assembles.
            state.assembling = false;
            let assembled = assembled.map(|mut snapshot| {
                if state.phase == Phase::Scanning && self.can_be_validated(&state, &snapshot) {
                    snapshot.set_evidence(std::mem::take(&mut state.evidence));
                }
                let snapshot = Arc::new(snapshot);
                state.result = Some(Arc::clone(&snapshot));
                state.outputs = Vec::new();
                snapshot
            });
            drop(state);
            self.progress.notify_all();
            return assembled;
        }
    }

    /// What has been found so far, marked as cut short.
    pub(crate) fn partial(&self) -> Arc<Snapshot> {
        let state = lock(&self.state);
        if let Some(snapshot) = &state.result {
            return Arc::clone(snapshot);
        }
        // Of a validation that is under way nothing is known to be true.
        let outputs = if state.phase == Phase::Scanning { state.outputs.clone() } else { Vec::new() };
        let cut = (!state.finished || state.phase != Phase::Scanning).then_some(Cut::Timeout);
        let head = self.head(&state, cut);
        drop(state);
        // Without a token nothing can stop it.
        let assembled = assemble(&outputs, self.plan.max_entries, head, None);
        Arc::new(assembled.unwrap_or_else(|_| unreachable!("assembled without a token")))
    }

    /// Ends the scan for the helpers when no call wants it any more.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Atomic::Release);
        self.progress.notify_all();
    }

    /// Whether `target` is an ignore file outside the tree that has been read so far, or would be.
    pub(crate) fn is_ruled_by(&self, target: &Path) -> bool {
        lock(&self.state).outside.rule_files.iter().any(|file| file == target)
    }

    /// Whether the root's path no longer leads to the directory that was scanned.
    pub(crate) fn root_was_replaced(&self) -> Result<bool, WalkError> {
        Ok(identity_of(&self.plan.root)? != self.root_identity)
    }

    /// Whether it began with an older snapshot.
    pub(crate) fn validates(&self) -> bool {
        self.validation.is_some()
    }

    /// What it has cost so far.
    pub(crate) fn effort(&self) -> Effort {
        lock(&self.state).effort
    }

    /// Takes directories from the queue until none is left or this thread has to stop.
    fn work(&self, cancel: Option<&CancelToken>, should_leave: &dyn Fn() -> bool) -> Leave {
        let check = || match cancel {
            Some(cancel) => cancel.check(),
            None if self.abandoned.load(Atomic::Acquire) => Err(Stopped::Cancelled),
            None => Ok(()),
        };
        let mut state = lock(&self.state);
        loop {
            if state.worker_failed {
                return Leave::Failed;
            }
            if let Err(stopped) = check() {
                return Leave::Stopped(stopped);
            }
            if state.finished {
                return Leave::Finished;
            }
            let Some(task) = state.ready.pop() else {
                if state.active == 0 {
                    self.next_round(&mut state);
                } else {
                    self.idle.fetch_add(1, Atomic::Relaxed);
                    state = self.progress.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner).0;
                    self.idle.fetch_sub(1, Atomic::Relaxed);
                    if should_leave() {
                        return Leave::MadeRoom;
                    }
                }
                continue;
            };
            state.active += 1;
            drop(state);
            let guard = FailureGuard { walk: self };
            let done = match task {
                Task::List(task) => match self.visit(&task, &check) {
                    Ok(visit) => Ok(Done::Listed(task, Box::new(visit))),
                    Err(stopped) => Err((Task::List(task), stopped)),
                },
                Task::Check(range) => match self.look(range.clone(), &check) {
                    Ok(checked) => Ok(Done::Checked(checked)),
                    Err(stopped) => Err((Task::Check(range), stopped)),
                },
            };
            std::mem::forget(guard);
            state = lock(&self.state);
            state.active -= 1;
            match done {
                Ok(Done::Listed(task, visit)) => self.commit(&mut state, task, *visit),
                Ok(Done::Checked(checked)) => state.absorb(checked),
                Err((task, stopped)) => {
                    // Whoever stays does this again, from the start.
                    state.ready.push(task);
                    drop(state);
                    self.progress.notify_all();
                    return Leave::Stopped(stopped);
                }
            }
            if should_leave() {
                return Leave::MadeRoom;
            }
        }
    }

    /// With no directory left: enters the next followed link, or finishes. Links are entered one after the other in
    /// path order, those found behind them in a later round, so that which of several links to one directory shows
    /// its contents does not depend on timing.
    fn next_round(&self, state: &mut State) {
        if let (Some(validation), true) = (&self.validation, state.phase != Phase::Scanning) {
            validation.end_phase(self, state);
            self.progress.notify_all();
            return;
        }
        if state.links.is_empty() {
            state.links = std::mem::take(&mut state.next_links);
            state.links.sort_unstable_by(|a, b| b.path.cmp(&a.path));
        }
        match state.links.pop() {
            Some(link) => state.ready.push(Task::List(link)),
            None => state.finished = true,
        }
        self.progress.notify_all();
    }

    fn commit(&self, state: &mut State, task: DirectoryTask, mut visit: Visit) {
        state.effort.listed += 1;
        if let (Some(validation), Phase::Relisting) = (&self.validation, state.phase) {
            validation.compare(state, &task, &mut visit);
        }
        state.unreadable += visit.unreadable;
        state.untrusted |= visit.untrusted;
        let identity = visit.stamp.map(Stamp::identity);
        let shown_elsewhere = self.plan.options.follow_links
            && state.phase == Phase::Scanning
            && identity.is_some_and(|identity| !state.visited.insert(identity));
        state.evidence.aliased |= shown_elsewhere || !visit.links.is_empty();
        if !shown_elsewhere {
            self.keep(state, &task, &mut visit);
        }
        if self.plan.keep_evidence {
            state.evidence.rule_files.append(&mut visit.sources.consulted);
            state.evidence.links.append(&mut visit.link_states);
            state.evidence.directories.push(DirectoryState {
                path: task.path.into_boxed_slice(),
                stamp: visit.stamp.filter(|_| visit.settled),
                identity,
                through_link: task.through_link,
                shown_elsewhere,
                rule_files: visit.rule_files,
                rules: visit.rules,
                unreadable: visit.unreadable,
            });
        }
        let is_waited_for = self.idle.load(Atomic::Relaxed) > 0;
        if is_waited_for && (state.ready.len() > 1 || (state.ready.is_empty() && state.active == 0)) {
            self.progress.notify_all();
        }
    }

    fn keep(&self, state: &mut State, task: &DirectoryTask, visit: &mut Visit) {
        for (entry, mut child) in visit.children.drain(..) {
            child.id = new_output(state);
            visit.listing.entries[entry as usize].child = child.id;
            state.ready.push(Task::List(child));
        }
        for (entry, mut link) in visit.links.drain(..) {
            link.id = new_output(state);
            visit.listing.entries[entry as usize].child = link.id;
            state.next_links.push(link);
        }
        state.outside.rule_files.append(&mut visit.sources.files);
        state.outside.link_targets.append(&mut visit.link_targets);
        state.entries += visit.listing.entries.len();
        if visit.over_budget || state.entries > self.plan.max_entries {
            state.cut = Some(Cut::Budget);
            state.ready.clear();
            state.links.clear();
            state.next_links.clear();
        }
        state.outputs[task.id as usize] = Some(Arc::new(std::mem::take(&mut visit.listing)));
    }

    fn head(&self, state: &State, cut: Option<Cut>) -> SnapshotHead {
        static GENERATION: AtomicU64 = AtomicU64::new(1);
        let mut outside = state.outside.clone();
        outside.rule_files.sort_unstable();
        outside.rule_files.dedup();
        outside.link_targets.sort_unstable();
        outside.link_targets.dedup();
        SnapshotHead {
            root: self.plan.root.clone(),
            options: self.plan.options,
            generation: GENERATION.fetch_add(1, Atomic::Relaxed),
            unreadable: state.unreadable,
            cut: state.cut.or(cut),
            outside,
            evidence: None,
        }
    }

    /// Whether the evidence that was collected says all about `snapshot`.
    fn can_be_validated(&self, state: &State, snapshot: &Snapshot) -> bool {
        // Details change without a sign in any directory, and what was cut short has not been seen.
        self.plan.keep_evidence
            && !state.untrusted
            && snapshot.cut().is_none()
            && self.plan.options.detail == Detail::Minimal
    }

    fn look(&self, range: Range<usize>, check: &dyn Fn() -> Result<(), Stopped>) -> Result<Checked, Stopped> {
        self.validation.as_ref().map_or_else(|| Ok(Checked::default()), |validation| validation.check(range, check))
    }
}

/// What became of a task.
enum Done {
    Listed(DirectoryTask, Box<Visit>),
    Checked(Checked),
}

impl Shared for Walk {
    fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd {
        match self.work(None, should_leave) {
            Leave::MadeRoom => HelpEnd::Left,
            Leave::Finished | Leave::Stopped(_) | Leave::Failed => HelpEnd::Done,
        }
    }
}

/// Marks the walk as failed when a thread panics, so that no attached call waits for what it was at.
struct FailureGuard<'a> {
    walk: &'a Walk,
}

impl Drop for FailureGuard<'_> {
    fn drop(&mut self) {
        lock(&self.walk.state).worker_failed = true;
        self.walk.progress.notify_all();
    }
}

fn new_output(state: &mut State) -> u32 {
    state.outputs.push(None);
    (state.outputs.len() - 1) as u32
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic inside a visit happens without the lock and is reported through `worker_failed`.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn identity_of(root: &Path) -> Result<(u64, u64), WalkError> {
    match Directory::open(root, true).and_then(|directory| directory.stamp()).map(Stamp::identity) {
        Ok(identity) => Ok(identity),
        // May not be opened, but is there: the scan will say that it is unreadable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok((0, 0)),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(WalkError::NotADirectory { path: root.to_owned() })
        }
        Err(source) => Err(WalkError::NotFound { path: root.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests;
