use super::*;

fn hides(rules: &[u8], path: &[u8], is_dir: bool) -> Option<bool> {
    decide(rules, path, is_dir, false)
}

fn decide(rules: &[u8], path: &[u8], is_dir: bool, ignore_case: bool) -> Option<bool> {
    let name_start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let subject = Subject { path, name_start, name_mask: mask_of(&path[name_start..]), is_dir };
    Globs::parse(rules, ignore_case).hides(subject)
}

#[test]
fn the_last_rule_that_matches_decides() {
    let rules = b"*.o\n!keep.o\n/keep.o/\n";
    for (path, is_dir, expected) in [
        (&b"a.o"[..], false, Some(true)),
        (b"keep.o", false, Some(false)),
        (b"keep.o", true, Some(true)),
        (b"x/keep.o", true, Some(false)),
        (b"a.c", false, None),
    ] {
        assert_eq!(hides(rules, path, is_dir), expected, "{}", String::from_utf8_lossy(path));
    }
}

#[test]
fn two_stars_after_a_literal_start_match_across_slashes() {
    for (rule, path, expected) in [
        (&b"a**/b"[..], &b"ax/y/b"[..], Some(true)),
        (b"a**/b", b"ab", Some(true)),
        (b"x/a**", b"x/ab/c", Some(true)),
        (b" **/**", b" a", Some(true)),
        (b"a**//", b"a", Some(true)),
        // Not after another wildcard.
        (b"?**/b", b"ax/y/b", None),
        (b"a**b", b"x/ab", Some(true)),
    ] {
        assert_eq!(hides(rule, path, true), expected, "{}", String::from_utf8_lossy(rule));
    }
}

#[test]
fn a_bracket_and_a_colon_in_a_class_are_characters() {
    for (rule, path, expected) in
        [(&b"[[:]*[[.a.]]"[..], &b"[a]"[..], Some(true)), (b"[[:]*b", b":ab", Some(true)), (b"[[:]*b", b"aab", None)]
    {
        assert_eq!(hides(rule, path, false), expected, "{}", String::from_utf8_lossy(rule));
    }
}

#[test]
fn to_ignore_case_is_to_fold_the_path_and_the_plain_letters_of_a_rule() {
    for (rule, hidden, shown) in [
        (&b"Foo"[..], &b"foo FOO"[..], &b""[..]),
        (b"*.O", b"a.o a.O", b""),
        (b"Ba[r]", b"bar BAR", b""),
        (b"Ba[R]", b"", b"bar BAR baR"),
        (b"x\\A", b"", b"xa xA XA"),
        (b"x\\a", b"xa xA XA", b""),
        (b"[b-a]", b"b B", b"a A c"),
        (b"[b-A]", b"b B", b"a A c"),
        (b"[!b-a]", b"a A c", b"b B"),
        (b"[A]", b"", b"a A"),
        (b"[!A]", b"a A b", b""),
        (b"[A-Z]", b"a A m z", b"_ 1"),
        (b"[^a-z]", b"_ 1", b"a A z"),
        (b"[Z-a]", b"a A z Z _", b"m M"),
        (b"[A-z]", b"a A z _ [", b"1"),
        (b"[_-C]", b"_", b"a d z"),
        (b"[a\\A-C]", b"a b c A B", b"d"),
        (b"[[:upper:]]", b"a A", b"1"),
        (b"[[:lower:]]", b"a A", b"1"),
        (b"[[:UPPER:]]", b"", b"a A"),
    ] {
        for (paths, expected) in [(hidden, Some(true)), (shown, None)] {
            for path in paths.split(|&byte| byte == b' ').filter(|path| !path.is_empty()) {
                let texts = [rule, path].map(String::from_utf8_lossy);
                assert_eq!(decide(rule, path, false, true), expected, "{texts:?}");
            }
        }
    }
}

#[test]
fn a_line_is_parsed_as_git_parses_it() {
    for (reason, line, rule) in [
        ("a comment", &b"# foo"[..], None),
        ("an empty line", b"", None),
        ("a negation of nothing", b"!", None),
        ("a slash alone", b"/", None),
        ("spaces alone", b"   ", None),
        ("trailing whitespace is removed", b"foo  ", Some("foo")),
        ("escaped trailing whitespace stays", b"foo\\  ", Some("foo\\ ")),
        ("a space after an escaped backslash is removed", b"foo\\\\ ", Some("foo\\\\")),
        ("a tab stays", b"foo\t", Some("foo\t")),
        ("a carriage return is removed", b"foo\r", Some("foo")),
        ("a NUL ends the line", b"foo\0bar", Some("foo")),
        ("a negation of a directory at the top", b"!/foo/", Some("!/foo/")),
        ("an escaped exclamation mark", b"\\!foo", Some("\\!foo")),
        ("the name of a class", b"[[:alpha:][:digit:]]", Some("[[:alpha:][:digit:]]")),
        ("a bracket and a colon in a class", b"[[:]*[[:a]", Some("[:\\[]*[:\\[a]")),
        ("a class that begins with a colon", b"[:]*[]:]", Some("[:]*[:\\]]")),
        ("a range", b"*.[a-cx]", Some("*.[a-cx]")),
        ("a range between escaped characters", b"[\\--\\]!]", Some("[\\!\\--\\]]")),
        ("the start of a reversed range is a member", b"[b-a]", Some("[b]")),
        ("a class that is not closed", b"a[b", None),
        ("a backslash at the end", b"a\\", None),
    ] {
        assert_eq!(parse_line(line, false).map(|rule| rule.pattern.to_string()).as_deref(), rule, "{reason}");
    }
}

#[test]
fn a_prefilter_requires_only_what_a_match_contains() {
    for (rule, required, run, last) in [
        (&b"foo"[..], &b"foo"[..], &b"foo"[..], Some(b'o')),
        (b"*.o", b".o", b".o", Some(b'o')),
        (b"a/b/c?de", b"cde", b"de", Some(b'e')),
        (b"foo/**", b"", b"", None),
        (b"*.asn1.[ch]", b".asn1", b".asn1.", None),
        (b"[ab]c", b"c", b"c", Some(b'c')),
        (b"a[/]b", b"b", b"b", Some(b'b')),
        (b"[x]y/a[bc]d", b"d", b"d", Some(b'd')),
        (b"a]b", b"a]b", b"a]b", Some(b'b')),
        (b"[]a]b", b"b", b"b", Some(b'b')),
        (b"[[:alpha:]]b", b"b", b"b", Some(b'b')),
        (b"a\\*", b"", b"", None),
    ] {
        let expected = Prefilter { mask: mask_of(required), run: run.into(), last };
        assert_eq!(Prefilter::of(rule), expected, "{}", String::from_utf8_lossy(rule));
    }
}
