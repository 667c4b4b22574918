//! What a snapshot keeps for the next query.

use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};
use cairn_fuzzy::Index;
use cairn_walk::{Kind, Snapshot};

use crate::context::SearchContext;

use super::CHECK_EVERY;
use super::recent::Recent;

/// The data that is kept with a snapshot for the next query.
#[derive(Debug)]
pub(super) struct Derived {
    pub(super) index: Index,
    pub(super) recent: Recent,
    entries: usize,
}

impl cairn_walk::Derived for Derived {
    fn bytes(&self) -> usize {
        self.index.bytes() + Recent::max_bytes(self.entries)
    }
}

/// The data of a snapshot for searches, built by the first one.
pub(super) fn derive(
    context: SearchContext<'_>,
    snapshot: &Snapshot,
    cancel: &CancelToken,
) -> Result<Arc<Derived>, Stopped> {
    let mut built = false;
    let derived = snapshot.derived(|snapshot| {
        built = true;
        snapshot.decomposed(&|| cancel.check())?;
        let mut index = Index::with_capacity(snapshot.len());
        for entry in 0..snapshot.len() {
            if entry % CHECK_EVERY == 0 {
                cancel.check()?;
            }
            let path = snapshot.composed_path(entry);
            let name_start = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
            index.push(path, name_start, snapshot.kind(entry) == Kind::Dir);
        }
        Ok(Derived { index: index.finish(), recent: Recent::default(), entries: snapshot.len() })
    });
    if built {
        context.cache.enforce_bounds();
    }
    derived
}
