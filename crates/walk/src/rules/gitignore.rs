//! The lines of an ignore file as rules, as gitignore(5) and git's `dir.c` read them.
//!
//! `gix-glob` matches the glob of a rule; it is a port of git's `wildmatch.c`. A prefilter avoids most of its calls:
//! for nearly every name, a rule is ruled out by the characters that a match must contain, or by the last one.
//! [`glob_for_wildmatch`] rewrites the globs that the port reads otherwise than git.
//!
//! `gix-ignore` 0.24, which builds on `gix-glob` too, is not used. It has no prefilter: the 161 lines of the Linux
//! sources' `.gitignore` against their 83,759 paths take it 154 ms, and this module 8 ms. Its line parser differs from
//! `git check-ignore` where this one does not: `a**/b` does not match `ax/y/b`, and a NUL, a tab, `a**//`, a class with
//! `[:` or `[.`, and a carriage return at the end of the file are read differently. It also has no `.ignore` files and no
//! per-directory layers: its `Search` is one list of files for one repository, so listing one directory again would have
//! to rebuild the list. docs/design/walking.md has the comparison.

use gix_glob::pattern::Mode;
use gix_glob::{Pattern, wildmatch};

use class::Class;

/// The rules of one file.
#[derive(Debug)]
pub(crate) struct Globs {
    /// Whether the case of ASCII letters does not matter.
    ignore_case: bool,
    rules: Box<[Rule]>,
    /// For each last byte of a name, the number of the list in `with_last_byte` to try; 0 for none.
    by_last_byte: Box<[u8; 256]>,
    /// The rules that require a certain last byte, by that byte. The last rule comes first.
    with_last_byte: Vec<Vec<Candidate>>,
    /// The rules that accept any last byte. The last rule comes first.
    with_any: Vec<Candidate>,
}

/// The index of a rule, next to the test that rules it out most often.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The mask of its [`Prefilter`].
    mask: u64,
    rule: u32,
}

#[derive(Debug)]
struct Rule {
    prefilter: Prefilter,
    pattern: Pattern,
}

/// What the last component of every path that a pattern matches must contain. A weaker condition is always correct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Prefilter {
    /// Characters that occur; see [`mask_of`].
    mask: u64,
    /// Characters that occur next to each other.
    run: Box<[u8]>,
    /// The last byte.
    last: Option<u8>,
}

/// A path relative to the directory of an ignore file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) path: &'a [u8],
    /// Where the last component begins.
    pub(crate) name_start: usize,
    /// [`mask_of`] the last component.
    pub(crate) name_mask: u64,
    pub(crate) is_dir: bool,
}

/// Returns which characters occur, folded into 64 bits. A letter has one bit for both cases.
pub(crate) fn mask_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |mask, byte| mask | 1 << (byte.to_ascii_lowercase() & 63))
}

