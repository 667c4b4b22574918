//! The entries of a scan: kinds, order, hidden names, ignore rules, links, unreadable files.

#![cfg(unix)]

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use rustix::fs::{Mode, OFlags};

use cairn_walk::{Cut, Detail, Policy, ScanOptions, WalkError, resolve_root};
use support::{Scanner, Tree, listed, scan};

const ALL: ScanOptions = ScanOptions {
    include_hidden: true,
    use_gitignore: false,
    skip_node_modules: false,
    record_excluded: false,
    follow_links: false,
    detail: Detail::Minimal,
};
const RULES: ScanOptions = ScanOptions { include_hidden: true, use_gitignore: true, ..ALL };
const FOLLOW: ScanOptions = ScanOptions { follow_links: true, ..ALL };

#[test]
fn entries_are_sorted_by_the_bytes_of_whole_paths() {
    let tree = Tree::new(&["a/b", "a/Z", "a.c", "a-b/x", "ab", "a/b.d/x", "a0", "B"]);
    let listed = scan(&tree, ALL);
    let mut paths: Vec<&str> = listed.iter().map(|path| path.trim_end_matches(['/', '@'])).collect();
    let order = paths.clone();
    paths.sort_unstable();
    assert_eq!(order, paths);
    assert_eq!(listed, ["B", "a/", "a-b/", "a-b/x", "a.c", "a/Z", "a/b", "a/b.d/", "a/b.d/x", "a0", "ab"]);
}

#[test]
fn only_files_directories_and_links_are_entries() {
    let tree = Tree::new(&["file", "dir/", "link -> file", "broken -> nowhere", "dirlink -> dir"]);
    let fifo = Command::new("mkfifo").arg(tree.path("fifo")).status().expect("mkfifo runs");
    assert!(fifo.success());
    let _socket = std::os::unix::net::UnixListener::bind(tree.path("socket")).expect("a socket");
    assert_eq!(scan(&tree, ALL), ["broken@", "dir/", "dirlink@", "file", "link@"]);
}

#[test]
fn options_exclude_names() {
    let entries =
        [".git/config", ".hidden/x", "node_modules/m/i.js", "src/.env", "src/a", "w/.git: gitdir: nowhere", "w/b"];
    for (reason, options, expected) in [
        (
            "everything but .git",
            ALL,
            vec![
                ".hidden/",
                ".hidden/x",
                "node_modules/",
                "node_modules/m/",
                "node_modules/m/i.js",
                "src/",
                "src/.env",
                "src/a",
                "w/",
                "w/b",
            ],
        ),
        (
            "no dot names",
            ScanOptions { include_hidden: false, ..ALL },
            vec!["node_modules/", "node_modules/m/", "node_modules/m/i.js", "src/", "src/a", "w/", "w/b"],
        ),
        (
            "the hidden filter does not depend on rules",
            ScanOptions { include_hidden: false, ..RULES },
            vec!["node_modules/", "node_modules/m/", "node_modules/m/i.js", "src/", "src/a", "w/", "w/b"],
        ),
        (
            "no node_modules",
            ScanOptions { skip_node_modules: true, ..ALL },
            vec![".hidden/", ".hidden/x", "src/", "src/.env", "src/a", "w/", "w/b"],
        ),
    ] {
        assert_eq!(scan(&Tree::new(&entries), options), expected, "{reason}");
    }
}

