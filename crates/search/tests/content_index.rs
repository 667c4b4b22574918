//! A grep with an index returns what a grep without one returns, whatever happens to the files.

#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cairn_cancel::{CancelToken, Stopped};
use cairn_pool::Pool;
use cairn_search::{
    BatchSink, Binary, ContentIndexes, CountUnit, Freshness, GrepBatch, GrepMode, GrepOptions, GrepOutcome, IndexOff,
    IndexPolicy, SearchContext, SearchError, Streaming, grep, grep_stream,
};
use cairn_walk::{Policy, ScanCache};
use tempfile::TempDir;

/// Random numbers, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A number from the environment, for longer runs.
fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a whole number"))
}

struct Rig {
    /// Whether searches watch the tree.
    watch: bool,
    tree: TempDir,
    cache: ScanCache,
    pool: Pool,
    contents: ContentIndexes,
}

/// Every tree is large enough, and files may be indexed as soon as their clock has ticked.
const POLICY: IndexPolicy = IndexPolicy {
    max_bytes: 64 << 20,
    min_files: 0,
    min_text: 0,
    settle: Some(Duration::ZERO),
    max_files: usize::MAX,
    max_watches: 1000,
};

impl Rig {
    fn new(policy: IndexPolicy) -> Self {
        let tree = tempfile::tempdir().expect("a temporary directory");
        fs::create_dir(tree.path().join("tree")).expect("a directory");
        let contents = ContentIndexes::new(policy);
        Self { watch: false, tree, cache: ScanCache::new(Policy::default()), pool: Pool::new(2), contents }
    }

    fn with_files(policy: IndexPolicy, files: &[(&str, &[u8])]) -> Self {
        let rig = Self::new(policy);
        for (path, content) in files {
            rig.write(path, content);
        }
        rig.settle();
        rig.index();
        rig
    }

    /// The directory that is searched. Next to it is room for other files of the test.
    fn root(&self) -> PathBuf {
        self.tree.path().canonicalize().expect("the tree exists").join("tree")
    }

    fn write(&self, path: &str, content: &[u8]) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a directory");
        fs::write(path, content).expect("a file");
    }

    /// Waits until the clock of the file system has ticked so often that every file up to now is settled.
    fn settle(&self) {
        let probe = tempfile::NamedTempFile::new_in(self.tree.path()).expect("a probe");
        let changed = || {
            fs::write(probe.path(), "").expect("a probe");
            let metadata = probe.path().metadata().expect("a probe");
            Duration::new(metadata.ctime().unsigned_abs(), metadata.ctime_nsec().unsigned_abs() as u32)
        };
        let began = changed();
        while changed() < began + Duration::from_millis(30) {
            std::thread::yield_now();
        }
    }

    /// Searches until every file is indexed as it is.
    fn index(&self) {
        for _ in 0..3 {
            self.grep(&self.options("an absent text"));
            self.contents.wait();
        }
    }

    fn options(&self, pattern: &str) -> GrepOptions {
        let mut options = GrepOptions { include_node_modules: Some(true), ..GrepOptions::new(pattern, self.root()) };
        options.scope.use_cache = true;
        options.scope.watch = self.watch;
        options
    }

    fn grep(&self, options: &GrepOptions) -> GrepOutcome {
        self.try_grep(options).expect("a search")
    }

    fn try_grep(&self, options: &GrepOptions) -> Result<GrepOutcome, SearchError> {
        let context = SearchContext { contents: Some(&self.contents), ..SearchContext::new(&self.cache, &self.pool) };
        let mut options = options.clone();
        options.scope.asked = Instant::now();
        grep(context, &options, &CancelToken::new())
    }

    /// The same search without an index and without a cache.
    fn plain(&self, options: &GrepOptions) -> Result<GrepOutcome, SearchError> {
        let mut options = options.clone();
        options.scope.use_cache = false;
        grep(SearchContext::new(&self.cache, &self.pool), &options, &CancelToken::new())
    }

    #[track_caller]
    fn assert_same(&self, options: &GrepOptions, case: &str) -> GrepOutcome {
        match (self.try_grep(options), self.plain(options)) {
            (Ok(indexed), Ok(plain)) => {
                assert_eq!(without_cost(&indexed), without_cost(&plain), "{case}: {options:?}");
                indexed
            }
            (indexed, plain) => {
                // A pattern that is not valid.
                let error = |result: Result<GrepOutcome, SearchError>| result.err().map(|error| error.to_string());
                assert_eq!(error(indexed), error(plain), "{case}: {options:?}");
                GrepOutcome::default()
            }
        }
    }
}

/// The outcome without what an index may change.
fn without_cost(outcome: &GrepOutcome) -> String {
    let plain = GrepOutcome { files_opened: 0, bytes_read: 0, files_excluded: 0, freshness: None, ..outcome.clone() };
    format!("{plain:#?}")
}

#[test]
fn a_search_without_candidates_opens_no_file() {
    let rig =
        Rig::with_files(POLICY, &[("a.c", b"alpha\n"), ("b/c.c", b"beta\n"), ("b/empty", b""), ("d.bin", b"x\0y\n")]);
    let outcome = rig.assert_same(&rig.options("gamma"), "absent");
    assert_eq!((outcome.files_searched, outcome.files_excluded, outcome.files_opened), (4, 4, 0));
    assert_eq!((outcome.bytes_read, outcome.skipped.binary, outcome.freshness), (0, 1, Some(Freshness::Validated)));
    let outcome = rig.assert_same(&rig.options("alpha"), "one file");
    assert_eq!((outcome.total, outcome.files_excluded, outcome.files_opened), (1, 3, 1));
}

#[test]
fn a_pattern_that_shows_no_gram_uses_no_index() {
    let rig = Rig::with_files(POLICY, &[("a.c", b"alpha\n"), ("b.c", b"beta\n")]);
    for pattern in ["al", ".*", r"\w+", "al|beta", "(?=x)alpha"] {
        let outcome = rig.assert_same(&rig.options(pattern), pattern);
        assert_eq!((outcome.files_excluded, outcome.files_opened, outcome.freshness), (0, 2, None), "{pattern}");
    }
}

