//! The changes that were announced since a snapshot was published.

use std::path::Path;

use crate::paths::to_bytes;
use crate::snapshot::Snapshot;

use super::log::{affects_outside, affects_snapshot};
use super::request::ScanKey;

/// How many places are remembered for one snapshot. With more, all of it is validated.
const MAX_PLACES: usize = 64;

/// The changes that were announced since a snapshot was published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Announced {
    #[default]
    Nothing,
    /// Changes at these paths, which are relative to the root, and below them.
    Places(Vec<Box<[u8]>>),
    /// Changes that may concern any part of the snapshot.
    Anywhere,
}

impl Announced {
    /// Adds a change at `target`, if it may concern the snapshot of `key`.
    pub(super) fn add(&mut self, target: &Path, key: &ScanKey, snapshot: &Snapshot) {
        if !affects_snapshot(target, key, snapshot) {
            return;
        }
        let inside = target.strip_prefix(&key.root).ok().filter(|inside| !inside.as_os_str().is_empty());
        // A file that decides about other directories, or that a link leads to, concerns more than the place where it is.
        let place = inside.filter(|_| !affects_outside(target, snapshot)).map(to_bytes);
        match (place, &mut *self) {
            (Some(place), Self::Nothing) => *self = Self::Places(vec![place.into()]),
            (Some(place), Self::Places(places)) if places.iter().any(|known| **known == *place) => {}
            (Some(place), Self::Places(places)) if places.len() < MAX_PLACES => places.push(place.into()),
            _ => *self = Self::Anywhere,
        }
    }

    /// Adds later changes.
    pub(super) fn extend(&mut self, later: Self) {
        *self = match (std::mem::take(self), later) {
            (Self::Nothing, other) | (other, Self::Nothing) => other,
            (Self::Places(mut places), Self::Places(more)) => {
                places.extend(more);
                places.sort_unstable();
                places.dedup();
                if places.len() > MAX_PLACES { Self::Anywhere } else { Self::Places(places) }
            }
            _ => Self::Anywhere,
        };
    }
}