impl Globs {
    /// Reads the contents of an ignore file.
    pub(crate) fn parse(contents: &[u8], ignore_case: bool) -> Self {
        let contents = contents.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(contents);
        let lines = contents.split(|&byte| byte == b'\n');
        let rules: Box<[Rule]> = lines.filter_map(|line| parse_line(line, ignore_case)).collect();
        let mut by_last_byte = Box::new([0; 256]);
        let (mut with_last_byte, mut with_any) = (Vec::<Vec<Candidate>>::new(), Vec::new());
        for (index, rule) in rules.iter().enumerate().rev() {
            let candidate = Candidate { mask: rule.prefilter.mask, rule: index as u32 };
            let Some(last) = rule.prefilter.last else {
                with_any.push(candidate);
                continue;
            };
            let last = if ignore_case { last.to_ascii_lowercase() } else { last };
            let number = &mut by_last_byte[usize::from(last)];
            if *number == 0 {
                with_last_byte.push(Vec::new());
                // A line has no NUL and no line feed, so there are at most 254 lists.
                *number = with_last_byte.len() as u8;
            }
            with_last_byte[usize::from(*number) - 1].push(candidate);
        }
        if ignore_case {
            by_last_byte.copy_within(usize::from(b'a')..=usize::from(b'z'), usize::from(b'A'));
        }
        Self { ignore_case, rules, by_last_byte, with_last_byte, with_any }
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let candidates: usize = self.with_last_byte.iter().chain([&self.with_any]).map(Vec::capacity).sum();
        let texts: usize = self.rules.iter().map(|rule| rule.pattern.text.capacity() + rule.prefilter.run.len()).sum();
        let lists = candidates * size_of::<Candidate>();
        size_of::<Self>() + size_of_val(&*self.by_last_byte) + size_of_val(&*self.rules) + lists + texts
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the decision of the last rule that matches: `Some(true)` hides. `None` when no rule matches.
    pub(crate) fn hides(&self, subject: Subject<'_>) -> Option<bool> {
        let last = *subject.path.last()?;
        let number = usize::from(self.by_last_byte[usize::from(last)]);
        let with_last_byte = number.checked_sub(1).map_or(&[][..], |at| &self.with_last_byte[at]);
        let found = self.first_of(with_last_byte, subject);
        let after = found.map_or(0, |found| found + 1);
        let later = self.with_any.partition_point(|candidate| candidate.rule >= after);
        let found = self.first_of(&self.with_any[..later], subject).or(found)?;
        Some(!self.rules[found as usize].pattern.is_negative())
    }

    /// Returns the first of `candidates` that matches.
    fn first_of(&self, candidates: &[Candidate], subject: Subject<'_>) -> Option<u32> {
        let name = &subject.path[subject.name_start..];
        let absent = !subject.name_mask;
        let matching = |candidate: &&Candidate| {
            candidate.mask & absent == 0 && {
                let Rule { prefilter, pattern } = &self.rules[candidate.rule as usize];
                prefilter.accepts(name, self.ignore_case) && matches(pattern, subject, self.ignore_case)
            }
        };
        candidates.iter().find(matching).map(|candidate| candidate.rule)
    }
}

impl Prefilter {
    fn of(text: &[u8]) -> Self {
        // A pattern that ends with two stars matches any number of further components.
        if text.contains(&b'\\') || text.ends_with(b"**") {
            return Self::default();
        }
        let open = text.iter().position(|&byte| byte == b'[').unwrap_or(text.len());
        let (before, class) = text.split_at(open);
        // A slash in a class separates nothing, and a later one may be anywhere. Then only the end is certain.
        let component = before.rsplit(|&byte| byte == b'/').next().filter(|_| !class.contains(&b'/'));
        let end = class.rsplit(|&byte| byte == b'/' || byte == b']').next().filter(|end| !end.contains(&b'['));
        let runs = component.into_iter().chain(end).flat_map(|text| text.split(|byte| b"*?".contains(byte)));
        let run = runs.clone().max_by_key(|run| run.len()).unwrap_or_default();
        Self {
            mask: runs.fold(0, |mask, run| mask | mask_of(run)),
            run: run.into(),
            last: text.last().copied().filter(|byte| !b"*?]/".contains(byte)),
        }
    }

