//! Compares scans with an independent implementation: the walker of the `ignore` crate, which ripgrep uses.

#![cfg(unix)]

mod support;

use cairn_walk::ScanOptions;
use ignore::WalkBuilder;
use proptest::prelude::*;
use support::{Tree, scan};

/// Returns the entries that `ignore` lists, sorted, in the notation of [`support::listed`].
///
/// It finds the repositories inside only if it requires a repository around everything.
fn oracle(tree: &Tree, options: ScanOptions, in_repository: bool) -> Vec<String> {
    let mut builder = WalkBuilder::new(tree.root());
    builder
        .standard_filters(options.use_gitignore)
        .hidden(!options.include_hidden)
        .require_git(in_repository)
        .parents(false);
    builder.filter_entry(move |entry| {
        let name = entry.file_name();
        // There, a rule can show a hidden name.
        let hidden = !options.include_hidden && entry.depth() > 0 && name.to_string_lossy().starts_with('.');
        name != ".git" && !hidden && !(options.skip_node_modules && name == "node_modules")
    });
    let mut listed: Vec<String> = builder
        .build()
        .map(|entry| entry.expect("a readable tree"))
        .filter(|entry| entry.depth() > 0)
        .map(|entry| {
            let path = entry.path().strip_prefix(tree.root()).expect("below the root").to_string_lossy().into_owned();
            let kind = entry.file_type().expect("not standard input");
            // The sort below ignores the mark.
            format!("{path}{}", if kind.is_dir() { "/" } else { "" })
        })
        .collect();
    listed.sort_unstable_by_key(|path| path.trim_end_matches('/').to_owned());
    listed
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]",
        1 => Just(".a".to_owned()),
        1 => Just("a.c".to_owned()),
        1 => Just("a-".to_owned()),
        1 => Just("node_modules".to_owned()),
    ]
}

fn rule() -> impl Strategy<Value = String> {
    let pattern = prop_oneof![
        name(),
        Just("*".to_owned()),
        Just("*.c".to_owned()),
        Just("**".to_owned()),
        Just("a/**".to_owned()),
        Just("**/b".to_owned()),
        Just("[!a]".to_owned()),
        (name(), name()).prop_map(|(above, below)| format!("{above}/{below}")),
    ];
    ("!?", "/?", pattern, "/?")
        .prop_map(|(not, anchor, pattern, directory)| format!("{not}{anchor}{pattern}{directory}"))
}

fn path() -> impl Strategy<Value = String> {
    proptest::collection::vec(name(), 1..4).prop_map(|names| names.join("/"))
}

fn rules() -> impl Strategy<Value = String> {
    proptest::collection::vec(rule(), 1..4).prop_map(|rules| rules.join("\\n"))
}

fn entry() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => path(),
        1 => path().prop_map(|path| format!("{path}/")),
        2 => (path(), rules()).prop_map(|(path, rules)| format!("{path}/.gitignore: {rules}")),
        1 => (path(), rules()).prop_map(|(path, rules)| format!("{path}/.ignore: {rules}")),
        1 => rules().prop_map(|rules| format!(".gitignore: {rules}")),
        1 => path().prop_map(|path| format!("{path}/.git/")),
        1 => (path(), rules()).prop_map(|(path, rules)| format!("{path}/.git/info/exclude: {rules}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_scan_lists_the_same_entries_as_the_ignore_crate(
        entries in proptest::collection::vec(entry(), 1..16),
        include_hidden in any::<bool>(),
        use_gitignore in prop_oneof![3 => Just(true), 1 => Just(false)],
        skip_node_modules in any::<bool>(),
        in_repository in any::<bool>(),
    ) {
        let tree = Tree::new(if in_repository { &[".git/"] } else { &[] });
        for entry in entries.iter().filter(|entry| in_repository || !entry.contains("/.git/")) {
            // An entry that is in the way of an earlier one is skipped.
            let _ = tree.try_add(entry);
        }
        let options =
            ScanOptions { include_hidden, use_gitignore, skip_node_modules, ..ScanOptions::default() };
        prop_assert_eq!(scan(&tree, options), oracle(&tree, options, in_repository));
    }
}
