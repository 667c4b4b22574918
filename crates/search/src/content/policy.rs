//! The limits of indexes, and the environment variables that set them.

use std::env;
use std::time::Duration;

use cairn_walk::Variables;

use super::stamp;

/// The limits of [`super::ContentIndexes`]. Calls cannot override them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexPolicy {
    /// The maximal memory of all indexes in bytes; 0 turns them off. Default: 128 MB.
    pub max_bytes: usize,
    /// Trees with fewer files and less text have no index. Default: 10,000 files.
    pub min_files: usize,
    /// In bytes. Default: 150 MB.
    pub min_text: u64,
    /// How long ago the last change of a file must be for it to be indexed. Default: as long as the kernel may keep a page that a
    /// program writes to through a mapping, which is 40 seconds with its usual settings; `None` if it has no limit, which turns
    /// indexes off.
    pub settle: Option<Duration>,
    /// How many files of a tree are indexed at most. Default: no limit.
    pub max_files: usize,
    /// How many directories are watched at most. It is never more than a quarter of what the system allows, because editors need
    /// watches too. Default: 16,384.
    pub max_watches: usize,
}

impl Default for IndexPolicy {
    fn default() -> Self {
        Self {
            max_bytes: 128_000_000,
            min_files: 10_000,
            min_text: 150_000_000,
            settle: stamp::settle_time(),
            max_files: usize::MAX,
            max_watches: 16_384,
        }
    }
}

impl IndexPolicy {
    /// Reads `FS_CONTENT_INDEX_MAX_BYTES`, `FS_CONTENT_INDEX_MIN_FILES` and `FS_CONTENT_INDEX_SETTLE_MS`. A value that is not a
    /// whole number means the default.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_variables(|name| env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variables = Variables(variable);
        let default = Self::default();
        Self {
            max_bytes: variables.count("FS_CONTENT_INDEX_MAX_BYTES").unwrap_or(default.max_bytes),
            min_files: variables.count("FS_CONTENT_INDEX_MIN_FILES").unwrap_or(default.min_files),
            settle: variables.number("FS_CONTENT_INDEX_SETTLE_MS").map(Duration::from_millis).or(default.settle),
            ..default
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_set_the_limits() {
        let policy = |name: &'static str, value: &'static str| {
            IndexPolicy::from_variables(move |wanted| (wanted == name).then(|| value.to_owned()))
        };
        let default = IndexPolicy::default();
        assert_eq!(policy("FS_CONTENT_INDEX_MAX_BYTES", " 7 "), IndexPolicy { max_bytes: 7, ..default });
        assert_eq!(policy("FS_CONTENT_INDEX_MIN_FILES", "7"), IndexPolicy { min_files: 7, ..default });
        let settle = Some(Duration::from_millis(7));
        assert_eq!(policy("FS_CONTENT_INDEX_SETTLE_MS", "7"), IndexPolicy { settle, ..default });
        assert_eq!(policy("FS_CONTENT_INDEX_MAX_BYTES", "many"), default);
    }
}
