//! One parallel scan of a tree.
//!
//! A [`Walk`] is shared state that any number of threads work on together. Each call that wants the result works on the
//! walk until its own token stops it; idle pool workers help. A cancelled caller returns immediately and the scan continues
//! while another call works on it, so no thread blocks to wait for another call.
//!
//! All threads take directories from one queue. The thread that lists a directory also sorts its entries; building the
//! snapshot from the sorted directories is then one copy of the path bytes ([`assemble`]).
//!
//! A walk with an older snapshot first compares its fingerprint with the disk, then lists only the changed directories
//! again ([`validate`]). When that is not enough, it scans everything.
//!
//! `ignore::WalkBuilder` is not used: it cannot list one directory again, cannot be shared by several calls, and differs
//! from git in which ignore files apply. It is also slower; docs/design/walking.md has the numbers.

mod assemble;
mod listing;
mod merge;
mod plan;
mod state;
mod validate;
mod visit;

use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as Atomic};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::{HelpEnd, Pool, Shared};

use crate::directory::{DirectoryHandle, Stamp};
use crate::error::WalkError;
use crate::fingerprint::DirectoryState;
use crate::generation::next_generation;
use crate::options::Detail;
use crate::paths::node_modules_in;
use crate::snapshot::{Cut, Head, Snapshot, SnapshotHead};

use self::assemble::assemble;
use self::merge::MergeInput;
pub(crate) use self::plan::WalkPlan;
use self::state::{Checked, DirectoryTask, Effort, Phase, State, Task};
use self::validate::Validation;
use self::visit::{Devices, Visit, Visitor};

/// How long a thread without a task sleeps before it checks its token again. A new task wakes it earlier.
const IDLE: Duration = Duration::from_millis(2);

/// The head of a tree has about this many directories, or entries: a hundredth of a large tree.
const HEAD_DIRECTORIES: u64 = 128;
const HEAD_ENTRIES: usize = 10_000;

/// How long a call that is out of time waits for what the running visits have: a file system may not answer.
const MAX_WAIT_FOR_PARTS: Duration = Duration::from_secs(2);

/// One scan, shared by the threads that work on it.
pub(crate) struct Walk {
    plan: WalkPlan,
    generation: u64,
    root_identity: (u64, u64),
    validation: Option<Validation>,
    devices: Devices,
    state: Mutex<State>,
    progress: Condvar,
    /// How many threads wait for a task; changed with `state` locked. With none, the system call to wake them is saved.
    idle: AtomicUsize,
    abandoned: AtomicBool,
    /// How many calls ran out of time and wait for what the running visits have.
    interrupts: AtomicUsize,
}

/// Why a thread stopped working on a walk.
enum StopReason {
    Finished,
    Stopped(Stopped),
    /// The pool needs the thread for a waiting call.
    Yielded,
    Failed,
}

impl Walk {
    /// Prepares a scan; lists nothing yet.
    pub(crate) fn new(plan: WalkPlan) -> Result<Arc<Self>, WalkError> {
        let generation = next_generation();
        let root_identity = identity_of(&plan.root)?;
        let validation = plan.base.clone().and_then(|base| Validation::of(base, plan.places.as_deref(), root_identity));
        let state = match &validation {
            Some(validation) => validation.begin(),
            None => State::full_scan(&plan),
        };
        Ok(Arc::new(Self {
            plan,
            generation,
            root_identity,
            validation,
            devices: Devices::default(),
            state: Mutex::new(state),
            progress: Condvar::new(),
            idle: AtomicUsize::new(0),
            abandoned: AtomicBool::new(false),
            interrupts: AtomicUsize::new(0),
        }))
    }

    /// Works on the scan until it is finished and returns its snapshot. Idle workers of `pool` help. With
    /// `accepts_partial`, it returns the entries listed so far, marked as cut, when the time runs out.
    pub(crate) fn run(
        self: &Arc<Self>,
        pool: &Pool,
        cancel: &CancelToken,
        accepts_partial: bool,
    ) -> Result<Arc<Snapshot>, WalkError> {
        let shared: Arc<dyn Shared> = self.clone();
        pool.offer(&shared);
        let interrupt = Interrupt { walk: self, is_on: Cell::new(false) };
        let check = || {
            let checked = cancel.check();
            if accepts_partial && checked == Err(Stopped::TimedOut) {
                interrupt.begin();
            }
            checked
        };
        let result = match self.run_attached(&check) {
            Err(WalkError::Stopped(Stopped::TimedOut)) if accepts_partial => {
                interrupt.begin();
                return self.partial(&cancel.without_deadline());
            }
            result => result,
        };
        if result.is_ok() {
            pool.withdraw(&shared);
        }
        result
    }

