//! What the options of a glob without a match may have meant.

use std::path::PathBuf;

use cairn_walk::{Kind, Snapshot};

use crate::glob_pattern::{case_hint, excluded, hint, mentions_node_modules, regex_hint};

use super::filter::Filter;
use super::options::GlobOptions;

/// What the options may have meant if nothing in a snapshot matches.
pub(super) fn hint_for(
    options: &GlobOptions,
    filter: &Filter,
    roots: [&PathBuf; 2],
    snapshot: Option<&Snapshot>,
) -> Option<String> {
    let including = || options.patterns.iter().filter(|pattern| excluded(pattern).is_none());
    let in_other_case = |snapshot: &Snapshot| {
        let fits = |entry| filter.fits(snapshot, entry);
        including().find_map(|pattern| case_hint(pattern, roots, options.anchoring(), snapshot, fits))
    };
    let of_pattern = || including().find_map(|pattern| pattern_hint(options, pattern));
    let of_snapshot =
        |snapshot| filter.exclusion_hint(snapshot).or_else(of_pattern).or_else(|| in_other_case(snapshot));
    filter.contradiction().or_else(|| snapshot.and_then(of_snapshot))
}

/// What one of the globs may have meant with the other options.
fn pattern_hint(options: &GlobOptions, pattern: &str) -> Option<String> {
    let only_directories = pattern.len() > 1 && pattern.ends_with('/');
    if only_directories && (options.kind.is_some_and(|kind| kind != Kind::Dir) || !options.file_types.is_empty()) {
        return Some("a glob that ends with / matches only directories, which fileType or type leaves out".to_owned());
    }
    if options.include_node_modules == Some(false) && mentions_node_modules(pattern) {
        return Some("includeNodeModules leaves out the contents of node_modules".to_owned());
    }
    if let Some(regex) = regex_hint(pattern) {
        return Some(regex);
    }
    let names_hidden =
        || pattern.split('/').any(|name| name.starts_with('.') && !name.starts_with("..") && name != ".");
    if !options.scope.include_hidden && names_hidden() {
        return Some("names that begin with a dot are left out without hidden".to_owned());
    }
    hint(pattern)
}