#[test]
fn a_part_of_the_tree_uses_the_index_of_the_whole() {
    let rig = Rig::with_files(POLICY, &[("a.c", b"alpha\n"), ("b/c.c", b"beta\n"), ("b/d/e.c", b"delta\n")]);
    let mut options = rig.options("epsilon");
    options.scope.path = rig.root().join("b");
    let outcome = rig.assert_same(&options, "a directory");
    assert_eq!((outcome.files_excluded, outcome.files_opened), (2, 0));
}

#[test]
fn the_first_search_makes_no_index_and_a_small_tree_has_none() {
    let rig = Rig::new(POLICY);
    rig.write("a.c", b"alpha\n");
    rig.grep(&rig.options("beta"));
    rig.contents.wait();
    assert_eq!((rig.contents.stats().files, rig.contents.stats().off), (0, Some(IndexOff::NotUsed)));
    rig.grep(&rig.options("beta"));
    rig.contents.wait();
    assert_eq!((rig.contents.stats().files, rig.contents.stats().off), (1, None));
    for (policy, off) in [
        (IndexPolicy { min_files: 3, min_text: 1000, ..POLICY }, IndexOff::TooSmall),
        (IndexPolicy { max_bytes: 0, ..POLICY }, IndexOff::Disabled),
        (IndexPolicy { max_bytes: 100, ..POLICY }, IndexOff::TooLarge),
        (IndexPolicy { settle: None, ..POLICY }, IndexOff::FileSystem),
    ] {
        let rig = Rig::with_files(policy, &[("a.c", b"alpha\n"), ("b.c", b"beta\n")]);
        assert_eq!(rig.contents.stats().off, Some(off));
        assert_eq!(rig.contents.stats().indexed, 0);
        assert_eq!(rig.assert_same(&rig.options("gamma"), "off").files_opened, 2);
    }
}

#[test]
fn the_memory_stays_below_its_limit_and_what_does_not_fit_is_searched() {
    let rig = Rig::new(IndexPolicy { max_bytes: 60_000, ..POLICY });
    let line = |number: usize, line: usize| {
        format!(
            "word{number} {}
",
            number * line * 7919
        )
    };
    let text = |number: usize| -> String { (0..200).map(|at| line(number, at)).collect() };
    for number in 0..300 {
        rig.write(&format!("{number}.txt"), text(number).as_bytes());
    }
    rig.settle();
    rig.index();
    let stats = rig.contents.stats();
    assert!(stats.bytes <= 60_000 && (1..300).contains(&stats.indexed), "{stats:?}");
    assert_eq!(stats.off, Some(IndexOff::TooLarge));
    let outcome = rig.assert_same(&rig.options("word299 "), "beyond the limit");
    assert_eq!(outcome.total, 200);
}

#[test]
fn a_new_file_without_memory_for_it_does_not_turn_the_index_off() {
    // 64 files and their signatures take what there is.
    let files: Vec<String> = (0..64).map(|number| format!("f{number}")).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|name| (name.as_str(), &b"alpha\n"[..])).collect();
    let mut full = 0;
    for max_bytes in (4_000..30_000).step_by(500) {
        let rig = Rig::with_files(IndexPolicy { max_bytes, ..POLICY }, &files);
        let before = rig.contents.stats();
        for number in 0..200 {
            rig.write(&format!("new{number}"), b"alpha\n");
        }
        if before.indexed < files.len() {
            continue;
        }
        let outcome = rig.assert_same(&rig.options("gamma"), "new files");
        assert!(outcome.files_excluded >= 64, "{max_bytes}: {before:?}");
        full += usize::from(rig.contents.stats().bytes + 200 > max_bytes);
    }
    assert!(full > 0);
}

#[test]
fn a_file_that_is_too_long_to_be_indexed_does_not_count_for_the_size_of_the_index() {
    let rig = Rig::new(POLICY);
    rig.write("a.c", b"alpha\n");
    for name in ["disk", "other"] {
        rig.write(name, b"");
        let _ = OpenOptions::new().write(true).open(rig.root().join(name)).and_then(|file| file.set_len(1 << 43));
    }
    rig.settle();
    let mut options = rig.options("an absent text");
    options.max_file_size = Some(1 << 20);
    for _ in 0..3 {
        rig.grep(&options);
        rig.contents.wait();
    }
    assert_eq!((rig.contents.stats().indexed, rig.contents.stats().off), (1, None));
}

#[test]
fn files_that_cannot_be_indexed_are_searched() {
    let long_line = vec![b'x'; 400_000];
    let wide: Vec<u8> = [0xFF, 0xFE].into_iter().chain("needle\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let rig = Rig::with_files(
        POLICY,
        &[("long", &long_line), ("utf16", &wide), ("large", b""), ("a", b"a\n"), ("b", b"b\n"), ("c", b"c\n")],
    );
    File::create(rig.root().join("large")).and_then(|file| file.set_len(100 << 20)).expect("a sparse file");
    rig.settle();
    rig.index();
    for pattern in ["needle", "another needle"] {
        let outcome = rig.assert_same(&rig.options(pattern), pattern);
        assert_eq!((outcome.files_opened, outcome.files_excluded), (3, 3), "{pattern}");
    }
}

#[test]
fn a_match_over_several_lines_may_have_its_grams_in_several_pieces() {
    let filler = "filler of a line\n".repeat(10_000);
    let text = format!("{filler}first end\nsecond begin\n{filler}");
    let rig = Rig::with_files(POLICY, &[("long.txt", text.as_bytes()), ("short.txt", b"first end\nother\n")]);
    // Far apart, so that no piece has both.
    rig.write("ends.txt", format!("opening words\n{filler}closing words\n").as_bytes());
    rig.settle();
    rig.index();
    for pattern in
        [r"first end\nsecond begin", r"(?s)first end.*second", "second begin", r"(?s)opening words.*closing words"]
    {
        let options = GrepOptions { multiline: true, ..rig.options(pattern) };
        assert_eq!(rig.assert_same(&options, pattern).files_with_matches, 1);
    }
}

#[test]
fn a_match_in_any_piece_of_a_long_file_is_found() {
    let filler = "filler of a line\n".repeat(10_000);
    let text = format!("opening words\n{filler}middle words\n{filler}closing words");
    let rig = Rig::with_files(POLICY, &[("long.txt", text.as_bytes()), ("short.txt", b"other\n")]);
    for (pattern, total) in [("opening", 1), ("middle", 1), ("closing", 1), ("absent", 0)] {
        let outcome = rig.assert_same(&rig.options(pattern), pattern);
        assert_eq!((outcome.total, outcome.files_excluded), (total, 2 - total), "{pattern}");
    }
}

