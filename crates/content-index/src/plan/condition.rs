//! Combines conditions, simplifies them, and weakens large ones.

use std::collections::HashSet;

use super::Query;

impl Query {
    /// Returns the condition that all of these are met.
    pub(super) fn and(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for condition in conditions {
            match condition {
                Self::All => {}
                Self::And(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        let never = Self::Or(Box::default());
        if parts.contains(&never) {
            return never;
        }
        match distinct(parts) {
            parts if parts.is_empty() => Self::All,
            parts if parts.len() == 1 => parts.into_iter().next().unwrap_or(Self::All),
            parts => Self::And(parts.into()),
        }
    }

    /// Returns the condition that one of these is met.
    pub(super) fn or(conditions: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = Vec::new();
        for condition in conditions {
            match condition {
                Self::All => return Self::All,
                Self::Or(inner) => parts.extend(inner),
                other => parts.push(other),
            }
        }
        match distinct(parts) {
            parts if parts.len() == 1 => parts.into_iter().next().unwrap_or(Self::All),
            parts => Self::Or(parts.into()),
        }
    }

    /// Returns the number of grams, each as often as it occurs.
    pub(super) fn grams(&self) -> usize {
        match self {
            Self::All => 0,
            Self::Gram(_) => 1,
            Self::And(parts) | Self::Or(parts) => parts.iter().map(Self::grams).sum(),
        }
    }

    /// Returns the condition, or a weaker one, with at most `max` grams.
    pub(super) fn limited(self, max: usize) -> Self {
        if self.grams() <= max {
            return self;
        }
        match self {
            Self::All | Self::Gram(_) => Self::All,
            Self::And(parts) => {
                let mut rest = max;
                Self::and(parts.into_iter().map(|part| {
                    let part = part.limited(rest);
                    rest -= part.grams();
                    part
                }))
            }
            // Without one of its parts the condition would be stricter: each gets a share, and one without grams is `All`.
            Self::Or(parts) => {
                let share = max / parts.len();
                Self::or(parts.into_iter().map(|part| part.limited(share)))
            }
        }
    }
}

/// Removes duplicates, and keeps the order.
fn distinct(parts: Vec<Query>) -> Vec<Query> {
    let mut seen = HashSet::with_capacity(parts.len());
    let is_new: Vec<bool> = parts.iter().map(|part| seen.insert(part)).collect();
    parts.into_iter().zip(is_new).filter_map(|(part, is_new)| is_new.then_some(part)).collect()
}
