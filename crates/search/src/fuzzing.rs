//! Parts of this crate for the fuzz targets.

use std::path::PathBuf;

use cairn_cancel::CancelToken;

use crate::glob_pattern::{Anchoring, GlobPattern};
use crate::grep::{GrepOptions, searched_pattern};

/// Whether `path` matches a glob below some root; `None` when the glob is not valid.
#[must_use]
pub fn glob_matches(glob: &str, path: &str) -> Option<bool> {
    let root = PathBuf::from("/root");
    Some(GlobPattern::compile(glob, [&root], Anchoring::Recursive).ok()?.matches(path.as_bytes()))
}

/// The pattern that grep searches for instead of `pattern`; `None` when that needs no repair or is not valid.
#[must_use]
pub fn repaired(pattern: &str) -> Option<String> {
    let options = GrepOptions::new(pattern, "/root");
    searched_pattern(&options, &CancelToken::new()).ok().flatten()
}

/// Whether grep accepts `pattern` unchanged.
#[must_use]
pub fn is_valid(pattern: &str) -> bool {
    let options = GrepOptions::new(pattern, "/root");
    matches!(searched_pattern(&options, &CancelToken::new()), Ok(None))
}