#[test]
fn a_file_over_the_limit_of_size_is_counted_as_such() {
    let rig = Rig::with_files(POLICY, &[("a", b"alpha\n"), ("b", &[b"beta\n".as_slice(); 10].concat())]);
    let options = GrepOptions { max_file_size: Some(10), ..rig.options("gamma") };
    assert_eq!(rig.assert_same(&options, "size").skipped.oversized, 1);
}

#[test]
fn a_watched_file_over_the_limit_of_size_is_counted_as_such() {
    let rig = watched(&[("a", b"alpha\n"), ("b", &[b"beta\n".as_slice(); 10].concat())]);
    let options = GrepOptions { max_file_size: Some(10), ..rig.options("gamma") };
    assert_eq!(rig.assert_same(&options, "size").skipped.oversized, 1);
}

#[test]
fn the_lines_of_a_file_without_a_match_are_found_by_an_inverted_search() {
    let rig = Rig::with_files(POLICY, &[("a", b"alpha\n"), ("b", b"beta\n")]);
    let options = GrepOptions { invert: true, ..rig.options("gamma") };
    assert_eq!(rig.assert_same(&options, "inverted").total, 2);
}

/// For PCRE2 the class has three characters, for the other engine none.
#[test]
fn a_pattern_of_pcre2_is_not_read_as_one_of_the_other_engine() {
    let rig = Rig::with_files(POLICY, &[("a", b"alpha&\n"), ("b", b"beta\n")]);
    let options = GrepOptions { pcre2: true, ..rig.options("alpha[x&&y]") };
    assert_eq!(rig.assert_same(&options, "a class").total, 1);
}

#[test]
fn a_nul_byte_counts_where_the_search_would_see_it() {
    // One line, which is one piece, and longer than the part that a search over lines tests.
    let filler = "filler of a line ".repeat(6_000);
    let rig = Rig::with_files(
        POLICY,
        &[("early", format!("\0{filler}").as_bytes()), ("late", format!("{filler}\0").as_bytes()), ("none", b"text\n")],
    );
    for multiline in [false, true] {
        for binary in [Binary::Skip, Binary::Search, Binary::Text] {
            let options = GrepOptions { multiline, binary, ..rig.options("absent") };
            rig.assert_same(&options, "a NUL");
        }
    }
}

#[test]
fn a_recent_file_is_not_trusted() {
    let rig = Rig::with_files(IndexPolicy { settle: Some(Duration::from_secs(3600)), ..POLICY }, &[("a", b"alpha\n")]);
    assert_eq!(rig.contents.stats().indexed, 0);
    assert_eq!(rig.assert_same(&rig.options("beta"), "recent").files_opened, 1);
}

#[test]
fn a_root_that_is_replaced_is_another_tree() {
    let rig = Rig::with_files(POLICY, &[("tree/a", b"alpha\n"), ("other/a", b"gamma\n")]);
    let mut options = rig.options("alpha");
    options.scope.path = rig.root().join("tree");
    assert_eq!(rig.assert_same(&options, "before").total, 1);
    fs::rename(rig.root().join("tree"), rig.root().join("old")).expect("a move");
    fs::rename(rig.root().join("other"), rig.root().join("tree")).expect("a move");
    assert_eq!(rig.assert_same(&options, "after").total, 0);
    options.patterns = vec!["gamma".to_owned()];
    assert_eq!(rig.assert_same(&options, "after").total, 1);
    fs::remove_dir_all(rig.root().join("tree")).expect("removed");
    rig.write("tree/b", b"gamma\ngamma\n");
    assert_eq!(rig.assert_same(&options, "made again").total, 2);
}

const WORDS: [&str; 14] = [
    "alpha",
    "Beta",
    "GAMMA",
    "delta_x",
    "sched_setaffinity",
    "kmalloc",
    "KMALLOC",
    "漢字",
    "\u{212a}elvin",
    "straße",
    "0x1F",
    "return 0;",
    "    ",
    "\t\t",
];

fn text(random: &mut Random, words: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..words {
        text.extend_from_slice(random.one(&WORDS).as_bytes());
        text.extend_from_slice(random.one(&[" ", "\n", "\r\n", "_", "", "\n\t", "(", ")", " { "]).as_bytes());
    }
    match random.below(20) {
        0 => text.push(0),
        1 => text.extend_from_slice(&[0xFF, 0xC3, b'x', b'\n']),
        2 => {
            let wide = String::from_utf8_lossy(&text).into_owned();
            return [0xFF, 0xFE].into_iter().chain(wide.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        }
        3 => return [b"\xEF\xBB\xBF", text.as_slice()].concat(),
        _ => {}
    }
    text
}

fn words(random: &mut Random) -> usize {
    match random.below(600) {
        0 => 400_000,
        1..10 => 30_000,
        10..90 => 0,
        _ => 30,
    }
}

/// The files of a tree that changes.
struct Files<'a> {
    rig: &'a Rig,
    random: Random,
}

