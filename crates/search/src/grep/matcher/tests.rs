use cairn_cancel::Stopped;
use proptest::prelude::*;

use super::*;

#[test]
fn a_text_that_every_match_contains_is_searched_first() {
    for (pattern, ignore_case, required) in [
        (r"static\s+int\s+\w+_probe\(", false, Some("_probe(")),
        ("(abc)+x?", false, Some("abc")),
        ("(abc)*xy", false, Some("xy")),
        ("abc|abd", false, None),
        ("(?i)abc.", false, None),
        ("abc.", true, None),
        (r"\w+", false, None),
        // Nothing else than a string.
        ("abc", false, None),
    ] {
        let compiled =
            Compiled::new(&GrepOptions { ignore_case, ..GrepOptions::new(pattern, ".") }, &CancelToken::new());
        let compiled = compiled.expect("an expression");
        let found = compiled.required().map(|required| String::from_utf8_lossy(required.needle()));
        assert_eq!(found.as_deref(), required, "{pattern}");
    }
}

fn compile(pattern: &str) -> Result<(RegexEngine, Option<String>), SearchError> {
    let compiled = Compiled::new(&GrepOptions::new(pattern, "."), &CancelToken::new())?;
    Ok((compiled.engine(), compiled.searched().map(ToOwned::to_owned)))
}