    /// Lists the head of the tree, on this thread alone: so where the head ends does not depend on timing.
    pub(crate) fn run_alone(self: &Arc<Self>, cancel: &CancelToken, accepts_partial: bool) -> Result<Head, WalkError> {
        let snapshot = match self.run_attached(&|| cancel.check()) {
            Err(WalkError::Stopped(Stopped::TimedOut)) if accepts_partial => {
                self.partial(&cancel.without_deadline())?
            }
            result => result?,
        };
        Ok(Head { snapshot, end: lock(&self.state).head_end.take() })
    }

    fn run_attached(&self, check: &dyn Fn() -> Result<(), Stopped>) -> Result<Arc<Snapshot>, WalkError> {
        match self.work(check, &|| false) {
            StopReason::Stopped(stopped) => return Err(stopped.into()),
            StopReason::Failed => return Err(WalkError::WorkerFailed { path: self.plan.root.clone() }),
            StopReason::Finished | StopReason::Yielded => {}
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
                check()?;
                continue;
            }
            state.assembling = true;
            let head = self.head(&state, self.generation, None);
            let relisted = (state.phase == Phase::Relisting).then(|| MergeInput::of(&state));
            let outputs = state.outputs.clone();
            drop(state);
            let guard = FailureGuard { walk: self };
            let assembled = match (&self.validation, relisted) {
                (Some(validation), Some(relisted)) => validation.merge(&relisted, head, check),
                _ => assemble(&outputs, self.plan.max_entries, head, check),
            };
            std::mem::forget(guard);
            let mut state = lock(&self.state);
            // After a cancelled attempt, another call assembles.
            state.assembling = false;
            let assembled = assembled.map(|mut snapshot| {
                if state.phase == Phase::Scanning && self.can_be_validated(&state, &snapshot) {
                    snapshot.set_fingerprint(std::mem::take(&mut state.fingerprint));
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

    /// Returns the entries listed so far, marked as cut. The visits that run are interrupted and give what they have.
    fn partial(&self, cancel: &CancelToken) -> Result<Arc<Snapshot>, WalkError> {
        let began = Instant::now();
        let mut state = lock(&self.state);
        while state.active > 0 && state.result.is_none() && began.elapsed() < MAX_WAIT_FOR_PARTS {
            state = self.progress.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner).0;
            cancel.check()?;
        }
        if let Some(snapshot) = &state.result {
            return Ok(Arc::clone(snapshot));
        }
        // During a validation, nothing is certain yet.
        let mut outputs = if state.phase == Phase::Scanning { state.outputs.clone() } else { Vec::new() };
        for (&id, part) in &state.parts {
            if let Some(output @ None) = outputs.get_mut(id as usize) {
                *output = Some(Arc::clone(part));
            }
        }
        let cut = (!state.finished || state.phase != Phase::Scanning).then_some(Cut::Timeout);
        let head = self.head(&state, next_generation(), cut);
        drop(state);
        Ok(Arc::new(assemble(&outputs, self.plan.max_entries, head, &|| cancel.check())?))
    }

    /// Stops the helpers. Call it when no call works on the scan any more.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Atomic::Release);
        self.progress.notify_all();
    }

    /// Whether `target` is, or contains, a file outside the tree that the rules read so far depend on.
    pub(crate) fn depends_on(&self, target: &Path) -> bool {
        lock(&self.state).outside.rule_files.iter().any(|file| file.starts_with(target))
    }

    /// Whether the root's path now names another directory than the scanned one.
    pub(crate) fn root_was_replaced(&self) -> Result<bool, WalkError> {
        Ok(identity_of(&self.plan.root)? != self.root_identity)
    }

    /// Whether it began by validating an older snapshot.
    pub(crate) fn validates(&self) -> bool {
        self.validation.is_some()
    }

    /// Whether it has validated an older snapshot in some places only.
    pub(crate) fn has_checked_places_only(&self) -> bool {
        self.validation.as_ref().is_some_and(Validation::is_partial) && !self.effort().rescanned
    }

    /// Returns its cost so far.
    pub(crate) fn effort(&self) -> Effort {
        lock(&self.state).effort
    }

    /// Works on tasks from the queue until none is left or this thread has to stop.
    fn work(&self, check: &dyn Fn() -> Result<(), Stopped>, should_leave: &dyn Fn() -> bool) -> StopReason {
        let check_task = || {
            check()?;
            if self.is_interrupted() { Err(Stopped::TimedOut) } else { Ok(()) }
        };
        let mut state = lock(&self.state);
        loop {
            if state.worker_failed {
                return StopReason::Failed;
            }
            if let Err(stopped) = check() {
                return StopReason::Stopped(stopped);
            }
            if state.finished {
                return StopReason::Finished;
            }
            let task = if self.is_interrupted() { None } else { state.ready.pop() };
            let Some(task) = task else {
                if state.active == 0 && state.ready.is_empty() {
                    self.next_round(&mut state);
                } else {
                    self.idle.fetch_add(1, Atomic::Relaxed);
                    state = self.progress.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner).0;
                    self.idle.fetch_sub(1, Atomic::Relaxed);
                    if should_leave() {
                        return StopReason::Yielded;
                    }
                }
                continue;
            };
            state.active += 1;
            drop(state);
            let guard = FailureGuard { walk: self };
            let done = match task {
                Task::List(task) => match self.visitor(&|| self.is_interrupted()).visit(&task, &check_task) {
                    Ok(visit) => Ok(Done::Listed(task, Box::new(visit))),
                    Err(stopped) => Err((Task::List(task), stopped)),
                },
                Task::Check(range) => match self.check_states(range.clone(), &check_task) {
                    Ok(checked) => Ok(Done::Checked(checked)),
                    Err(stopped) => Err((Task::Check(range), stopped)),
                },
            };
            std::mem::forget(guard);
            state = lock(&self.state);
            state.active -= 1;
            match done {
                Ok(Done::Listed(task, visit)) if visit.interrupted => {
                    if state.phase == Phase::Scanning {
                        state.parts.insert(task.id, Arc::new(visit.listing));
                    }
                    state.ready.push(Task::List(task));
                    self.progress.notify_all();
                }
                Ok(Done::Listed(task, visit)) => self.commit(&mut state, task, *visit),
                Ok(Done::Checked(checked)) => state.absorb(checked),
                Err((task, stopped)) => {
                    // Another thread does the task again, from its start.
                    state.ready.push(task);
                    self.progress.notify_all();
                    // Otherwise another call is out of time, and this thread waits for it.
                    if check().is_err() {
                        return StopReason::Stopped(stopped);
                    }
                }
            }
            if should_leave() {
                return StopReason::Yielded;
            }
        }
    }

    /// When the queue is empty: enters the next followed link, or finishes.
    ///
    /// Links are entered one at a time in path order, and links inside their targets in a later round. So it does not
    /// depend on timing which of several links to one directory lists its contents.
    fn next_round(&self, state: &mut State) {
        if let (Some(validation), true) = (&self.validation, state.phase != Phase::Scanning) {
            validation.end_phase(&self.plan, state);
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
        state.unread.absorb(&visit.unread);
        state.unreliable_times |= visit.unreliable_times;
        let identity = visit.stamp.map(Stamp::identity);
        let listed_elsewhere = self.plan.options.follow_links
            && state.phase == Phase::Scanning
            && identity.is_some_and(|identity| !state.visited.insert(identity));
        state.fingerprint.aliased |= listed_elsewhere || !visit.links.is_empty();
        if !listed_elsewhere {
            self.keep(state, &task, &mut visit);
        }
        if self.plan.record_fingerprint {
            state.fingerprint.rule_files.append(&mut visit.sources.states);
            state.fingerprint.links.append(&mut visit.link_states);
            state.fingerprint.directories.push(DirectoryState {
                path: task.path.into_boxed_slice(),
                stamp: visit.stamp.filter(|_| visit.settled),
                identity,
                through_link: task.through_link,
                listed_elsewhere,
                rule_files: visit.rule_files,
                rules: visit.rules,
                has_undecided_link: visit.has_undecided_link,
                skips_node_modules: visit.skips_node_modules && !listed_elsewhere,
                unread: (visit.unread.count > 0).then(|| Box::new(visit.unread)),
            });
        }
        let threads_wait = self.idle.load(Atomic::Relaxed) > 0;
        if threads_wait && (state.ready.len() > 1 || (state.ready.is_empty() && state.active == 0)) {
            self.progress.notify_all();
        }
    }

    fn keep(&self, state: &mut State, task: &DirectoryTask, visit: &mut Visit) {
        for (entry, mut child) in visit.children.drain(..) {
            child.id = state.new_output();
            visit.listing.entries[entry as usize].child = child.id;
            state.ready.push(Task::List(child));
        }
        for (entry, mut link) in visit.links.drain(..) {
            link.id = state.new_output();
            visit.listing.entries[entry as usize].child = link.id;
            state.next_links.push(link);
        }
        if visit.skips_node_modules {
            state.skipped.push(node_modules_in(&task.path));
        }
        state.outside.rule_files.append(&mut visit.sources.files);
        state.outside.link_targets.append(&mut visit.link_targets);
        state.entries += visit.listing.entries.len();
        if self.plan.only_head {
            limit_head(state);
        }
        if visit.over_budget || state.entries > self.plan.max_entries {
            state.cut = Some(Cut::Budget);
            state.ready.clear();
            state.links.clear();
            state.next_links.clear();
        }
        state.outputs[task.id as usize] = Some(Arc::new(std::mem::take(&mut visit.listing)));
    }

    fn head(&self, state: &State, generation: u64, cut: Option<Cut>) -> SnapshotHead {
        let mut outside = state.outside.clone();
        outside.rule_files.sort_unstable();
        outside.rule_files.dedup();
        outside.link_targets.sort_unstable();
        outside.link_targets.dedup();
        let mut skipped = state.skipped.clone();
        skipped.sort_unstable();
        SnapshotHead {
            root: self.plan.root.clone(),
            options: self.plan.options,
            generation,
            unread: state.unread.clone(),
            skipped: skipped.into(),
            cut: state.cut.or(cut),
            whole: self.plan.subtree.is_whole_tree(),
            outside,
            fingerprint: None,
        }
    }

    /// Whether the recorded fingerprint is enough to validate `snapshot`.
    fn can_be_validated(&self, state: &State, snapshot: &Snapshot) -> bool {
        // A change of details does not change the stamps of directories, and a cut snapshot misses entries.
        self.plan.record_fingerprint
            && !state.unreliable_times
            && snapshot.cut().is_none()
            && self.plan.options.detail == Detail::Minimal
    }

    fn visitor<'a>(&'a self, keeps_part: &'a dyn Fn() -> bool) -> Visitor<'a> {
        Visitor { plan: &self.plan, devices: &self.devices, keeps_part }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.load(Atomic::Acquire) > 0
    }

    fn check_states(&self, range: Range<usize>, check: &dyn Fn() -> Result<(), Stopped>) -> Result<Checked, Stopped> {
        self.validation.as_ref().map_or_else(|| Ok(Checked::default()), |validation| validation.check(range, check))
    }
}

/// The result of a task.
enum Done {
    Listed(DirectoryTask, Box<Visit>),
    Checked(Checked),
}

impl Shared for Walk {
    fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd {
        let check = || if self.abandoned.load(Atomic::Acquire) { Err(Stopped::Cancelled) } else { Ok(()) };
        match self.work(&check, should_leave) {
            StopReason::Yielded => HelpEnd::Left,
            StopReason::Finished | StopReason::Stopped(_) | StopReason::Failed => HelpEnd::Done,
        }
    }
}

/// Interrupts the visits of a walk for a call that is out of time, until it is dropped.
struct Interrupt<'a> {
    walk: &'a Walk,
    is_on: Cell<bool>,
}

impl Interrupt<'_> {
    fn begin(&self) {
        if !self.is_on.replace(true) {
            self.walk.interrupts.fetch_add(1, Atomic::AcqRel);
        }
    }
}

