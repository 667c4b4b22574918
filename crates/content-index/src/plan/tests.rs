use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;

use super::*;

mod random;

const FAMILIES: [Family; 3] = [Family::Folded3, Family::Folded4, Family::Exact4];

fn parse(pattern: &str, ignore_case: bool) -> Hir {
    let parser = ParserBuilder::new().multi_line(true).utf8(false).case_insensitive(ignore_case).build().parse(pattern);
    parser.expect("an expression")
}

/// Returns the grams of a text in one family, window by window.
fn grams_of(text: &[u8], family: Family) -> BTreeSet<Gram> {
    text.windows(family.len()).filter_map(|window| Gram::of(family, window)).collect()
}

/// Returns the smallest sets of grams that meet a condition. Two conditions with the same sets are equivalent.
fn minimal_sets(query: &Query) -> BTreeSet<BTreeSet<Gram>> {
    let sets = match query {
        Query::All => [BTreeSet::new()].into(),
        Query::Gram(gram) => [BTreeSet::from([*gram])].into(),
        Query::Or(parts) => parts.iter().flat_map(minimal_sets).collect(),
        Query::And(parts) => parts.iter().fold(BTreeSet::from([BTreeSet::new()]), |sets, part| {
            let more = minimal_sets(part);
            smallest(&sets.iter().flat_map(|set| more.iter().map(move |other| set | other)).collect())
        }),
    };
    smallest(&sets)
}

/// Returns the sets that contain no other one.
fn smallest(sets: &BTreeSet<BTreeSet<Gram>>) -> BTreeSet<BTreeSet<Gram>> {
    let contains_other = |set: &BTreeSet<Gram>| sets.iter().any(|other| other != set && other.is_subset(set));
    sets.iter().filter(|set| !contains_other(set)).cloned().collect()
}

