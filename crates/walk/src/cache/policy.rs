//! The limits of a cache, and the environment variables that set them.

use std::env;
use std::time::Duration;

use crate::variables::Variables;

/// The limits of a [`crate::ScanCache`]. Calls cannot override them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How long a snapshot is returned without reading the disk. Zero bypasses the cache. Default: 1 second.
    pub ttl: Duration,
    /// The minimum age of a snapshot at which a caller with an empty result scans again, once. Default: 200 ms.
    pub empty_recheck: Duration,
    /// How many snapshots are cached. Default: 16.
    pub max_snapshots: usize,
    /// How many bytes all cached snapshots together may hold. Default: 256 MiB.
    pub max_bytes: usize,
    /// How many entries one scan collects before it stops with [`crate::Cut::Budget`]. Default: 5,000,000.
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
    /// `FS_SCAN_CACHE_MAX_BYTES` and `FS_SCAN_MAX_ENTRIES`. A value that is not a whole number means the default.
    #[must_use]
    pub fn from_env() -> Self {
        Self::from_variables(|name| env::var(name).ok())
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variables = Variables(variable);
        let default = Self::default();
        Self {
            ttl: variables.number("FS_SCAN_CACHE_TTL_MS").map_or(default.ttl, Duration::from_millis),
            empty_recheck: variables
                .number("FS_SCAN_EMPTY_RECHECK_MS")
                .map_or(default.empty_recheck, Duration::from_millis),
            max_snapshots: variables.count("FS_SCAN_CACHE_MAX_ENTRIES").unwrap_or(default.max_snapshots),
            max_bytes: variables.count("FS_SCAN_CACHE_MAX_BYTES").unwrap_or(default.max_bytes),
            max_scan_entries: variables.count("FS_SCAN_MAX_ENTRIES").unwrap_or(default.max_scan_entries),
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
            assert_eq!(Policy::from_variables(|_| Some(text.to_owned())), default, "value {text:?}");
        }
    }

    #[test]
    fn every_variable_sets_its_own_field() {
        let set = |wanted: &'static str| Policy::from_variables(move |name| (name == wanted).then(|| " 7 ".to_owned()));
        let default = Policy::default();
        let seven = Duration::from_millis(7);
        assert_eq!(set("FS_SCAN_CACHE_TTL_MS"), Policy { ttl: seven, ..default });
        assert_eq!(set("FS_SCAN_EMPTY_RECHECK_MS"), Policy { empty_recheck: seven, ..default });
        assert_eq!(set("FS_SCAN_CACHE_MAX_ENTRIES"), Policy { max_snapshots: 7, ..default });
        assert_eq!(set("FS_SCAN_CACHE_MAX_BYTES"), Policy { max_bytes: 7, ..default });
        assert_eq!(set("FS_SCAN_MAX_ENTRIES"), Policy { max_scan_entries: 7, ..default });
    }
}
