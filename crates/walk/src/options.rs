//! What a scan includes.

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
    /// List what the ignore rules and the options above leave out, and `.git`, as entries that are
    /// [excluded](crate::Snapshot::is_excluded) and not entered. Only a directory `node_modules` is, not a file or link.
    /// Default: false.
    pub record_excluded: bool,
    /// Enter directories through symbolic links, each target once. Default: false.
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
            record_excluded: false,
            follow_links: false,
            detail: Detail::Minimal,
        }
    }
}

/// The part of a tree that an uncached scan covers. The default is the whole tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subtree {
    /// The components of the directory to scan, from the root down, composed: a directory with a name in another form is
    /// scanned too. Empty means the root.
    pub prefix: Vec<Vec<u8>>,
    /// The depth of the deepest entries to list; 1 means only the root's own entries. `None` means no limit.
    pub max_depth: Option<usize>,
}

impl Subtree {
    /// Whether the subtree is the whole tree.
    #[must_use]
    pub fn is_whole_tree(&self) -> bool {
        self.prefix.is_empty() && self.max_depth.is_none()
    }
}