/// Each row: why, a pattern, and alternatives. A text must have all strings of an alternative.
type Rows<'a> = &'a [(&'a str, &'a str, &'a [&'a [&'a str]])];

const ALL: &[&[&str]] = &[&[]];

fn check(rows: Rows<'_>, ignore_case: bool) {
    for &(reason, pattern, alternatives) in rows {
        for family in FAMILIES {
            let expected = alternatives
                .iter()
                .map(|strings| strings.iter().flat_map(|string| grams_of(string.as_bytes(), family)).collect())
                .collect();
            let query = plan_family(&[parse(pattern, ignore_case)], family);
            let message = format!("{reason}: {pattern:?}, {family:?}: {query:?}");
            assert_eq!(minimal_sets(&query), smallest(&expected), "{message}");
            assert_eq!(query.is_all(), expected.contains(&BTreeSet::new()), "{message}");
            assert!(is_simple(&query), "{message}");
        }
    }
}

/// Whether a condition has the promised form.
fn is_simple(query: &Query) -> bool {
    let (Query::And(parts) | Query::Or(parts)) = query else { return true };
    let is_and = matches!(query, Query::And(_));
    let may_be_inside = |part: &Query| match part {
        Query::All => false,
        Query::Gram(_) => true,
        Query::And(_) => !is_and && is_simple(part),
        Query::Or(inner) => is_and && !inner.is_empty() && is_simple(part),
    };
    let is_distinct = (1..parts.len()).all(|at| !parts[..at].contains(&parts[at]));
    is_distinct && parts.len() != 1 && (!is_and || !parts.is_empty()) && parts.iter().all(may_be_inside)
}

#[test]
fn a_text_needs_the_strings_that_every_match_has() {
    check(
        &[
            ("a string", "PM_RESUME", &[&["PM_RESUME"]]),
            ("in lower case", "schedule_timeout", &[&["schedule_timeout"]]),
            ("a space between words", "return 0", &[&["return 0"]]),
            ("three bytes have one gram", "foo", &[&["foo"]]),
            ("two bytes have none", "ab", ALL),
            ("one character of three bytes", "漢", &[&["漢"]]),
            ("nothing", "", ALL),
            ("anything", ".*", ALL),
            ("a class", r"\w+", ALL),
            ("only spaces", r"\x20{8}", ALL),
            ("spaces before a word", "    foo", &[&["    foo"]]),
            ("alternatives before a string", "(foo|bar)_init", &[&["foo_init"], &["bar_init"]]),
            ("a string before alternatives", "init_(foo|bar)", &[&["init_foo"], &["init_bar"]]),
            ("an alternative without grams", "ab|foobar", ALL),
            ("an alternative that can be anything", r"\w+|foobar", ALL),
            ("alternatives that are not strings", r"foo\w+1|bar\d+2", &[&["foo"], &["bar"]]),
            ("an alternative without grams before a string", r"(?:ab|foobar)\w+_init", &[&["_init"]]),
            ("the end of what can be anything", r"[A-Z]+_SUSPEND\b", &[&["_SUSPEND"]]),
            ("strings apart", r"struct\s+sched_\w+\s*\{", &[&["struct", "sched_"]]),
            ("strings apart that belong together", r"foo\s+bar", &[&["foo", "bar"]]),
            ("a small class", "foo[xy]bar", &[&["fooxbar"], &["fooybar"]]),
            ("a large class", "foo[^x]bar", &[&["foo", "bar"]]),
            ("a class of bytes", r"(?-u:foo[\x01-\x02]bar)", &[&["foo\x01bar"], &["foo\x02bar"]]),
            ("an optional string", "foo(bar)?baz", &[&["foobaz"], &["foobarbaz"]]),
            ("an optional string that is not few", r"foo(?:\w+bar)?baz", &[&["foo", "baz"]]),
            ("a string any number of times", "foo(?:bar)*baz", &[&["foo", "baz"]]),
            ("a string once or more", "x(?:foo)+y", &[&["xfoo", "fooy"]]),
            ("a short string once or more", "x(?:ab)+y", &[&["xab", "aby"]]),
            ("the ends of alternatives", r"(\wfo|\wba)_init", &[&["fo_init"], &["ba_init"]]),
            ("the beginnings of alternatives", r"init_(fo\w|ba\w)", &[&["init_fo"], &["init_ba"]]),
            ("two copies", "(foo){2,}", &[&["foofoo"]]),
            ("two or three copies", "(foo){2,3}x", &[&["foofoo", "foox"]]),
            ("four copies", "a(b){4}c", &[&["abbbbc"]]),
            ("more copies than are planned", "xy(ab){9}z", &[&["xyababab", "ababz"]]),
            ("copies of what is not a string", r"(?:ab\w+cd){2}", &[&["cdab"]]),
            ("anchors", r"^foo\b.*\Bbar$", &[&["foo", "bar"]]),
            ("an anchor in a string", r"foo\bbar", &[&["foobar"]]),
            ("captures", "((f)(o))(o)", &[&["foo"]]),
            ("the end of a line", r"a\nb", ALL),
            ("lines", r"abcd\nefgh", &[&["abcd", "efgh"]]),
            ("several strings over an edge", r"\w(?:a|b)(?:c|d)e", &[&["ace"], &["ade"], &["bce"], &["bde"]]),
            ("over an edge of two that are not strings", r"(\wabx)(ycd\w)", &[&["abxycd"]]),
            ("never", "foo[a&&b]", &[]),
            ("never, or a string", "foo[a&&b]|bar", &[&["bar"]]),
        ],
        false,
    );
}

#[test]
fn a_text_in_any_case_needs_the_strings_and_their_other_cases() {
    check(
        &[
            ("a string", "foo_bar", &[&["foo_bar"]]),
            ("the Kelvin sign", "Kmalloc(?-i:_)", &[&["kmalloc_"], &["\u{212a}malloc_"]]),
            ("the long s", "PM_RESUME", &[&["pm_resume"], &["pm_re\u{17f}ume"]]),
            (
                "both",
                "kiss",
                &[
                    &["kiss"],
                    &["ki\u{17f}s"],
                    &["kis\u{17f}"],
                    &["ki\u{17f}\u{17f}"],
                    &["\u{212a}iss"],
                    &["\u{212a}i\u{17f}s"],
                    &["\u{212a}is\u{17f}"],
                    &["\u{212a}i\u{17f}\u{17f}"],
                ],
            ),
            ("letters of several bytes", "xéy", &[&["xéy"], &["xÉy"], &["XéY"], &["XÉY"], &["Xéy"], &["xÉY"]]),
            ("a part with its case", "(?-i:Foo)b", &[&["Foob"], &["FooB"]]),
            ("only ASCII", "(?-u)kiss", &[&["kiss"]]),
        ],
        true,
    );
    check(&[("a part without its case", "Foo(?i:b)", &[&["Foob"], &["FooB"]])], false);
}

/// Returns the smallest sets for a text that has one of these strings.
fn one_of(strings: impl IntoIterator<Item = Vec<u8>>, family: Family) -> BTreeSet<BTreeSet<Gram>> {
    smallest(&strings.into_iter().map(|string| grams_of(&string, family)).collect())
}

#[test]
fn bytes_that_are_no_characters_are_planned_as_they_are() {
    for family in [Family::Folded3, Family::Folded4] {
        for (pattern, strings) in [
            (r"(?-u:ab\xffcd)", vec![b"ab\xffcd".to_vec()]),
            (r"(?-u:ab[\xc0-\xc1]cd)", vec![b"ab\xc0cd".to_vec(), b"ab\xc1cd".to_vec()]),
        ] {
            let query = plan_family(&[parse(pattern, false)], family);
            assert_eq!(minimal_sets(&query), one_of(strings, family), "{pattern}");
        }
    }
}

#[test]
fn a_long_string_has_its_own_ends() {
    for length in [100, 300] {
        let string = ('a'..='z').chain('0'..='9').cycle().take(length).collect::<String>();
        let whole = format!("vwx{string}yz_").into_bytes();
        for family in FAMILIES {
            let query = plan_family(&[parse(&format!("(vwx)({string})(yz_)"), false)], family);
            assert_eq!(minimal_sets(&query), one_of([whole.clone()], family), "{length} bytes");
        }
    }
}

#[test]
fn a_class_of_up_to_16_folded_members_is_a_set_of_strings() {
    let strings = |letters: std::ops::RangeInclusive<u8>| letters.map(|letter| vec![letter, b'x', b'y', b'z']);
    for family in [Family::Folded3, Family::Folded4] {
        let planned = |pattern: &str| minimal_sets(&plan_family(&[parse(pattern, false)], family));
        assert_eq!(planned("[a-p]xyz"), one_of(strings(b'a'..=b'p'), family));
        assert_eq!(planned("[A-Pa-p]xyz"), one_of(strings(b'a'..=b'p'), family), "letters in both cases count once");
        assert_eq!(planned("[a-q]xyz"), one_of([b"xyz".to_vec()], family));
    }
    let sixteen = minimal_sets(&plan_family(&[parse("[A-Pa-p]xyz", false)], Family::Exact4));
    assert_eq!(sixteen, one_of([Vec::new()], Family::Exact4), "32 members");
}

#[test]
fn up_to_four_copies_are_planned() {
    // The number of copies shows in what they can be.
    let strings = |count: u32| (0..1 << count).map(move |bits| (0..count).map(|at| b'a' + (bits >> at & 1)).collect());
    let family = Family::Folded3;
    for (pattern, copies) in [("[ab]{3}", 3), ("[ab]{3,}", 3), ("[ab]{4}", 4), ("[ab]{4,9}", 4), ("[ab]{9,}", 4)] {
        let query = plan_family(&[parse(pattern, false)], family);
        assert_eq!(minimal_sets(&query), one_of(strings(copies), family), "{pattern}");
    }
}

#[test]
fn a_text_needs_the_condition_of_one_expression() {
    let plan_all = |patterns: &[&str]| {
        plan(&patterns.iter().map(|pattern| parse(pattern, false)).collect::<Vec<_>>(), Detail::Low)
    };
    assert_eq!(plan_all(&[]), Query::Or([].into()), "no expression");
    assert_eq!(plan_all(&["foo[a&&b]"]), Query::Or([].into()), "one that never matches");
    assert_eq!(plan_all(&["foo[a&&b]", "foo"]), plan_all(&["foo"]));
    assert_eq!(plan_all(&["foo", "ab"]), Query::All);
    assert_eq!(
        minimal_sets(&plan_all(&["foo", r"bar\w+"])),
        one_of([b"foo".to_vec(), b"bar".to_vec()], Family::Folded3)
    );
}

#[test]
fn all_families_of_the_index_are_planned() {
    let expression = [parse("PM_RESUME", false)];
    let text = |families: &[Family]| -> BTreeSet<Gram> {
        families.iter().flat_map(|&family| grams_of(b"PM_RESUME", family)).collect()
    };
    assert_eq!(minimal_sets(&plan(&expression, Detail::Full)), [text(&FAMILIES)].into());
    assert_eq!(minimal_sets(&plan(&expression, Detail::Low)), [text(&[Family::Folded3])].into());
}

#[test]
fn a_condition_with_fewer_grams_is_weaker() {
    let gram = |name: &[u8; 3]| Gram::of(Family::Folded3, name).map_or(Query::All, Query::Gram);
    let (a, b, c, d) = (gram(b"aaa"), gram(b"bbb"), gram(b"ccc"), gram(b"ddd"));
    let and = |parts: &[&Query]| Query::and(parts.iter().copied().cloned());
    let or = |parts: &[&Query]| Query::or(parts.iter().copied().cloned());
    for (reason, query, max, expected) in [
        ("small enough", and(&[&a, &b]), 2, and(&[&a, &b])),
        ("the first of several conditions", and(&[&a, &b, &c]), 2, and(&[&a, &b])),
        ("no gram", a.clone(), 0, Query::All),
        ("a share for each alternative", or(&[&and(&[&a, &b]), &and(&[&c, &d])]), 2, or(&[&a, &c])),
        ("too many alternatives", or(&[&a, &b, &c]), 2, Query::All),
        (
            "an alternative with too many alternatives",
            or(&[&a, &and(&[&or(&[&b, &c]), &or(&[&b, &d])])]),
            3,
            Query::All,
        ),
        ("only an alternative that fits", and(&[&or(&[&a, &b]), &c]), 1, c.clone()),
        ("no match", or(&[]), 0, or(&[])),
    ] {
        assert_eq!(query.limited(max), expected, "{reason}");
    }
}

#[test]
fn many_grams_of_the_exact_family_are_left_out() {
    let strings = |count: usize| (0..count).map(|n| format!("{n:03}A")).collect::<Vec<_>>().join("|");
    for (count, is_all) in [(128, false), (129, true)] {
        let query = plan_family(&[parse(&strings(count), false)], Family::Exact4);
        assert_eq!(query.is_all(), is_all, "{count}");
        assert!(!plan_family(&[parse(&strings(count), false)], Family::Folded4).is_all());
    }
}

#[test]
fn the_size_and_the_work_are_bounded() {
    let words = |count: usize| (0..count).map(|n| format!("{}x{n}", n * 7919 % 10_007)).collect::<Vec<_>>().join("|");
    let nested = |inner: &str, open: &str, close: &str| format!("{}{inner}{}", open.repeat(60), close.repeat(60));
    for (reason, pattern, is_all) in [
        ("a long string", "abcdefgh".repeat(8192), false),
        ("many groups", "(a)(b)".repeat(8000), false),
        ("many small classes", "[ab]".repeat(16_384), false),
        ("many classes of 16", "[a-p]".repeat(13_000), true),
        ("many strings apart", r"foo\w+bar[abc]".repeat(4000), false),
        ("many alternatives in a row", "(foo|bar|[xyz]w+)".repeat(3800), false),
        ("few alternatives", words(300), false),
        ("alternatives with too many grams", words(1500), false),
        ("too many alternatives", words(10_000), true),
        ("long alternatives", words(500).replace('x', &"abcdefgh".repeat(5)), false),
        ("too many long alternatives", words(1900).replace('x', &"abcdefgh".repeat(16)), true),
        ("copies of a long row", format!(r"(?:qux{}zzz){{2}}", r"foo\w+bar[abc]".repeat(4000)), false),
        ("nested repetitions", "((a{1,50}){1,50}){1,50}".to_owned(), true),
        ("nested copies", nested("[ab]cd", "(?:", "){2,9}"), false),
        ("nested copies of what is not a string", nested(r"foo\wbar", "(?:", r"\w){4}"), false),
        ("nested alternatives", nested("a", "(?:", r"|[bc]def\w+\d)ghi+"), false),
        ("any case", format!("(?i){}", "skyscraper".repeat(6000)), false),
    ] {
        let expression = [parse(&pattern, false)];
        let query = plan(&expression, Detail::Full);
        if expression[0].properties().minimum_len().is_some_and(|len| len < 100_000) {
            assert!(random::is_candidate(&query, &random::text_that_matches(&expression[0])), "{reason}");
        }
        assert_eq!(query.is_all(), is_all, "{reason}: {} grams", query.grams());
        assert!(query.grams() <= 4096, "{reason}: {} grams", query.grams());
        assert!(is_simple(&query), "{reason}");
        for family in FAMILIES {
            let work = algebra::work(&expression, family);
            assert!(work < 20_000, "{reason}: {work}");
        }
    }
}
