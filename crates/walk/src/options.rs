//! What a scan includes, and the process-wide policy of the cache.

use std::env;
use std::time::Duration;

/// How much is recorded per entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Detail {
    /// Path and kind.
    #[default]
    Minimal,
    /// Also the modification time, and the size of regular files. Costs one `stat` per entry.
    Full,
}

/// What a scan includes. Every field is part of the cache key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScanOptions {
    /// Include names that begin with a dot. `.git` is never included. Default: false.
    pub include_hidden: bool,
    /// Apply ignore files. Default: true.
    pub use_gitignore: bool,
    /// Do not enter or list `node_modules`. Default: false.
    pub skip_node_modules: bool,
    /// Enter directories behind symbolic links, each target once. Default: false.
    pub follow_links: bool,
    /// How much to record per entry. Default: [`Detail::Minimal`].
    pub detail: Detail,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            include_hidden: false,
            use_gitignore: true,
            skip_node_modules: false,
            follow_links: false,
            detail: Detail::Minimal,
        }
    }
}

/// The part of a tree an uncached scan is narrowed to. The default is the whole tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Only the directory with these components, from the root down, is of interest.
    pub prefix: Vec<Vec<u8>>,
    /// Entries deeper than this are of no interest; 1 is the root's own entries.
    pub max_depth: Option<usize>,
}

impl Scope {
    /// Whether the scope is the whole tree.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.prefix.is_empty() && self.max_depth.is_none()
    }
}

/// The cache's global policy. There is no per-call override.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How long a snapshot is served without looking at the disk. Zero bypasses the cache.
    pub ttl: Duration,
    /// The age from which a caller with an empty result rescans once.
    pub empty_recheck: Duration,
    /// How many snapshots are kept.
    pub max_snapshots: usize,
    /// How many bytes all kept snapshots may hold together.
    pub max_bytes: usize,
    /// How many entries one scan may collect before it stops and says so.
    pub max_scan_entries: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(1),
            empty_recheck: Duration::from_millis(200),
            max_snapshots: 16,
            max_bytes: 256 << 20,
            max_scan_entries: 5_000_000,
        }
    }
}

impl Policy {
    /// Reads `FS_SCAN_CACHE_TTL_MS`, `FS_SCAN_EMPTY_RECHECK_MS`, `FS_SCAN_CACHE_MAX_ENTRIES`,
    /// `FS_SCAN_CACHE_MAX_BYTES` and `FS_SCAN_MAX_ENTRIES`. A value that is no whole number is the default.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_lookup(|name| env::var(name).ok())
    }

    fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| lookup(name).and_then(|text| text.trim().parse::<u64>().ok());
        let count = |name: &str| number(name).map(|value| usize::try_from(value).unwrap_or(usize::MAX));
        let default = Self::default();
        Self {
            ttl: number("FS_SCAN_CACHE_TTL_MS").map_or(default.ttl, Duration::from_millis),
            empty_recheck: number("FS_SCAN_EMPTY_RECHECK_MS").map_or(default.empty_recheck, Duration::from_millis),
            max_snapshots: count("FS_SCAN_CACHE_MAX_ENTRIES").unwrap_or(default.max_snapshots),
            max_bytes: count("FS_SCAN_CACHE_MAX_BYTES").unwrap_or(default.max_bytes),
            max_scan_entries: count("FS_SCAN_MAX_ENTRIES").unwrap_or(default.max_scan_entries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unparsable_values_fall_back_to_the_default() {
        let default = Policy::default();
        for text in ["", "soon", "-1", "1.5", "1e3"] {
            assert_eq!(Policy::from_lookup(|_| Some(text.to_owned())), default, "value {text:?}");
        }
    }

    #[test]
    fn every_variable_sets_its_own_field() {
        let set = |wanted: &'static str| Policy::from_lookup(move |name| (name == wanted).then(|| " 7 ".to_owned()));
        let default = Policy::default();
        let seven = Duration::from_millis(7);
        assert_eq!(set("FS_SCAN_CACHE_TTL_MS"), Policy { ttl: seven, ..default });
        assert_eq!(set("FS_SCAN_EMPTY_RECHECK_MS"), Policy { empty_recheck: seven, ..default });
        assert_eq!(set("FS_SCAN_CACHE_MAX_ENTRIES"), Policy { max_snapshots: 7, ..default });
        assert_eq!(set("FS_SCAN_CACHE_MAX_BYTES"), Policy { max_bytes: 7, ..default });
        assert_eq!(set("FS_SCAN_MAX_ENTRIES"), Policy { max_scan_entries: 7, ..default });
    }
}
