//! Which changes drop which snapshots.

use super::*;

#[test]
fn an_invalidation_drops_the_snapshots_that_the_change_may_concern() {
    let outside = tempfile::tempdir().expect("a temporary directory");
    let linked = outside.path().canonicalize().expect("it exists");
    for (reason, target, dropped) in [
        ("no target", None, vec!["a/b", "a/bc", "follow"]),
        ("a root itself", Some("a/b"), vec!["a/b"]),
        ("a file in a root", Some("a/b/x/y"), vec!["a/b"]),
        ("a sibling with the same beginning", Some("a/bc/x"), vec!["a/bc"]),
        ("a sibling file", Some("a/other"), vec![]),
        ("a directory above", Some("a"), vec!["a/b", "a/bc"]),
        ("an ignore file above", Some("a/.gitignore"), vec!["a/b", "a/bc"]),
        ("the other kind of ignore file", Some(".ignore"), vec!["a/b", "a/bc", "follow"]),
        ("a repository's excludes", Some("a/.git/info/exclude"), vec!["a/b", "a/bc"]),
        ("a new repository", Some("a/.git"), vec!["a/b", "a/bc"]),
        ("a file inside a followed link", Some("OUTSIDE/x"), vec!["follow"]),
        ("the link itself", Some("follow/link"), vec!["follow"]),
        ("a path with dots", Some("a/b/../b/x"), vec!["a/b"]),
        ("a directory with a slash at its end", Some("a/b/x/"), vec!["a/b"]),
        ("a directory with a dot at its end", Some("./a/b//x/."), vec!["a/b"]),
        ("a directory that is gone, with a slash at its end", Some("a/bc/gone/"), vec!["a/bc"]),
        ("a directory that is gone, with dots", Some("a/bc/gone/../../b/gone/."), vec!["a/b"]),
        ("the link itself, with a slash at its end", Some("follow/link/"), vec!["follow"]),
        ("the link itself, with a dot at its end", Some("follow/link/."), vec!["follow"]),
        ("a broken link with a slash at its end", Some("a/b/broken/"), vec!["a/b"]),
        ("a link to what another root follows, with a slash at its end", Some("a/b/elsewhere/"), vec!["a/b", "follow"]),
        ("a path through a link", Some("a/bc/to-b/x/y"), vec!["a/b"]),
        ("a path up from a link", Some("a/bc/to-x/.."), vec!["a/b"]),
        ("the directory of a repository's excludes", Some("a/.git/info/"), vec!["a/b", "a/bc"]),
    ] {
        let rig = Rig::new(Policy::default());
        let roots = ["a/b", "a/bc", "follow"].map(|name| (name, rig.directory(name)));
        rig.directory("a/b/x");
        rig.directory("a/.git");
        for (target, link) in [
            (linked.as_path(), "follow/link"),
            (Path::new("nowhere"), "a/b/broken"),
            (&linked, "a/b/elsewhere"),
            (Path::new("../b"), "a/bc/to-b"),
            (Path::new("../b/x"), "a/bc/to-x"),
        ] {
            symlink(target, rig.root().join(link)).expect("a link");
        }
        for (name, root) in &roots {
            rig.get_with(root, ScanOptions { follow_links: *name == "follow", ..ScanOptions::default() });
        }
        let target = target.map(|target: &str| match target.strip_prefix("OUTSIDE/") {
            Some(rest) => linked.join(rest),
            None => rig.root().join(target),
        });
        rig.cache.invalidate(target.as_deref());
        let cached: Vec<PathBuf> =
            rig.cache.stats().snapshots.iter().map(|cached| cached.snapshot.root().to_owned()).collect();
        let gone: Vec<&str> = roots.iter().filter(|(_, root)| !cached.contains(root)).map(|(name, _)| *name).collect();
        assert_eq!(gone, dropped, "{reason}: {target:?}");
        assert_eq!(rig.cache.stats().invalidations, dropped.len() as u64, "{reason}");
    }
}

#[test]
fn an_ignore_file_that_is_a_link_is_known_by_its_target() {
    let rig = Rig::new(Policy::default());
    let root = rig.directory("root");
    fs::write(rig.root().join("shared-rules"), "x").expect("a file");
    symlink(rig.root().join("shared-rules"), root.join(".ignore")).expect("a link");
    rig.get(&root);
    rig.cache.invalidate(Some(&rig.root().join("shared-rules")));
    assert_eq!(rig.cached(), 0);
}

#[test]
fn an_invalidation_while_the_rules_above_are_read_is_not_lost() {
    let rig = Rig::new(Policy::default());
    let root = rig.root();
    let request = rig.request(&root);
    // `join` reads the clock right before it reads the rules, so this invalidation comes before them.
    let cache = Arc::new(OnceLock::<ScanCache>::new());
    let (inner, calls) = (Arc::clone(&cache), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&calls);
    let clock: Clock = Arc::new(move || {
        if counted.fetch_add(1, Ordering::Relaxed) == 0 {
            inner.get().expect("the cache is there").invalidate(Some(Path::new("/somewhere/else")));
        }
        Instant::now()
    });
    let cache = cache.get_or_init(|| ScanCache::with_clock(Policy::default(), clock));
    let before = cache.state.lock().log.position();
    assert!(matches!(cache.state.join(&request.key(), &request, true, Freshness::Any), Ok(Joined::Started(_))));
    assert_eq!(cache.state.lock().log.position(), before + 1, "it happened");
    assert_eq!(calls.load(Ordering::Relaxed), 2, "the rules were read again");
}

#[test]
fn a_change_of_an_intermediate_link_is_noticed() {
    let rig = Rig::new(Policy::default());
    let root = rig.directory("root");
    for name in ["c", "d"] {
        rig.directory(name);
        fs::write(rig.root().join(name).join(format!("in-{name}")), "").expect("a file");
    }
    symlink("c", rig.root().join("b")).expect("a link");
    symlink("../b", root.join("a")).expect("a link");
    let follow = ScanOptions { follow_links: true, ..ScanOptions::default() };
    assert!(rig.get_with(&root, follow).snapshot.find(b"a/in-c").is_some());
    fs::remove_file(rig.root().join("b")).expect("removed");
    symlink("d", rig.root().join("b")).expect("a link");
    rig.cache.invalidate(Some(&rig.root().join("b")));
    assert!(rig.get_with(&root, follow).snapshot.find(b"a/in-d").is_some());
}

#[test]
fn excludes_in_a_linked_git_directory_are_known_by_both_paths() {
    for name in ["repo/.git/info/exclude", "real-git/info/exclude"] {
        let rig = Rig::new(Policy::default());
        let root = rig.directory("repo");
        rig.directory("real-git/info");
        fs::write(rig.root().join("real-git/info/exclude"), "x").expect("a file");
        symlink("../real-git", root.join(".git")).expect("a link");
        let sub = rig.directory("repo/sub");
        rig.get(&root);
        rig.get(&sub);
        rig.cache.invalidate(Some(&rig.root().join(name)));
        assert_eq!(rig.cached(), 0, "{name}");
    }
}