#[test]
fn ignore_files_apply_with_their_precedence() {
    for (reason, entries, expected) in [
        ("outside a repository", vec![".gitignore: *.log", "a.log", "b"], vec![".gitignore", "b"]),
        (
            ".ignore over .gitignore, even from above",
            vec![".ignore: !x.log", "d/.gitignore: *.log", "d/x.log"],
            vec![".ignore", "d/", "d/.gitignore", "d/x.log"],
        ),
        (
            "the nearest .gitignore first",
            vec![".gitignore: *.log", "d/.gitignore: !x.log", "d/x.log", "d/y.log"],
            vec![".gitignore", "d/", "d/.gitignore", "d/x.log"],
        ),
        ("an ignored directory hides all below", vec![".gitignore: d/\\n!d/keep", "d/keep"], vec![".gitignore"]),
        (
            "anchored patterns",
            vec![".gitignore: /a\\nb/c", "a", "d/a", "b/c", "d/b/c"],
            vec![".gitignore", "b/", "d/", "d/a", "d/b/", "d/b/c"],
        ),
        (
            "info/exclude of a repository",
            vec![".git/info/exclude: secret", "secret", "d/secret", "ok"],
            vec!["d/", "ok"],
        ),
        (
            "a repository inside has only its own rules",
            vec![
                ".gitignore: *.log\\nd/r/b",
                "d/r/.git/info/exclude: x",
                "d/r/.gitignore: y",
                "d/r/x",
                "d/r/y",
                "d/r/a.log",
                "d/r/b",
                "d/a.log",
            ],
            vec![".gitignore", "d/", "d/r/", "d/r/.gitignore", "d/r/a.log", "d/r/b"],
        ),
        (
            "its .git may be a file that leads nowhere",
            vec![".gitignore: *.log", "r/.git: gitdir: nowhere", "r/a.log", "r/s/a.log"],
            vec![".gitignore", "r/", "r/a.log", "r/s/", "r/s/a.log"],
        ),
        (
            "a repository without rules inside one with rules",
            vec![".git/info/exclude: x", ".gitignore: y", "r/.git/", "r/x", "r/y", "x"],
            vec![".gitignore", "r/", "r/x", "r/y"],
        ),
        (
            "a repository inside another one inside another one",
            vec![".gitignore: a", "r/.git/", "r/.gitignore: b", "r/s/.git/", "r/s/a", "r/s/b", "r/s/c", "r/a", "r/b"],
            vec![".gitignore", "r/", "r/.gitignore", "r/a", "r/s/", "r/s/a", "r/s/b", "r/s/c"],
        ),
        (
            "a rule around it hides the whole repository",
            vec![".gitignore: r", "r/.git/", "r/.gitignore: !*", "r/a"],
            vec![".gitignore"],
        ),
        (
            ".ignore goes on in a repository inside",
            vec![".ignore: *.log", "r/.git/", "r/a.log", "r/b"],
            vec![".ignore", "r/", "r/b"],
        ),
        (
            "the last line wins",
            vec![".gitignore: *.log\\n!a.log\\na.log\\n!b.log", "a.log", "b.log"],
            vec![".gitignore", "b.log"],
        ),
        (
            "a byte order mark and carriage returns",
            vec![".gitignore: \u{feff}a\\r\\nb\\r", "a", "b", "c"],
            vec![".gitignore", "c"],
        ),
        (
            "a directory with the name of an ignore file is not one",
            vec![".gitignore/x", "a"],
            vec![".gitignore/", ".gitignore/x", "a"],
        ),
    ] {
        let entries: Vec<String> = entries.iter().map(|entry| entry.replace("\\r", "\r")).collect();
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        assert_eq!(scan(&Tree::new(&entries), RULES), expected, "{reason}");
    }
}

#[test]
fn a_rule_does_not_show_a_hidden_name() {
    let tree = Tree::new(&[".gitignore: *\\n!.env\\n!.github/\\n!.github/**\\n!x", ".env", ".github/a", "x", "y"]);
    tree.add(".ignore: !.env");
    assert_eq!(scan(&tree, ScanOptions { include_hidden: false, ..RULES }), ["x"]);
    assert_eq!(scan(&tree, RULES), [".env", ".github/", ".github/a", "x"]);
}

#[test]
fn our_own_temporary_files_are_never_listed_and_similar_names_are() {
    let tree = Tree::new(&[
        ".cairn-0123456789abcdef.tmp",
        "d/.cairn-fedcba9876543210.tmp",
        ".cairn-notes.tmp",
        ".cairn-0123456789ABCDEF.tmp",
        ".cairn-0123456789abcde.tmp",
        ".cairn-0123456789abcdeff.tmp",
        ".cairn-0123456789abcdef.tmp.txt",
        "x.cairn-0123456789abcdef.tmp",
        "e/.cairn-0123456789abcdef.tmp/",
    ]);
    for options in [ALL, RULES, FOLLOW, ScanOptions { detail: Detail::Full, ..ALL }] {
        assert_eq!(
            scan(&tree, options),
            [
                ".cairn-0123456789ABCDEF.tmp",
                ".cairn-0123456789abcde.tmp",
                ".cairn-0123456789abcdef.tmp.txt",
                ".cairn-0123456789abcdeff.tmp",
                ".cairn-notes.tmp",
                "d/",
                "e/",
                "e/.cairn-0123456789abcdef.tmp/",
                "x.cairn-0123456789abcdef.tmp",
            ]
        );
    }
}

