//! Decides in the background whether a tree gets an index, and begins it.

use std::env;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use cairn_content_index::Detail;
use cairn_pool::{HelpEnd, Pool, Shared};
use cairn_walk::Snapshot;

use super::build::MAX_FILE_BYTES;
use super::live::Live;
use super::root::{FILE_BYTES, NO_SLOT, RootIndex};
use super::{IDLE, IndexOff, Inner, State, files_of};
use crate::open::Opener;

/// The number of files whose sizes give an estimate of the size of a tree.
const SAMPLES: usize = 4096;
/// The size of the signatures in percent of the size of the text, as measured on the kernel.
const FULL_PERCENT: u64 = 7;
const LOW_PERCENT: u64 = 2;

pub(super) struct Start {
    inner: Weak<Inner>,
    snapshot: Arc<Snapshot>,
    pool: Pool,
    /// Whether a worker does it.
    is_taken: AtomicBool,
    _live: Live,
}

impl Start {
    pub(super) fn new(inner: &Arc<Inner>, snapshot: &Arc<Snapshot>, pool: &Pool) -> Self {
        let live = Live::new(&inner.live);
        let (inner, snapshot, pool) = (Arc::downgrade(inner), Arc::clone(snapshot), pool.clone());
        Self { inner, snapshot, pool, is_taken: AtomicBool::new(false), _live: live }
    }

    /// Returns the detail of the index, or the reason why there is none. `None` if the worker is to leave.
    fn decide(&self, inner: &Inner, should_leave: &dyn Fn() -> bool) -> Option<Result<Detail, IndexOff>> {
        let root = self.snapshot.root();
        if is_wide(root) {
            return Some(Err(IndexOff::TooWide));
        }
        if inner.policy.settle.is_none() {
            return Some(Err(IndexOff::FileSystem));
        }
        let files: Vec<usize> = files_of(&self.snapshot).collect();
        let step = files.len().div_ceil(SAMPLES).max(1);
        let (mut opener, mut bytes, mut seen, mut trusted) = (Opener::default(), 0, 0_u64, 0_u64);
        for entry in files.iter().step_by(step) {
            if should_leave() {
                return None;
            }
            if let Ok(stat) = opener.stat(self.snapshot.absolute(*entry).as_os_str().as_encoded_bytes()) {
                // Longer files have no signatures: an image of a disk says nothing about the others.
                let size = if stat.size <= MAX_FILE_BYTES { stat.size } else { 0 };
                (bytes, seen, trusted) = (bytes + size, seen + 1, trusted + u64::from(stat.keeps_times));
            }
        }
        let bytes = (bytes / seen.max(1)) * files.len() as u64;
        if files.len() < inner.policy.min_files && bytes < inner.policy.min_text {
            return Some(Err(IndexOff::TooSmall));
        }
        if trusted == 0 {
            return Some(Err(IndexOff::FileSystem));
        }
        let needed = |percent| bytes * percent / 100 + (files.len() * FILE_BYTES) as u64;
        let left = self.make_room(inner, needed(FULL_PERCENT)) as u64;
        Some(if needed(FULL_PERCENT) <= left {
            Ok(Detail::Full)
        } else if needed(LOW_PERCENT) <= left {
            Ok(Detail::Low)
        } else {
            Err(IndexOff::TooLarge)
        })
    }

    /// Drops indexes that are not used any more until there is room for another, and those of parts of the tree. Returns the memory
    /// that is left.
    fn make_room(&self, inner: &Inner, bytes: u64) -> usize {
        let mut roots = inner.lock();
        let own = self.snapshot.root();
        for (path, root) in &mut *roots {
            if path != own && path.starts_with(own) && matches!(root.state, State::On(_)) {
                root.state = State::New;
            }
        }
        while (inner.budget.left() as u64) < bytes {
            let is_idle = |root: &super::Root| matches!(root.state, State::On(_)) && root.last_used.elapsed() > IDLE;
            let Some(oldest) = roots.values_mut().filter(|root| is_idle(root)).min_by_key(|root| root.last_used) else {
                break;
            };
            oldest.state = State::New;
            oldest.uses.clear();
        }
        inner.budget.left()
    }

    fn begin(&self, inner: &Inner, detail: Detail) -> State {
        let index = Arc::new(RootIndex::new(&self.snapshot, detail, &inner.budget));
        let slots = index.slots(&self.snapshot).filter(|slots| slots.iter().any(|slot| *slot != NO_SLOT));
        let Some(slots) = slots else { return State::Off(IndexOff::TooLarge, self.snapshot.len()) };
        let entries = files_of(&self.snapshot).map(|entry| entry as u32).collect();
        inner.build(&index, &self.snapshot, &slots, entries, &self.pool);
        State::On(index)
    }
}

/// A decision that ended in a panic is not waited for.
impl Drop for Start {
    fn drop(&mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        if let Some(root) = inner.lock().get_mut(self.snapshot.root())
            && matches!(root.state, State::Starting)
        {
            root.state = State::Off(IndexOff::Failed, self.snapshot.len());
        }
    }
}

impl Shared for Start {
    fn help(&self, should_leave: &dyn Fn() -> bool) -> HelpEnd {
        let Some(inner) = self.inner.upgrade() else { return HelpEnd::Done };
        if self.is_taken.swap(true, Ordering::AcqRel) {
            return HelpEnd::Done;
        }
        let Some(decision) = self.decide(&inner, should_leave) else {
            self.is_taken.store(false, Ordering::Release);
            return HelpEnd::Left;
        };
        let state = match decision {
            Ok(detail) => self.begin(&inner, detail),
            Err(reason) => State::Off(reason, self.snapshot.len()),
        };
        if let Some(root) = inner.lock().get_mut(self.snapshot.root()) {
            root.state = state;
            root.last_used = Instant::now();
        }
        HelpEnd::Done
    }
}

/// Whether a tree is the home directory of someone, or contains one.
fn is_wide(root: &Path) -> bool {
    let home = env::home_dir();
    let homes = home.iter().flat_map(|home| [Some(home.clone()), home.canonicalize().ok()]).flatten();
    root.parent().is_none() || homes.into_iter().any(|home| home.starts_with(root))
}
