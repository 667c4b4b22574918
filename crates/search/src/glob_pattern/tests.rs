use super::*;
use proptest::prelude::*;

fn compile(pattern: &str, anchoring: Anchoring) -> Result<GlobPattern, SearchError> {
    GlobPattern::compile(pattern, [&PathBuf::from("/root/of/all"), &PathBuf::from("/link")], anchoring)
}

fn matches(pattern: &str, path: &str) -> bool {
    compile(pattern, Anchoring::Recursive).expect(pattern).matches(path.as_bytes())
}

#[test]
fn patterns_match_by_the_rules() {
    for (reason, pattern, path, expected) in [
        ("a bare pattern matches at any depth", "*.c", "a/b/x.c", true),
        ("also at the root", "*.c", "x.c", true),
        ("a pattern with a slash is anchored", "a/*.c", "b/a/x.c", false),
        ("and matches below its directory", "a/*.c", "a/x.c", true),
        ("a star stops at a slash", "a/*.c", "a/b/x.c", false),
        ("a question mark too", "a?b", "a/b", false),
        ("a double star does not", "a/**/x.c", "a/b/c/x.c", true),
        ("and matches nothing at all", "a/**/x.c", "a/x.c", true),
        ("everything below", "a/**", "a/b/c", true),
        ("but not the directory itself", "a/**", "a", false),
        ("a star matches dot names", "*", ".env", true),
        ("case matters", "*.C", "x.c", false),
        ("a class", "[a-c]x", "bx", true),
        ("a negated class", "[!a-c]x", "bx", false),
        ("a negated class does not match a slash", "a[!x]b", "a/b", false),
        ("a class does not make a pattern anchored", "a[!x]b", "d/ayb", true),
        ("a range around the slash does not match it", "a[+-9]b", "a/b", false),
        ("but matches its other members", "a[+-9]b", "a5b", true),
        ("a negated class with brackets and dashes", "a[!]-]b", "a]b", false),
        ("matches everything else", "a[!]-]b", "axb", true),
        ("a brace in a class is a member", "a[{]b", "a{b", true),
        ("a question mark is a character, not a byte", "?.ts", "é.ts", true),
        ("a member of a class is a character too", "[é-ü].ts", "ö.ts", true),
        ("an escaped bracket in a class", r"[\]x]", "]", true),
        ("a class of nothing but a slash matches nothing", "a[/]b", "a/b", false),
        ("a double star in braces", "a/{**,x}/b.c", "a/b.c", true),
        ("at their end", "{**}/b.c", "b.c", true),
        ("braces over directories", "{a,b/c}/x", "b/c/x", true),
        ("alternatives", "*.{ts,tsx}", "a.tsx", true),
        ("one of them empty", "a{,b}", "a", true),
        ("nested ones", "x{a,{b,c}d}", "xcd", true),
        ("a brace that closes nothing is literal", "a}", "a}", true),
        ("an escaped star", r"\*.c", "*.c", true),
        ("is not a star", r"\*.c", "x.c", false),
        ("an empty pattern is a star", "", "a/b", true),
        ("a leading ./ is ignored", "./a/*.c", "a/x.c", true),
        ("but anchors the pattern", "./x.c", "a/x.c", false),
        ("even when that is a star", "./*", "a/x.c", false),
        ("at the root", "././x.c", "x.c", true),
        ("an absolute path matches that path", "/root/of/all/x.c", "x.c", true),
        ("and no other path", "/root/of/all/x.c", "a/x.c", false),
        ("an escaped slash separates", r"a\/x.c", "a/x.c", true),
        ("also after a double star", r"**\/x.c", "x.c", true),
        ("an escaped backslash before a slash does not escape it", r"a\\/x.c", r"a\/x.c", true),
        ("an absolute pattern below the root is relative", "/root/of/all/a/*.c", "a/x.c", true),
        ("the root by another name", "/link/a/*.c", "a/x.c", true),
        ("a double star next to other characters is a star", "**.c", "a/b/x.c", true),
        ("at any depth, like one", "**.c", "x.c", true),
        ("after other characters it stops at a slash", "a/b**", "a/bc/d", false),
        ("and matches in its component", "a/b**", "a/bc", true),
        ("in the middle", "a/b**d", "a/bc/xd", false),
        ("in its component", "a/b**d", "a/bcxd", true),
        ("at the start", "a/**b/c", "a/xb/c", true),
        ("it stays in its component", "a/**b/c", "a/x/b/c", false),
        ("next to braces", "a{**,x}", "ab/c", false),
        ("a POSIX class", "[[:alpha:]]x", "bx", true),
        ("and no other character", "[[:alpha:]]x", "1x", false),
        ("a negated POSIX class", "[![:digit:]_]", "a", true),
        ("with another member", "[![:digit:]_]", "_", false),
        ("two POSIX classes and a range", "[[:upper:][:digit:]a-c]x", "Zx", true),
        ("the range next to them", "[[:upper:][:digit:]a-c]x", "bx", true),
        ("a POSIX class matches no slash", "a[[:punct:]]b", "a/b", false),
        ("an open POSIX class is members", "[[:]x", ":x", true),
        ("two of them", "[[:]x[:]", "[x:", true),
        ("many stars", "a/***", "a/b/c", true),
        ("a literal path", "a/x.c", "a/x.c", true),
        ("is anchored", "a/x.c", "b/a/x.c", false),
        ("a literal name is not", "x.c", "a/x.c", true),
        ("a star alone in braces", "{*.c,*.h}", "a/x.h", true),
        ("a suffix as long as the name", "*.gitignore", ".gitignore", true),
    ] {
        assert_eq!(matches(pattern, path), expected, "{reason}: {pattern} on {path}");
    }
}