impl Drop for Interrupt<'_> {
    fn drop(&mut self) {
        if self.is_on.get() {
            self.walk.interrupts.fetch_sub(1, Atomic::AcqRel);
            self.walk.progress.notify_all();
        }
    }
}

/// Marks the walk as failed when a thread panics, so that no call waits for its task.
struct FailureGuard<'a> {
    walk: &'a Walk,
}

impl Drop for FailureGuard<'_> {
    fn drop(&mut self) {
        lock(&self.walk.state).worker_failed = true;
        self.walk.progress.notify_all();
    }
}

/// Makes the first directory in path order the next one. After enough of them, ends the walk.
fn limit_head(state: &mut State) {
    state.ready.sort_by(|a, b| Task::path(b).cmp(Task::path(a)));
    if state.effort.listed >= HEAD_DIRECTORIES || state.entries >= HEAD_ENTRIES {
        state.head_end = state.ready.last().map(|task| Task::path(task).to_vec());
        state.ready.clear();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A visit runs without the lock. `worker_failed` reports its panics.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn identity_of(root: &Path) -> Result<(u64, u64), WalkError> {
    match DirectoryHandle::open_canonical(root).and_then(|directory| directory.stamp()).map(Stamp::identity) {
        Ok(identity) => Ok(identity),
        // It exists but cannot be opened: the scan reports it as unreadable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok((0, 0)),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(WalkError::NotADirectory { path: root.to_owned() })
        }
        Err(source) => Err(WalkError::NotFound { path: root.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests;