impl Files<'_> {
    fn path(&mut self) -> PathBuf {
        let number = self.random.below(60);
        self.rig.root().join(format!("d{}/e{}/f{number}.{}", number % 3, number % 2, ["c", "rs"][number % 2]))
    }

    fn write(&mut self, path: &Path) {
        let words = words(&mut self.random);
        let _ = fs::create_dir_all(path.parent().expect("a parent"));
        let _ = fs::write(path, text(&mut self.random, words));
    }

    /// Changes one file or directory. Fails where it is not there.
    fn change(&mut self) -> std::io::Result<()> {
        let (path, other) = (self.path(), self.path());
        match self.random.below(16) {
            // The same size, and the time of modification that it had.
            0..4 => {
                let before = fs::metadata(&path)?;
                let mut file = OpenOptions::new().write(true).open(&path)?;
                let at = self.random.below(before.len().max(1) as usize) as u64;
                file.seek(SeekFrom::Start(at))?;
                let word = self.random.one(&WORDS).as_bytes();
                file.write_all(&word[..word.len().min((before.len() - at.min(before.len())) as usize)])?;
                file.set_times(fs::FileTimes::new().set_modified(before.modified()?))?;
            }
            4 => OpenOptions::new().append(true).open(&path)?.write_all(b"\nGAMMA kmalloc(delta_x)\n")?,
            5 => OpenOptions::new().write(true).open(&path)?.set_len(self.random.below(50) as u64)?,
            6 => {
                let next = self.rig.root().join("d0/next");
                self.write(&next);
                fs::rename(next, &path)?;
            }
            7 => {
                let outside = self.rig.root().join(".git-outside");
                let _ = fs::remove_file(&outside);
                fs::hard_link(&path, &outside)?;
                fs::write(&outside, text(&mut self.random, 20))?;
            }
            8 => {
                let third = self.rig.root().join("third");
                fs::rename(&path, &third)?;
                fs::rename(&other, &path)?;
                fs::rename(&third, &other)?;
            }
            9 => fs::remove_file(&path)?,
            10 => {
                let [from, to] = [0, 1].map(|number| self.rig.root().join(format!("d{number}")));
                let third = self.rig.root().join("third");
                fs::rename(&from, &third)?;
                fs::rename(&to, &from)?;
                fs::rename(&third, &to)?;
            }
            11 => {
                fs::remove_file(&path)?;
                symlink(&other, &path)?;
            }
            12 => {
                let ignore = self.rig.root().join(".gitignore");
                fs::write(ignore, self.random.one(&["", "*.rs\n", "d1/\n", "e0\n!f2.c\n"]))?;
            }
            13 => {
                let _ = fs::remove_file(&path);
                fs::create_dir_all(&path)?;
                fs::remove_dir(&path)?;
            }
            _ => self.write(&path),
        }
        Ok(())
    }

    fn options(&mut self) -> GrepOptions {
        let patterns = [
            "alpha",
            "Beta",
            "GAMMA",
            "delta_x",
            "sched_[a-z]+affinity",
            r"kmalloc\(",
            "KMALLOC|kmalloc",
            "漢字",
            "kelvin",
            r"return\s+0;",
            "strasse",
            "straße",
            "(alpha|beta)_",
            "absent",
            r"\bGAMMA\b",
            "^alpha",
            "0x[0-9A-F]+",
            "a.*b",
            r"(?i)gamma",
            r"\Aalpha",
            "[A-Z]{4}",
            "(?-u:\\xff)",
            "delta_x$",
            "GAMMA\nalpha",
            "alpha{2,}",
            "{alpha",
            "alpha|",
            "(?x) kmalloc \\( # a call",
            "(?i)K",
            "(?i)straSSe|sched_",
            "kmalloc(delta_x",
            "\\p{Lu}{3,}",
            "delta_x\\z",
            "(?-i)GAMMA",
            "alpha[^\\n]*Beta",
            "alpha(?=_)",
            "[[:^ascii:]]+",
            "(?s)alpha.Beta",
            "\0",
            "alpha\0?",
            "\\r",
            "",
        ];
        let random = &mut self.random;
        let pattern = random.one(&patterns);
        let mut options = self.rig.options(pattern);
        if random.below(4) == 0 {
            options.patterns.push(random.one(&patterns).to_owned());
        }
        options.literal = random.below(8) == 0;
        options.multiline = random.below(5) == 0 || options.patterns.iter().any(|pattern| pattern.contains('\n'));
        options.ignore_case = random.below(3) == 0;
        options.smart_case = random.below(6) == 0;
        options.whole_word = random.below(8) == 0;
        options.whole_line = random.below(16) == 0;
        options.crlf = random.below(6) == 0;
        options.invert = random.below(16) == 0;
        options.binary = random.one(&[Binary::Skip, Binary::Skip, Binary::Search, Binary::Text]);
        options.mode = random.one(&[GrepMode::Content, GrepMode::Content, GrepMode::Count, GrepMode::FilesWithMatches]);
        options.max_count = (random.below(4) == 0).then(|| 1 + random.below(20) as u64);
        options.offset = random.one(&[0, 0, 0, 3]);
        options.context_after = random.one(&[0, 0, 2]);
        options.context_before = random.one(&[0, 0, 0, 2]);
        options.max_count_per_file = random.one(&[None, None, None, None, None, Some(0), Some(1), Some(3)]);
        options.count_unit = random.one(&[CountUnit::Lines, CountUnit::Matches]);
        options.replacement = random.one(&[None, None, None, None, Some("$0")]).map(ToOwned::to_owned);
        options.submatches = random.below(2) == 0;
        options.pcre2 = random.below(12) == 0;
        options.file_types = random.one(&[&[][..], &[], &[], &[], &["rust"]]).iter().map(ToString::to_string).collect();
        options.follow_links = random.below(16) == 0;
        // Such a search uses no index, so nothing else keeps its list of files from being as old as the cache allows.
        options.scope.validate = options.follow_links;
        options.max_file_size = (random.below(8) == 0).then_some(300);
        options.max_depth = (random.below(10) == 0).then_some(2);
        options.globs =
            random.one(&[&[][..], &[], &[], &["*.c"], &["d1/**"]]).iter().map(ToString::to_string).collect();
        options.scope.include_hidden = random.below(2) == 0;
        options.scope.use_gitignore = random.below(4) > 0;
        if random.below(5) == 0 {
            options.scope.path = self.rig.root().join("d0");
        }
        // The search for the text of a pattern ends after a time, so it is left out of what is compared.
        options.scope.max_result_bytes = 64 << 20;
        options
    }
}

/// Mutations and searches at random. Returns the number of files that the index left out.
fn mutate(policy: IndexPolicy, watch: bool, seed: u64, steps: usize) -> u64 {
    let rig = Rig { watch, ..Rig::new(policy) };
    fs::create_dir(rig.root().join(".git")).expect("a directory");
    let mut files = Files { rig: &rig, random: Random(seed) };
    for _ in 0..80 {
        let path = files.path();
        files.write(&path);
    }
    fs::create_dir_all(rig.root().join("d0/e0")).expect("a directory");
    let mut excluded = 0;
    for step in 0..steps {
        // A step that cannot be done changes nothing.
        let _ = files.change();
        if step % 16 == 0 {
            rig.settle();
            rig.index();
        }
        let options = files.options();
        if options.scope.path.is_dir() {
            excluded += rig.assert_same(&options, &format!("seed {seed}, step {step}")).files_excluded;
        }
    }
    excluded
}

#[test]
fn random_changes_are_found_with_every_file_indexed() {
    let steps = number("CAIRN_INDEX_STEPS", 300);
    let excluded = mutate(POLICY, false, number("CAIRN_INDEX_SEED", 1) as u64, steps);
    assert!(excluded > steps as u64 / 4, "{excluded} files were left out");
}

