//! What the options of a glob without a match may have meant.

use cairn_walk::Kind;

use crate::glob_pattern::{hint, mentions_node_modules, regex_hint};

use super::options::GlobOptions;

/// What the options may have meant if a glob has no match.
pub(super) fn hint_for(options: &GlobOptions, pattern: &str) -> Option<String> {
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