#[test]
fn n66_patterns_of_language_models_get_the_right_engine() {
    use RegexEngine::{Literal, Pcre2, Regex};
    for (reason, pattern, engine, repaired) in [
        ("a valid pattern is left alone", r"a{2,3}b", Regex, None),
        ("a brace after a word", "interface {", Regex, Some(r"interface \{")),
        ("template syntax", "${name}", Regex, Some(r"\$\{name\}")),
        ("a method of jQuery or Angular", "$scope.$apply(", Regex, Some(r"\$scope.\$apply\(")),
        ("a call of a variable", "$(document).ready(", Regex, Some(r"\$\(document\).ready\(")),
        ("a shell function", "a ^ b(", Regex, Some(r"a \^ b\(")),
        ("a function without parameters", "function() {", Regex, Some(r"function\(\) \{")),
        ("a function with parameters", "foo(a) {", Regex, Some(r"foo\(a\) \{")),
        ("an expression among text", r"def \w+(self) {", Regex, Some(r"def \\w\+\(self\) \{|(?:def \w+\(self\) \{)")),
        ("a group that is an expression", r"class (\w+) {", Regex, Some(r"class \(\\w\+\) \{|(?:class (\w+) \{)")),
        ("a group with alternatives", "(if|for) {", Regex, Some(r"\(if\|for\) \{|(?:(if|for) \{)")),
        ("an anchor", "^foo(", Regex, Some(r"\^foo\(|(?:^foo\()")),
        ("an anchor at the end", "foo($", Regex, Some(r"foo\(\$|(?:foo\($)")),
        (
            "a class that may be an index",
            "map[string]interface{}",
            Regex,
            Some(r"map\[string\]interface\{\}|(?:map[string]interface\{\})"),
        ),
        (
            "braces of an object, a quantifier next to them",
            r"\w{3} = {}",
            Regex,
            Some(r"\\w\{3\} = \{\}|(?:\w{3} = \{\})"),
        ),
        ("a quantifier backwards", "x = {2,1}", Regex, Some(r"x = \{2,1\}")),
        ("a brace at the beginning", "{foo", Regex, Some(r"\{foo")),
        ("a call that is not closed", "foo(", Regex, Some(r"foo\(")),
        ("a group that was never opened", "bar)", Regex, Some(r"bar\)")),
        ("brackets that the builder's own would balance", "a)b(", Regex, Some(r"a\)b\(")),
        ("one of two is closed", "if (a(b)", Regex, Some(r"if \(a\(b\)")),
        ("an index that is not closed", "a[i", Regex, Some(r"a\[i")),
        ("braces in a class are literal anyway", "foo([{]", Regex, Some(r"foo\(\[\{\]|(?:foo\([{])")),
        ("an index", "list[n-1]", Literal, None),
        ("an empty alternative", "if (a||b) {", Literal, None),
        ("alternatives that are not closed", "foo(bar|", Literal, None),
        ("more of them", "if (a | b", Literal, None),
        ("an alternative without a literal character", r"\d|{", Literal, None),
        ("a name that is not closed", "(?<name>", Literal, None),
        ("flags that are not closed", "(?i", Literal, None),
        ("a negative look-ahead that is not closed", "(?!foo", Literal, None),
        ("a parenthesis that would be repeated", "(*", Literal, None),
        ("more of it", "foo(*p", Literal, None),
        ("a shell's glob", "*.ts", Literal, None),
        ("an increment", "++j", Literal, None),
        ("an increment in a call", "f(++j)", Literal, None),
        ("a path of Windows", r"C:\path", Literal, None),
        ("another one", r"C:\2024\in", Literal, None),
        ("a backslash at the end", r"C:\", Literal, None),
        ("an unknown escape", r"ab\i", Literal, None),
        ("nothing to repeat", "ab|*c", Literal, None),
        ("nothing else helps", ")|*x", Literal, None),
        ("a comment at the end", "(?x)foo # ) bar", Regex, None),
        ("Rust's own repetition of a repetition", "a++", Regex, None),
        ("look-ahead", "a(?=b)", Pcre2, None),
        ("negative look-ahead", "a(?!b)", Pcre2, None),
        ("look-behind", "(?<=a)b", Pcre2, None),
        ("negative look-behind", "(?<!a)b", Pcre2, None),
        ("look-behind of several lengths", "(?<=a|bcd)e", Pcre2, None),
        ("a back-reference", r"(a)\1", Pcre2, None),
        ("a back-reference in braces", r"(a)\g{1}", Pcre2, None),
        ("one counted back", r"(a)\g{-1}", Pcre2, None),
        ("one by name, as Python", "(?P<n>a)(?P=n)", Pcre2, None),
        ("one by name, as Perl", r"(?<n>a)\k<n>", Pcre2, None),
        ("one by name, in braces", r"(?<n>a)\k{n}", Pcre2, None),
        ("a possessive group of PCRE2", "(?>a+)b", Pcre2, None),
        ("recursion", r"\((?:[^()]|(?0))*\)", Pcre2, None),
        ("in Rust, carriage returns before line breaks; in PCRE2, recursion", "(?R)a$", Regex, None),
        ("a subroutine", "(?<n>a|b)(?&n)", Pcre2, None),
        ("a condition", "(a)?(?(1)b|c)", Pcre2, None),
        ("a reset of the match", r"foo\Kbar", Pcre2, None),
        ("horizontal white space", r"a\hb", Pcre2, None),
        ("any line break", r"a\R?", Pcre2, None),
        ("a quoted part", r"\Qa.b\E", Pcre2, None),
        ("the end but for a line break", r"a\Z", Pcre2, None),
        ("a branch reset", "(?|(a)|(b))", Pcre2, None),
        ("verbs", "a(*SKIP)(*FAIL)|b", Pcre2, None),
        ("a comment", "a(?#why)b", Pcre2, None),
        ("a brace next to look-around", "interface (?=I) {", Pcre2, None),
        ("an unclosed call next to look-around", "(?<=a)foo(", Pcre2, Some(r"\(\?<=a\)foo\(|(?:(?<=a)foo\()")),
        ("look-around that is not closed", "foo(?=bar", Pcre2, Some("foo(?=bar)")),
        ("look-ahead for nothing", "foo(?!", Pcre2, Some("foo(?!)")),
        ("a group that is not closed", "foo(?:bar", Regex, Some("foo(?:bar)")),
        ("a quantifier backwards after look-around", "(?=é)a{2,1}", Pcre2, Some(r"\(\?=é\)a\{2,1\}|(?:(?=é)a\{2,1\})")),
        ("a reference in a repaired pattern", r"(a|b)\1(", Pcre2, Some(r"\(a\|b\)\\1\(|(?:(a|b)\1\()")),
        ("nothing helps look-around", "(?<=a+)b)", Literal, None),
    ] {
        let done = compile(pattern).unwrap_or_else(|error| panic!("{reason}: {pattern}: {error}"));
        assert_eq!(done, (engine, repaired.map(ToOwned::to_owned)), "{reason}: {pattern}");
    }
}

#[test]
fn n66_a_pattern_that_is_invalid_for_every_engine_is_refused_with_its_offset() {
    for (reason, pattern, expected) in [
        ("a class backwards", "x [z-a]", Some(3)),
        ("an unknown property", r"a\p{Nothing}", Some(1)),
        ("a reference to no group", r"(a)\2", Some(4)),
        ("look-behind without a bound", "(?<=a+)b", Some(0)),
        ("a line break without multiline", r"a\nb", Some(1)),
        ("a line break next to look-around", r"(?=a)\w\nb", Some(7)),
        ("a line break in a class", r"ab[\n]", Some(3)),
        ("a line break as white space that counts", "(?x) # \n a[\\n]b", Some(11)),
        ("a NUL", r"a|b\x00", Some(3)),
        ("a NUL as it is", "a\0b", Some(1)),
        ("a NUL in a class", "(?x) a [\0]", Some(8)),
        ("a pattern too large", r"\w{1000}{1000}", Some(0)),
        ("a pattern too long", &"é".repeat(33_000), Some(1 << 16)),
        ("options of PCRE2 at the start", "(*CRLF)foo$(?=)", Some(6)),
        ("more of them", "(*UTF)(*LIMIT_MATCH=1)foo(?=)", Some(5)),
        ("one for the whole program", "(*NO_JIT)foo(?=)", Some(8)),
    ] {
        match compile(pattern) {
            Err(SearchError::InvalidRegex { offset, .. }) => assert_eq!(offset, expected, "{reason}: {pattern}"),
            other => panic!("{reason}: {pattern} gave {other:?}"),
        }
    }
}

#[test]
fn n66_a_literal_text_with_a_nul_or_a_line_break_is_refused_with_its_offset() {
    for (pattern, place) in [("a(\0b", 2), ("\\\n", 1)] {
        let options = GrepOptions { literal: true, ..GrepOptions::new(pattern, ".") };
        match Compiled::new(&options, &CancelToken::new()) {
            Err(SearchError::InvalidRegex { offset, .. }) => assert_eq!(offset, Some(place), "{pattern:?}"),
            other => panic!("{pattern:?} gave {other:?}"),
        }
    }
    let options = GrepOptions::new("[^\0]", ".");
    assert!(Compiled::new(&options, &CancelToken::new()).is_ok(), "no NUL is what every text has");
}

#[test]
fn n66_an_optional_line_break_is_left_to_pcre2() {
    for pattern in [
        r"a(?!\n)",
        r"(?<!\n)a",
        r"(a)\1[^\n]",
        r"(?=a)\\n",
        "(?x)foo\n(?=\\ bar)",
        "(?ix:foo\n(?=\\ bar))",
        r"(\r|\n)(?!x)",
        r"(?=f)foo\n?",
        r"(?=f)foo\n{0,1}",
        r"(?=f)foo|\n",
        r"(?=a)\Qa{b\n\E",
        "(?=a)a(?#\n)",
        r"(?=a)\c\n",
        r"(?=a)[\c]\n]",
        r"(?=a)a(*ACCEPT)\n",
    ] {
        assert_eq!(compile(pattern).expect(pattern).0, RegexEngine::Pcre2, "{pattern}");
    }
}

#[test]
fn n08_building_a_large_program_can_be_cancelled() {
    let timed_out = CancelToken::new().with_timeout(std::time::Duration::ZERO);
    for pattern in [r"\w{200}{20}", "a(?=b)", "a(?=b"] {
        let error = Compiled::new(&GrepOptions::new(pattern, "."), &timed_out).err();
        assert_eq!(error.and_then(|error| error.stopped()), Some(Stopped::TimedOut), "{pattern}");
    }
}

proptest! {
    #[test]
    fn n66_no_pattern_panics_and_a_refusal_points_into_it(
        pattern in proptest::collection::vec(
            prop_oneof![
                proptest::sample::select(PIECES).prop_map(ToOwned::to_owned),
                any::<char>().prop_map(String::from),
            ],
            0..12,
        ).prop_map(|pieces| pieces.concat()),
        multiline in any::<bool>(),
        literal in any::<bool>(),
    ) {
        let options = GrepOptions { literal, multiline, ..GrepOptions::new(pattern.as_str(), ".") };
        if let Err(SearchError::InvalidRegex { offset, .. }) = Compiled::new(&options, &CancelToken::new()) {
            prop_assert!(offset.is_some_and(|offset| pattern.is_char_boundary(offset)), "{pattern:?}: {offset:?}");
        }
    }
}

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{2}",
    "{,3}",
    "*",
    "+",
    "?",
    "|",
    "^",
    "$",
    ".",
    "\\",
    "-",
    "&&",
    "(?=",
    "(?<!",
    "(?<=",
    "(?:",
    "(?P<n>",
    "(?P=n)",
    "(?R)",
    "(?1)",
    "(?(1)",
    "(?>",
    "(?|",
    "(?#",
    "(?i)",
    "(?x)",
    "(*",
    "(*ACCEPT)",
    "(*UTF)",
    r"\1",
    r"\g{1}",
    r"\k<n>",
    r"\K",
    r"\R",
    r"\Q",
    r"\E",
    r"\p{L}",
    r"\x{",
    r"\n",
    r"\b",
    "[:alpha:]",
    "a",
    "é",
    "\n",
    "\0",
];