#[test]
fn random_changes_are_found_with_an_index_that_is_not_complete() {
    let steps = number("CAIRN_INDEX_STEPS", 200);
    let seed = number("CAIRN_INDEX_SEED", 2) as u64;
    let mut by_limit = BTreeMap::new();
    for max_files in [1, 17, 40] {
        by_limit
            .insert(max_files, mutate(IndexPolicy { max_files, ..POLICY }, false, seed + max_files as u64, steps / 2));
    }
    assert!(by_limit.values().sum::<u64>() > 0, "{by_limit:?}");
}

#[test]
fn random_changes_are_found_in_a_watched_tree() {
    let steps = number("CAIRN_INDEX_STEPS", 300);
    let excluded = mutate(POLICY, true, number("CAIRN_INDEX_SEED", 3) as u64, steps);
    assert!(excluded > steps as u64 / 4, "{excluded} files were left out");
}

/// A search that starts after a write has returned sees it.
#[test]
fn a_write_that_has_returned_is_seen() {
    race(false);
}

#[test]
fn a_write_that_has_returned_is_seen_in_a_watched_tree() {
    race(true);
}

fn race(watch: bool) {
    let rounds = number("CAIRN_INDEX_ROUNDS", 1000) as u64;
    let rig = Rig { watch, ..Rig::new(POLICY) };
    for number in 0..30 {
        rig.write(&format!("d{}/f{number}", number % 3), b"nothing here\n");
    }
    rig.settle();
    rig.index();
    let (written, begun, is_over) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let target = |round: u64| rig.root().join(format!("d{}/f{}", round % 3, round % 30));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut round, mut made) = (0, VecDeque::new());
            while !is_over.load(Ordering::Acquire) {
                round += 1;
                // The same size each time.
                let content = format!("marker{round:010}\n");
                match round % 4 {
                    0 => fs::write(target(round), content).expect("a write"),
                    3 => {
                        // A search that runs needs those that were made since it began.
                        while made.front().is_some_and(|made| *made < begun.load(Ordering::Acquire)) {
                            let old = made.pop_front().expect("the first");
                            fs::remove_dir_all(rig.root().join(format!("made{old}"))).expect("removed");
                        }
                        let directory = rig.root().join(format!("made{round}"));
                        fs::create_dir(&directory).expect("a directory");
                        made.push_back(round);
                        (0..round % 7 * 100).for_each(|_| std::thread::yield_now());
                        fs::write(directory.join("f"), content).expect("a new file");
                    }
                    1 => {
                        let next = rig.root().join("next");
                        fs::write(&next, content).expect("a write");
                        fs::rename(&next, target(round)).expect("a move");
                    }
                    _ => fs::write(rig.root().join(format!("new{}", round % 7)), content).expect("a new file"),
                }
                written.store(round, Ordering::Release);
            }
        });
        // A report that one search reads counts for the others.
        scope.spawn(|| {
            while !is_over.load(Ordering::Acquire) {
                rig.grep(&rig.options("another[0-9]+"));
            }
        });
        let mut searched = 0;
        while searched < rounds {
            let round = written.load(Ordering::Acquire);
            begun.store(round, Ordering::Release);
            let outcome = rig.grep(&rig.options("marker[0-9]+"));
            let lines = || outcome.matches.iter().map(|line| String::from_utf8_lossy(&line.line).into_owned());
            let newest = lines().filter_map(|line| line.trim_start_matches("marker").trim().parse::<u64>().ok()).max();
            if round > 0 && newest < Some(round) {
                is_over.store(true, Ordering::Release);
                panic!("marker {round} was written before the search, which found {newest:?}");
            }
            searched += 1;
        }
        is_over.store(true, Ordering::Release);
    });
}

#[test]
fn an_ignore_file_above_a_watched_tree_is_read_by_every_search() {
    let rig = Rig { watch: true, ..Rig::with_files(POLICY, &[]) };
    rig.write("above/tree/a", b"alpha\n");
    rig.write("above/tree/b", b"alpha\n");
    rig.settle();
    let mut options = rig.options("alpha");
    options.scope.path = rig.root().join("above/tree");
    for (rules, total) in [("", 2), ("a\n", 1), ("*\n", 0), ("", 2)] {
        rig.write("above/.ignore", rules.as_bytes());
        for round in 0..4 {
            assert_eq!(rig.assert_same(&options, rules).total, total, "{rules:?} {round}");
            rig.contents.wait();
        }
    }
}

/// A watched tree whose files and directories are all trusted.
fn watched(files: &[(&str, &[u8])]) -> Rig {
    watched_by(POLICY, files)
}

fn watched_by(policy: IndexPolicy, files: &[(&str, &[u8])]) -> Rig {
    let rig = Rig { watch: true, ..Rig::with_files(policy, files) };
    for _ in 0..3 {
        rig.grep(&rig.options("an absent text"));
    }
    rig
}

const TWO_DIRECTORIES: [(&str, &[u8]); 3] = [("a.c", b"alpha\n"), ("b/c.c", b"beta\n"), ("b/d/e.c", b"delta\n")];

#[test]
fn a_watched_tree_needs_no_look_at_its_directories() {
    let rig = watched(&TWO_DIRECTORIES);
    let checks = rig.cache.stats().checks;
    let outcome = rig.assert_same(&rig.options("gamma"), "watched");
    assert_eq!((outcome.freshness, outcome.files_excluded), (Some(Freshness::Watched), 3));
    assert_eq!(rig.cache.stats().checks, checks);
    assert_eq!(rig.contents.stats().watches, 3);
    // Without the option, everything is compared.
    let mut options = rig.options("gamma");
    options.scope.watch = false;
    assert_eq!(rig.grep(&options).freshness, Some(Freshness::Validated));
}