#[test]
fn without_recursion_a_bare_pattern_is_anchored() {
    let pattern = compile("*.c", Anchoring::Rooted).expect("a valid pattern");
    assert!(pattern.matches(b"x.c") && !pattern.matches(b"a/x.c"));
    assert_eq!(pattern.scope().max_depth, Some(1));
}

#[test]
fn a_pattern_narrows_the_walk_as_far_as_it_is_literal() {
    for (pattern, prefix, max_depth) in [
        ("a/b/*.c", "a/b", Some(3)),
        ("a/b/**/*.c", "a/b", None),
        ("a/b/x.c", "a/b", Some(3)),
        ("*.c", "", None),
        ("a*/x.c", "", Some(2)),
        ("a/[!b]", "a", Some(2)),
        ("{a,b/c}/x", "", None),
        (r"a\/b/c", "a/b", Some(3)),
    ] {
        let scope = compile(pattern, Anchoring::Recursive).expect(pattern).scope();
        let names: Vec<&str> = scope.prefix.iter().filter_map(|name| std::str::from_utf8(name).ok()).collect();
        assert_eq!((names.join("/").as_str(), scope.max_depth), (prefix, max_depth), "{pattern}");
    }
}

#[test]
fn patterns_that_cannot_match_below_the_root_are_refused() {
    for (reason, pattern) in [
        ("an unclosed class", "a[b"),
        ("an unclosed brace", "*.{ts,tsx"),
        ("one of two", "{a,{b}"),
        ("a range backwards", "[z-a]"),
        ("an unknown POSIX class", "[[:word:]]"),
        ("a collating element", "[[.a.]]"),
        ("an equivalence class", "[[=a=]]"),
        ("a POSIX class with single brackets", "[:alpha:]"),
        ("the root itself", "."),
        ("the root below the root", "./."),
        ("an extended glob", "!(a)"),
        ("a range of numbers", "{1..3}"),
        ("a home directory", "~/x"),
        ("an escape of nothing", "a\\"),
        ("more alternatives than can be matched", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
        ("another root", "/elsewhere/*.c"),
        ("a sibling of the root with the same beginning", "/root/of/all-else/*.c"),
        ("out of the root", "../*.c"),
        ("out of the root on the way", "a/../../x"),
    ] {
        let result = compile(pattern, Anchoring::Recursive);
        assert!(matches!(result, Err(SearchError::InvalidGlob { .. })), "{reason}: {pattern} gave {result:?}");
    }
}

#[test]
fn a_final_slash_matches_only_directories() {
    for (pattern, expected) in [("src/", true), ("src", false), (r"src\/", true), (r"src\\/", true), (r"src\\", false)]
    {
        let compiled = compile(pattern, Anchoring::Recursive).expect("a valid pattern");
        assert_eq!(compiled.only_directories(), expected, "{pattern}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// The shortcuts agree with the glob engine they bypass.
    #[test]
    fn direct_tests_match_what_the_regular_expression_matches(
        pattern in "(a/|b\\.c/|\\*\\*/){0,2}(\\*\\*|\\*|a|\\*?\\.c|\\*\\.\\{c,d\\}|a\\*|x\\{c,d\\})",
        path in "(a|b\\.c|x){0,1}(/(a|b\\.c|x)){0,3}(/(a|x|\\.c|b\\.d|xc))?",
    ) {
        let path = path.trim_start_matches('/');
        prop_assume!(!path.is_empty());
        let compiled = compile(&pattern, Anchoring::Recursive).expect("a valid pattern");
        let engine_pattern = if pattern.contains('/') || pattern.starts_with("**") { pattern.clone() } else { format!("**/{pattern}") };
        let engine = globset::GlobBuilder::new(&engine_pattern)
            .literal_separator(true)
            .empty_alternates(true)
            .build()
            .expect("a valid pattern")
            .compile_matcher();
        prop_assert_eq!(compiled.matches(path.as_bytes()), engine.is_match(path), "{} on {}", pattern, path);
        if compiled.matches(path.as_bytes()) {
            let depth = path.split('/').count();
            prop_assert!(compiled.scope().max_depth.is_none_or(|max| depth <= max));
        }
    }

    #[test]
    fn any_text_compiles_or_is_refused(pattern in "[\\[\\]{}!^,*?/\\\\a.-]{0,12}") {
        let _ = compile(&pattern, Anchoring::Recursive);
    }
}

proptest! {
    /// Against the paths one by one.
    #[test]
    fn selecting_many_paths_gives_the_paths_that_match_by_themselves(
        pattern in prop_oneof![
            Just("**/*.c"), Just("a/**/*.c"), Just("**/*"), Just("**/*c"), Just("**/*bc.abcab"), Just("**/*c.abcabc"),
            Just("*.{c,abc}"), Just("a/*.c"), Just("**/a.c"), Just("a/**"), Just("a/?.c"), Just("**/a/*.c"),
        ],
        mut paths in proptest::collection::vec("(a/){0,2}[abc.]{1,10}", 0..40),
    ) {
        let pattern = compile(pattern, Anchoring::Recursive).unwrap();
        paths.retain(|path| path.as_bytes().starts_with(pattern.prefix()));
        let arena = paths.concat();
        let mut end = 0;
        let spans: Vec<_> = paths
            .iter()
            .map(|path| {
                end += path.len();
                end - path.len()..end
            })
            .collect();
        let mut selected = vec![99];
        pattern.select(arena.as_bytes(), spans.into_iter(), 7, true, &mut selected);
        let matching = (7..).zip(&paths).filter(|(_, path)| pattern.matches(path.as_bytes()));
        let expected: Vec<u32> = std::iter::once(99).chain(matching.map(|(number, _)| number)).collect();
        prop_assert_eq!(selected, expected, "{:?}", paths);
    }
}
