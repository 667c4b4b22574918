use super::*;

fn is_met(query: &str, path: &str) -> bool {
    let mut line = Line::default();
    line.read(path.trim_end_matches('/').as_bytes(), path.ends_with('/'));
    FzfQuery::parse(query).terms.are_met(&line)
}

#[test]
fn signs_are_conditions_on_the_path() {
    for (query, path, expected) in [
        ("'core", "a/score.c", true),
        ("'core", "a/c_ore.c", false),
        ("'core'", "a/core.c", true),
        ("'core'", "a/x_core_y", true),
        ("'core'", "a/score.c", false),
        ("'core'", "a/corex", false),
        ("^src", "src/a", true),
        ("^src", "a/src", false),
        (".c$", "a.c", true),
        (".c$", "a.cc", false),
        ("src$", "src/", false),
        ("src/$", "src/", true),
        ("^a.c$", "a.c", true),
        ("^a.c$", "b/a.c", false),
        ("!test", "src/a.c", true),
        ("!test", "test/a.c", false),
        ("!^test", "a/test", true),
        ("!^test", "test/a", false),
        ("!.c$", "a.h", true),
        ("!.c$", "a.c", false),
        ("!^a$", "a", false),
        ("!'ab", "a/b", false),
        ("!'ab", "b/a", true),
        ("!'b'", "a/b", false),
        ("!'b'", "a/bc", true),
        (".c$ | .h$", "a.h", true),
        (".c$ | .h$", "a.rs", false),
        ("^a .c$ | .h$", "a.h", true),
        ("^b .c$ | .h$", "a.h", false),
        ("abc | x", "a/b/c", true),
        ("abc | x", "c/b/a", false),
        ("!a | b", "ab", true),
        ("!a | b", "a", false),
        ("'README", "readme", false),
        ("'readme", "README", true),
        ("!README", "readme", true),
        ("'a\\ b", "a b", true),
        ("'a\\ b", "a/b", false),
        ("a\\ b", "a/ /b", true),
        ("a\\ b", "b/ /a", false),
        ("$", "a$b", true),
        ("$", "ab", false),
        ("-", "ab", false),
        ("!", "anything", true),
        ("^", "anything", true),
        ("'", "anything", true),
        ("a |", "bcd", true),
    ] {
        assert_eq!(is_met(query, path), expected, "{query} on {path}");
    }
}