#[test]
fn every_change_of_a_watched_tree_is_found() {
    type Step = (&'static str, fn(&Path), &'static str, u64);
    let steps: [Step; 14] = [
        ("a write", |root| fs::write(root.join("a.c"), "omega\n").unwrap(), "omega", 1),
        ("a new file", |root| fs::write(root.join("b/d/new.c"), "omega\n").unwrap(), "omega", 2),
        ("a moved directory", |root| fs::rename(root.join("b"), root.join("x")).unwrap(), "omega", 2),
        ("a write below it", |root| fs::write(root.join("x/d/e.c"), "omega\n").unwrap(), "omega", 3),
        ("a new directory", |root| fs::create_dir_all(root.join("y/z")).unwrap(), "omega", 3),
        ("a file in it", |root| fs::write(root.join("y/z/f.c"), "omega\n").unwrap(), "omega", 4),
        ("a removed file", |root| fs::remove_file(root.join("a.c")).unwrap(), "omega", 3),
        ("an ignore file", |root| fs::write(root.join(".ignore"), "y/\n").unwrap(), "omega", 2),
        ("another ignore file", |root| fs::write(root.join(".ignore"), "").unwrap(), "omega", 3),
        (
            "a link in place of a file",
            |root| {
                fs::remove_file(root.join("x/c.c")).unwrap();
                symlink("../y/z/f.c", root.join("x/c.c")).unwrap();
            },
            "omega",
            3,
        ),
        (
            "a file moved here",
            |root| {
                fs::write(root.parent().unwrap().join("cairn-outside"), "omega\n").unwrap();
                fs::rename(root.parent().unwrap().join("cairn-outside"), root.join("moved.c")).unwrap();
            },
            "omega",
            4,
        ),
        ("a removed directory", |root| fs::remove_dir_all(root.join("y")).unwrap(), "omega", 3),
        (
            "a directory that is made again",
            |root| {
                fs::create_dir_all(root.join("y/z")).unwrap();
                fs::write(root.join("y/z/f.c"), "omega\n").unwrap();
            },
            "omega",
            4,
        ),
        (
            "a shorter file",
            |root| File::options().write(true).open(root.join("moved.c")).unwrap().set_len(2).unwrap(),
            "omega",
            3,
        ),
    ];
    let rig = watched(&TWO_DIRECTORIES);
    for (name, step, pattern, total) in steps {
        step(&rig.root());
        for round in ["first", "then"] {
            let outcome = rig.assert_same(&rig.options(pattern), &format!("{name}, {round}"));
            assert_eq!(outcome.total, total, "{name}, {round}");
            rig.contents.wait();
        }
    }
    rig.settle();
    rig.index();
    rig.grep(&rig.options("omega"));
    assert_eq!(rig.assert_same(&rig.options("omega"), "at the end").freshness, Some(Freshness::Watched));
    fs::write(rig.root().join("y/z/f.c"), "gamma\n").unwrap();
    assert_eq!(rig.assert_same(&rig.options("gamma"), "in the directory that was made again").total, 1);
}

#[test]
fn a_watched_root_may_be_moved_and_made_again() {
    let rig = Rig { watch: true, ..Rig::with_files(POLICY, &[]) };
    rig.write("above/tree/a", b"alpha\n");
    rig.write("other/tree/a", b"omega\n");
    rig.settle();
    let mut options = rig.options("omega");
    options.scope.path = rig.root().join("above/tree");
    for _ in 0..5 {
        assert_eq!(rig.assert_same(&options, "before").total, 0);
        rig.contents.wait();
    }
    assert_eq!(rig.grep(&options).freshness, Some(Freshness::Watched));
    // A directory above the watched ones is replaced, which nothing reports.
    fs::rename(rig.root().join("above"), rig.root().join("old")).unwrap();
    fs::rename(rig.root().join("other"), rig.root().join("above")).unwrap();
    assert_eq!(rig.assert_same(&options, "replaced above").total, 1);
    fs::remove_dir_all(rig.root().join("above/tree")).unwrap();
    rig.write("above/tree/b", b"omega\nomega\n");
    assert_eq!(rig.assert_same(&options, "made again").total, 2);
}

#[test]
fn a_queue_that_overflows_withdraws_all_trust() {
    let rig = watched(&TWO_DIRECTORIES);
    overflow(&rig.root());
    fs::write(rig.root().join("b/d/e.c"), b"omega\n").unwrap();
    fs::write(rig.root().join("b/d/new.c"), b"omega\n").unwrap();
    let outcome = rig.assert_same(&rig.options("omega"), "after an overflow");
    assert_eq!((outcome.total, outcome.freshness), (2, Some(Freshness::Validated)));
}

/// What a watch does not report, as its documentation says; without a watch, the times show it.
#[test]
fn a_write_through_a_name_outside_is_seen_by_validation_only() {
    let rig = watched(&TWO_DIRECTORIES);
    let outside = tempfile::tempdir_in(rig.root().parent().unwrap()).unwrap();
    fs::hard_link(rig.root().join("a.c"), outside.path().join("link")).unwrap();
    fs::write(outside.path().join("link"), "omega\n").unwrap();
    assert_eq!(rig.grep(&rig.options("omega")).total, 0);
    let mut options = rig.options("omega");
    options.scope.watch = false;
    assert_eq!(rig.assert_same(&options, "validated").total, 1);
    // A change that is announced is seen.
    rig.contents.invalidate(Some(&rig.root().join("a.c")));
    assert_eq!(rig.grep(&rig.options("omega")).total, 1);
}