    /// Whether `name`, which contains the characters of the mask, also contains the run.
    fn accepts(&self, name: &[u8], ignore_case: bool) -> bool {
        // A single character is in the mask.
        let [first, second, rest @ ..] = &*self.run else { return true };
        let mut windows = name.windows(self.run.len());
        if ignore_case {
            return windows.any(|window| window.eq_ignore_ascii_case(&self.run));
        }
        windows.any(|window| window[0] == *first && window[1] == *second && window[2..] == *rest)
    }
}

fn matches(pattern: &Pattern, subject: Subject<'_>, ignore_case: bool) -> bool {
    if pattern.mode.contains(Mode::MUST_BE_DIR) && !subject.is_dir {
        return false;
    }
    let anywhere = pattern.mode.contains(Mode::NO_SUB_DIR) && !pattern.mode.contains(Mode::ABSOLUTE);
    let from = if anywhere { subject.name_start } else { 0 };
    let value = &subject.path[from..];
    let mut mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
    mode.set(wildmatch::Mode::IGNORE_CASE, ignore_case);
    match pattern.first_wildcard_pos {
        // git compares a path up to the first wildcard and matches the rest as a separate glob. So `a**/b` is an `a`,
        // then `**/b`, and matches across slashes.
        Some(at) if !anywhere && at > 0 => {
            let (start, glob) = pattern.text.split_at(at);
            let Some((beginning, rest)) = value.split_at_checked(at) else { return false };
            let begins = if ignore_case { beginning.eq_ignore_ascii_case(start) } else { beginning == start };
            begins && gix_glob::wildmatch(glob.into(), rest.into(), mode)
        }
        _ => pattern.matches(value.into(), mode),
    }
}

/// Parses a line without its line feed. Returns `None` when it contains no rule, or one that never matches.
fn parse_line(line: &[u8], ignore_case: bool) -> Option<Rule> {
    // For git, a NUL ends the line.
    let line = line.split(|&byte| byte == 0).next().unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.starts_with(b"#") {
        return None;
    }
    let line = trim_trailing_blanks(line);
    let (text, mut mode) = match line.strip_prefix(b"!") {
        Some(text) => (text, Mode::NEGATIVE),
        None => (line, Mode::empty()),
    };
    let text = match text.strip_suffix(b"/") {
        Some(text) => {
            mode |= Mode::MUST_BE_DIR;
            text
        }
        None => text,
    };
    let text = match text.strip_prefix(b"/") {
        Some(text) => {
            mode |= Mode::ABSOLUTE;
            text
        }
        None => text,
    };
    if text.is_empty() {
        return None;
    }
    if !text.contains(&b'/') {
        mode |= Mode::NO_SUB_DIR;
    }
    let wildcard = |text: &[u8]| text.iter().position(|byte| b"*?[\\".contains(byte));
    if text.strip_prefix(b"*").is_some_and(|rest| wildcard(rest).is_none()) {
        mode |= Mode::ENDS_WITH;
    }
    let glob = glob_for_wildmatch(text, ignore_case)?;
    let pattern = Pattern { text: glob.into(), mode, first_wildcard_pos: wildcard(text) };
    Some(Rule { prefilter: Prefilter::of(text), pattern })
}

/// Rewrites a glob so that `gix-glob` matches what git matches. Returns `None` for a glob that git never matches.
///
/// To ignore case, git folds the path and the letters of the glob that stand alone, but neither an escaped letter nor
/// the members of a class. `gix-glob` folds the whole glob.
pub(super) fn glob_for_wildmatch(glob: &[u8], ignore_case: bool) -> Option<Vec<u8>> {
    let mut rewritten = Vec::with_capacity(glob.len());
    let mut rest = glob;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'[' => {
                let class;
                (class, rest) = Class::parse(after, ignore_case)?;
                class.write(&mut rewritten);
            }
            b'\\' => {
                let (&escaped, after) = after.split_first()?;
                if ignore_case && escaped.is_ascii_uppercase() {
                    return None;
                }
                rewritten.extend([byte, escaped]);
                rest = after;
            }
            _ => rewritten.push(byte),
        }
    }
    Some(rewritten)
}

/// Removes trailing whitespace, except those that a backslash escapes.
fn trim_trailing_blanks(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut bytes = line.iter().enumerate();
    while let Some((at, &byte)) = bytes.next() {
        match byte {
            b' ' => {}
            b'\\' => end = bytes.next().map_or(at + 1, |(escaped, _)| escaped + 1),
            _ => end = at + 1,
        }
    }
    &line[..end]
}

mod class;
#[cfg(fuzzing)]
pub(crate) mod fuzzing;

#[cfg(test)]
mod tests;