#[test]
fn what_could_not_be_read_is_named() {
    let tree = Tree::new(&["a/x", "b/c/x", "d/"]);
    let component = "n".repeat(200);
    let mut deepest = tree.path("d");
    // Longer than any path that the system accepts.
    for _ in 0..30 {
        let parent = rustix::fs::open(&deepest, OFlags::DIRECTORY | OFlags::PATH, Mode::empty());
        let Ok(parent) = parent else { break };
        rustix::fs::mkdirat(&parent, &component, Mode::RWXU).expect("a directory");
        deepest.push(&component);
    }
    let snapshot = Scanner::threads(2).fresh(&tree.root(), ALL).expect("a scan");
    let unread: Vec<String> =
        snapshot.unreadable_paths().iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    assert_eq!((snapshot.unreadable(), unread.len()), (1, 1));
    let last = String::from_utf8_lossy(snapshot.path(snapshot.len() - 1)).into_owned();
    assert_eq!(unread, [last], "the deepest entry that was listed");
    assert!(tree.path(&unread[0]).as_os_str().len() > 4095);
}

#[test]
fn without_rules_all_rule_files_are_ignored() {
    let tree = Tree::new(&[".gitignore: a", ".ignore: b", ".git/info/exclude: c", "a", "b", "c"]);
    assert_eq!(scan(&tree, ALL), [".gitignore", ".ignore", "a", "b", "c"]);
}

#[test]
fn an_invalid_line_does_not_affect_the_others() {
    let tree = Tree::new(&["a", "b", "c"]);
    fs::write(tree.path(".gitignore"), b"a\n\xFF\xFE[\n[z-a]\nb\n").expect("an ignore file");
    assert_eq!(scan(&tree, RULES), [".gitignore", "c"]);
}

#[test]
fn rules_of_the_surrounding_repository_apply_to_a_root() {
    let tree = Tree::new(&[
        ".gitignore: outside",
        "repo/.git/info/exclude: excluded",
        "repo/.gitignore: build/\n/sub/anchored\ninside",
        "repo/sub/inside",
        "repo/sub/anchored",
        "repo/sub/excluded",
        "repo/sub/outside",
        "repo/build/x",
        "plain/outside",
        "plain/.keep",
        ".ignore: everywhere",
        "plain/everywhere",
        "repo/sub/everywhere",
    ]);
    let below = |root: &str| listed(&Scanner::threads(2).fresh(&tree.path(root), RULES).expect("a scan"));
    assert_eq!(below("repo/sub"), ["outside"], "the repository's rules, not those above it; .ignore from anywhere");
    assert_eq!(
        below("plain"),
        [".keep", "outside"],
        "outside a repository, a .gitignore above the root does not apply"
    );
    assert_eq!(below("repo/build"), ["x"], "an explicit root is scanned even when a rule ignores it");
}

#[test]
fn names_that_are_not_valid_unicode_are_listed_unchanged() {
    let tree = Tree::new(&[]);
    for name in [&b"a\xFFb"[..], b"new\nline", b" ", b"-x", b"\\", b"*?[]{}"] {
        fs::write(tree.root().join(OsStr::from_bytes(name)), "").expect("an odd name");
    }
    let snapshot = Scanner::threads(2).fresh(&tree.root(), ALL).expect("a scan");
    let paths: Vec<&[u8]> = (0..snapshot.len()).map(|entry| snapshot.path(entry)).collect();
    assert_eq!(paths, [&b" "[..], b"*?[]{}", b"-x", b"\\", b"a\xFFb", b"new\nline"]);
}

#[test]
fn followed_links_list_each_directory_once_and_loops_end() {
    let tree = Tree::new(&[
        "a/up -> ..",
        "a/self -> .",
        "b/x",
        "l1 -> b",
        "l2 -> b",
        "f -> b/x",
        "broken -> no",
        "loop -> loop",
    ]);
    assert_eq!(scan(&tree, FOLLOW), ["a/", "a/self/", "a/up/", "b/", "b/x", "broken@", "f", "l1/", "l2/", "loop@"]);

    let outside = Tree::new(&["d/deep/x", "d/back -> ROOT/d"]);
    let tree = Tree::new(&["real/"]);
    for name in ["z", "m"] {
        std::os::unix::fs::symlink(outside.path("d"), tree.path(name)).expect("a link");
    }
    assert_eq!(
        scan(&tree, FOLLOW),
        ["m/", "m/back/", "m/deep/", "m/deep/x", "real/", "z/"],
        "the first link in path order lists the directory"
    );
}