/// A hard link inside the tree is another name: a write through it is reported for that name only.
#[test]
fn a_write_through_a_new_name_in_a_watched_tree_is_found() {
    type Step = (&'static str, fn(&Path), u64);
    let steps: [Step; 7] = [
        (
            "a link",
            |root| {
                fs::hard_link(root.join("a.c"), root.join("b/link")).unwrap();
                fs::write(root.join("b/link"), "omega\n").unwrap();
            },
            2,
        ),
        (
            "a link that is gone",
            |root| {
                fs::hard_link(root.join("a.c"), root.join("b/link")).unwrap();
                fs::write(root.join("b/link"), "omega\n").unwrap();
                fs::remove_file(root.join("b/link")).unwrap();
            },
            1,
        ),
        (
            "a link that is replaced",
            |root| {
                fs::hard_link(root.join("a.c"), root.join("b/link")).unwrap();
                fs::write(root.join("b/link"), "omega\n").unwrap();
                fs::write(root.join("next"), "other\n").unwrap();
                fs::rename(root.join("next"), root.join("b/link")).unwrap();
            },
            1,
        ),
        (
            "a link that is moved",
            |root| {
                fs::hard_link(root.join("a.c"), root.join("b/link")).unwrap();
                fs::rename(root.join("b/link"), root.join("b/d/link")).unwrap();
                fs::write(root.join("b/d/link"), "omega\n").unwrap();
            },
            2,
        ),
        (
            "a link that is moved away",
            |root| {
                fs::hard_link(root.join("a.c"), root.join("b/link")).unwrap();
                fs::write(root.join("b/link"), "omega\n").unwrap();
                fs::rename(root.join("b/link"), root.parent().unwrap().join("cairn-moved-link")).unwrap();
                fs::remove_file(root.parent().unwrap().join("cairn-moved-link")).unwrap();
            },
            1,
        ),
        (
            "a link in a new directory",
            |root| {
                fs::create_dir(root.join("new")).unwrap();
                fs::hard_link(root.join("a.c"), root.join("new/link")).unwrap();
                fs::write(root.join("new/link"), "omega\n").unwrap();
            },
            2,
        ),
        (
            "many new files and a link",
            |root| {
                for number in 0..400 {
                    fs::write(root.join(format!("b/new{number}")), "text\n").unwrap();
                }
                fs::hard_link(root.join("a.c"), root.join("b/link")).unwrap();
                fs::write(root.join("b/link"), "omega\n").unwrap();
            },
            2,
        ),
    ];
    for (name, step, total) in steps {
        let rig = watched(&TWO_DIRECTORIES);
        step(&rig.root());
        assert_eq!(rig.assert_same(&rig.options("omega"), name).total, total, "{name}");
    }
}

#[test]
fn a_file_that_is_saved_by_a_move_costs_the_others_no_look() {
    let rig = watched(&TWO_DIRECTORIES);
    fs::write(rig.root().join("b/next"), "omega\n").unwrap();
    fs::rename(rig.root().join("b/next"), rig.root().join("b/c.c")).unwrap();
    let outcome = rig.assert_same(&rig.options("omega"), "saved");
    assert_eq!((outcome.total, outcome.freshness), (1, Some(Freshness::Watched)));
}

#[test]
fn random_changes_are_found_in_a_tree_that_is_watched_in_part() {
    let steps = number("CAIRN_INDEX_STEPS", 100);
    for max_watches in [0, 1, 3, 5] {
        let seed = (number("CAIRN_INDEX_SEED", 4) + max_watches) as u64;
        let excluded = mutate(IndexPolicy { max_watches, ..POLICY }, true, seed, steps);
        assert!(excluded > steps as u64 / 4, "{max_watches}: {excluded} files were left out");
    }
}

#[test]
fn a_directory_without_a_watch_is_validated() {
    for (max_watches, watches) in [(0, 0), (1, 1), (2, 2), (10, 3)] {
        let rig = watched_by(IndexPolicy { max_watches, ..POLICY }, &TWO_DIRECTORIES);
        assert_eq!(rig.contents.stats().watches, watches);
        for path in ["b/d/e.c", "b/c.c", "a.c", "b/new", "b/d/new"] {
            rig.write(path, b"omega\n");
            rig.assert_same(&rig.options("omega"), &format!("{path} with {max_watches}"));
        }
        fs::rename(rig.root().join("b/d"), rig.root().join("b/x")).unwrap();
        rig.write("b/d/e.c", b"omega\nomega\n");
        rig.assert_same(&rig.options("omega"), &format!("moved with {max_watches}"));
    }
}

#[test]
fn a_file_with_another_name_outside_is_validated_if_the_name_is_older_than_the_watch() {
    let rig = Rig { watch: true, ..Rig::with_files(POLICY, &[("a.c", b"alpha\n"), ("b.c", b"beta\n")]) };
    let outside = tempfile::tempdir_in(rig.root().parent().unwrap()).unwrap();
    fs::hard_link(rig.root().join("a.c"), outside.path().join("link")).unwrap();
    rig.settle();
    for _ in 0..4 {
        rig.index();
    }
    fs::write(outside.path().join("link"), "omega\n").unwrap();
    assert_eq!(rig.assert_same(&rig.options("omega"), "a link").total, 1);
}

/// The work when the first matches arrive.
struct Meanwhile<'a>(&'a (dyn Fn() + Sync));

impl BatchSink for Meanwhile<'_> {
    fn is_ready(&self) -> bool {
        true
    }

    fn take(&self, _batch: GrepBatch, _check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
        self.0();
        Ok(())
    }
}

/// A report that another search has read withdraws the trust in what this one saw before.
#[test]
fn a_change_that_another_search_was_told_of_is_not_forgotten() {
    let rig = Rig { watch: true, ..Rig::with_files(POLICY, &[("a.c", b"alpha\n"), ("z.c", b"omicron\n")]) };
    rig.grep(&rig.options("an absent text"));
    // Nothing is trusted, and everything is watched.
    rig.contents.invalidate(None);
    let context = SearchContext { contents: Some(&rig.contents), ..SearchContext::new(&rig.cache, &rig.pool) };
    let meanwhile = || {
        fs::write(rig.root().join("a.c"), "omega\n").unwrap();
        rig.grep(&rig.options("another absent text"));
    };
    let sink = Meanwhile(&meanwhile);
    let streaming = Streaming { sink: &sink, keeps_all: true };
    let mut options = rig.options("omicron");
    options.scope.asked = Instant::now();
    assert_eq!(grep_stream(context, &options, streaming, &CancelToken::new()).unwrap().total, 1);
    assert_eq!(rig.assert_same(&rig.options("omega"), "afterwards").total, 1);
    // The same for a new file.
    let meanwhile = || {
        fs::write(rig.root().join("new.c"), "omega\n").unwrap();
        rig.grep(&rig.options("another absent text"));
    };
    let sink = Meanwhile(&meanwhile);
    let streaming = Streaming { sink: &sink, keeps_all: true };
    options.scope.asked = Instant::now();
    assert_eq!(grep_stream(context, &options, streaming, &CancelToken::new()).unwrap().total, 1);
    assert_eq!(rig.assert_same(&rig.options("omega"), "a new file").total, 2);
}

/// Fills the queue of the watcher, so that reports of what comes next are lost.
fn overflow(root: &Path) {
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").expect("a limit");
    let limit: usize = limit.trim().parse().expect("a number");
    // Neighbouring reports that are equal are one, so two files take turns.
    for round in 0..limit + 10 {
        fs::write(root.join(["a.c", "b/c.c"][round % 2]), b"alpha\n").expect("a write");
    }
}

#[test]
fn directories_that_change_places_during_an_overflow_are_watched_again() {
    type Step = (&'static str, fn(&Path));
    let steps: [Step; 2] = [
        ("exchanged", |root| {
            fs::rename(root.join("b"), root.join("third")).unwrap();
            fs::rename(root.join("x"), root.join("b")).unwrap();
            fs::rename(root.join("third"), root.join("x")).unwrap();
        }),
        ("made again", |root| {
            fs::remove_dir_all(root.join("b")).unwrap();
            fs::create_dir(root.join("b")).unwrap();
            fs::write(root.join("b/c.c"), b"text\n").unwrap();
        }),
    ];
    for (name, step) in steps {
        let rig = watched(&[("a.c", b"alpha\n"), ("b/c.c", b"beta\n"), ("x/c.c", b"gamma\n")]);
        overflow(&rig.root());
        step(&rig.root());
        rig.settle();
        for _ in 0..4 {
            rig.assert_same(&rig.options("an absent text"), name);
            rig.contents.wait();
        }
        assert_eq!(rig.grep(&rig.options("an absent text")).freshness, Some(Freshness::Watched), "{name}");
        fs::write(rig.root().join("b/c.c"), b"omega\n").unwrap();
        assert_eq!(rig.assert_same(&rig.options("omega"), name).total, 1, "{name}");
    }
}

/// Runs a test of this file in a mount name space of its own. Systems that do not allow that are not tested.
fn in_own_mounts(test: &str) {
    let unshare = || {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "--"]);
        command
    };
    if !unshare().arg("true").status().is_ok_and(|status| status.success()) {
        return;
    }
    let test =
        unshare().arg(std::env::current_exe().expect("this program")).args(["--exact", test, "--ignored"]).status();
    assert!(test.expect("a test").success());
}

#[test]
fn a_mount_in_a_watched_tree_is_noticed() {
    in_own_mounts("mounts");
}

#[test]
#[ignore = "needs mounts of its own"]
fn mounts() {
    let run =
        |arguments: &[&str]| assert!(Command::new(arguments[0]).args(&arguments[1..]).status().unwrap().success());
    let rig = watched(&TWO_DIRECTORIES);
    let inside = rig.root().join("b");
    run(&["mount", "-t", "tmpfs", "none", inside.to_str().unwrap()]);
    rig.write("b/c.c", b"beta\n");
    rig.settle();
    let absent = rig.options("an absent text");
    for _ in 0..4 {
        rig.assert_same(&absent, "mounted");
        rig.contents.wait();
    }
    assert_eq!(rig.grep(&absent).freshness, Some(Freshness::Watched));
    rig.write("b/c.c", b"omega\n");
    assert_eq!(rig.assert_same(&rig.options("omega"), "in the mount").total, 1);
    fs::write(rig.root().join("a.c"), "omega\n").unwrap();
    run(&["umount", inside.to_str().unwrap()]);
    assert_eq!(rig.assert_same(&rig.options("omega"), "unmounted").total, 1);
    rig.write("b/d/e.c", b"omega\n");
    assert_eq!(rig.assert_same(&rig.options("omega"), "below the mount").total, 2);
    // One directory at two paths.
    fs::create_dir(rig.root().join("z")).unwrap();
    run(&["mount", "--bind", inside.to_str().unwrap(), rig.root().join("z").to_str().unwrap()]);
    rig.settle();
    for _ in 0..4 {
        rig.assert_same(&absent, "bound");
        rig.contents.wait();
    }
    for path in ["b/c.c", "z/c.c", "b/new.c"] {
        rig.write(path, format!("in {path}\n").as_bytes());
        assert_eq!(rig.assert_same(&rig.options(&format!("in {path}")), path).total, 2, "{path}");
    }
    // A file system without times that show every change.
    rig.settle();
    rig.index();
    let indexed = rig.contents.stats().indexed;
    run(&["mount", "--rbind", "/sys/kernel/mm", rig.root().join("b/d").to_str().unwrap()]);
    rig.settle();
    rig.index();
    rig.assert_same(&absent, "no times");
    assert!(rig.contents.stats().indexed <= indexed, "{:?}", rig.contents.stats());
}

/// As the superuser, who may read everything, this says little: run it as someone else too.
#[test]
fn files_and_directories_that_may_not_be_read_are_reported() {
    for watch in [false, true] {
        let rig = Rig { watch, ..watched(&TWO_DIRECTORIES) };
        let set = |path: &str, mode| {
            fs::set_permissions(rig.root().join(path), fs::Permissions::from_mode(mode)).expect("permissions");
        };
        for (path, normal, others) in
            [("a.c", 0o644, &[0o000, 0o200][..]), ("b", 0o755, &[0o000, 0o400, 0o600, 0o100]), ("b/d", 0o755, &[0o000])]
        {
            for mode in others {
                for mode in [*mode, normal] {
                    set(path, mode);
                    for round in 0..3 {
                        rig.assert_same(&rig.options("gamma"), &format!("{path} {mode:o} {round} {watch}"));
                        rig.contents.wait();
                    }
                }
            }
        }
    }
}

/// The search for ignored files that follows an empty result would otherwise fill the index with them.
#[test]
fn a_search_of_other_files_of_the_tree_uses_the_index_and_adds_nothing() {
    let rig = Rig::new(POLICY);
    let ignored = |options: GrepOptions| {
        let mut options = options;
        options.scope.use_gitignore = false;
        options
    };
    for (path, text) in [(".ignore", "out/\n"), ("a.c", "alpha\n"), ("b/c.c", "beta\n"), ("out/d.c", "gamma\n")] {
        rig.write(path, text.as_bytes());
    }
    rig.settle();
    // Neither list of files was searched twice.
    for options in [rig.options("absent"), ignored(rig.options("absent"))] {
        rig.grep(&options);
        rig.contents.wait();
        assert_eq!(rig.contents.stats().off, Some(IndexOff::NotUsed));
    }
    rig.index();
    assert_eq!((rig.contents.stats().files, rig.contents.stats().indexed), (3, 3));
    for _ in 0..3 {
        let outcome = rig.assert_same(&ignored(rig.options("gamma")), "ignored files too");
        assert_eq!((outcome.total, outcome.files_excluded, outcome.files_opened), (1, 3, 1));
        rig.contents.wait();
        assert_eq!(rig.contents.stats().files, 3);
    }
}