#[test]
fn full_detail_has_times_and_sizes() {
    let tree = Tree::new(&["file: 12345", "dir/", "link -> file"]);
    let snapshot =
        Scanner::threads(2).fresh(&tree.root(), ScanOptions { detail: Detail::Full, ..ALL }).expect("a scan");
    let sizes: Vec<Option<u64>> = (0..3).map(|entry| snapshot.size(entry)).collect();
    assert_eq!(sizes, [None, Some(5), None], "dir, file, link");
    let modified = fs::metadata(tree.path("file")).and_then(|file| file.modified()).expect("a time");
    let expected = modified.duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis();
    assert!((snapshot.mtime_ms(1).expect("a time") - expected as f64).abs() < 1.0);
    let minimal = Scanner::threads(2).fresh(&tree.root(), ALL).expect("a scan");
    assert_eq!((minimal.mtime_ms(1), minimal.size(1)), (None, None));
}

#[test]
fn a_root_must_exist_and_be_a_directory() {
    let tree = Tree::new(&["file"]);
    assert!(resolve_root(&tree.path("missing")).is_err_and(|error| error.is_not_found()));
    assert!(matches!(resolve_root(&tree.path("file")), Err(WalkError::NotADirectory { .. })));
    assert!(
        matches!(resolve_root(&tree.path("file").join("")), Err(WalkError::NotADirectory { .. })),
        "a trailing slash"
    );
    assert!(resolve_root(&tree.path("file/below")).is_err_and(|error| error.is_not_found()));
}

#[test]
fn a_tree_over_the_budget_is_marked_as_cut() {
    let entries: Vec<String> = (0..300).map(|number| format!("d{}/f{number}", number % 7)).collect();
    let tree = Tree::new(&entries.iter().map(String::as_str).collect::<Vec<_>>());
    let scanner = Scanner::new(Policy { max_scan_entries: 100, ..Policy::default() });
    let snapshot = scanner.fresh(&tree.root(), ALL).expect("a scan");
    assert_eq!(snapshot.cut(), Some(Cut::Budget));
    assert!(snapshot.len() <= 100, "{} entries", snapshot.len());
    let scanner = Scanner::new(Policy { max_scan_entries: 307, ..Policy::default() });
    let snapshot = scanner.fresh(&tree.root(), ALL).expect("a scan");
    assert_eq!((snapshot.cut(), snapshot.len()), (None, 307), "exactly the budget is complete");
    tree.add(".gitignore: d*");
    let scanner = Scanner::new(Policy { max_scan_entries: 1, ..Policy::default() });
    let snapshot = scanner.fresh(&tree.root(), RULES).expect("a scan");
    assert_eq!((snapshot.cut(), snapshot.len()), (None, 1), "hidden entries do not count");
}

#[test]
fn deep_and_wide_trees_are_listed_completely() {
    let deep = vec!["d"; 300].join("/");
    let wide: Vec<String> = (0..100_000).map(|number| format!("w/{number}")).collect();
    let tree = Tree::new(&[&format!("{deep}/leaf")]);
    fs::create_dir(tree.path("w")).expect("a directory");
    for file in &wide {
        fs::File::create(tree.path(file)).expect("a file");
    }
    let snapshot = Scanner::threads(2).fresh(&tree.root(), ALL).expect("a scan");
    assert_eq!(snapshot.len(), 300 + 1 + 1 + 100_000);
    assert_eq!(snapshot.with_prefix(b"w/").len(), 100_000);
    for entries in [0..snapshot.len(), snapshot.with_prefix(b"w/"), 5..5] {
        let one_by_one: Vec<_> = entries.clone().map(|entry| snapshot.span(entry)).collect();
        assert!(snapshot.spans(entries.clone()).eq(one_by_one), "entries {entries:?}");
    }
    let leaf = snapshot.find(format!("{deep}/leaf").as_bytes()).expect("the leaf");
    assert_eq!(snapshot.depth(leaf), 301);
    assert!(
        snapshot.bytes() - snapshot.arena().len() <= 48 * snapshot.len(),
        "at most 48 bytes per entry in addition to the path"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_of_the_shell_exists_and_has_no_canonical_path() {
    use std::os::fd::AsRawFd;
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
    let (resolved, metadata) = cairn_walk::resolve_existing(Path::new(&path)).expect("it exists");
    assert_eq!(resolved, Path::new(&path));
    assert!(!metadata.is_file() && !metadata.is_dir());
}
