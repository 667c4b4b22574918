//! PCRE2, for the patterns that need it.
//!
//! It has the settings of `rg -P` (`matcher_pcre2` in ripgrep's `crates/core/flags/hiargs.rs`), but can be cancelled. A
//! backtracking match can take minutes, and only a callout can end one from outside. Callouts before every item make a match
//! two to nine times slower, so each pattern has two programs: one without callouts for texts so short that a match cannot
//! take long, and one with callouts for all others.
//!
//! This module uses `pcre2-sys` directly: the crate `pcre2` offers neither callouts nor match limits, and the error of
//! `grep-pcre2` does not have the offset of a syntax error.

use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;

use cairn_cancel::Stopped;
use grep_matcher::{Captures, Match, Matcher};
use pcre2_sys::{
    PCRE2_AUTO_CALLOUT, PCRE2_CASELESS, PCRE2_ERROR_BAD_SUBPATTERN_REFERENCE, PCRE2_ERROR_CALLOUT,
    PCRE2_ERROR_LOOKBEHIND_INVALID_BACKSLASH_C, PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH,
    PCRE2_ERROR_LOOKBEHIND_TOO_COMPLICATED, PCRE2_ERROR_LOOKBEHIND_TOO_LONG, PCRE2_ERROR_MATCHLIMIT,
    PCRE2_ERROR_MAX_VAR_LOOKBEHIND_EXCEEDED, PCRE2_ERROR_NOMATCH, PCRE2_ERROR_PATTERN_TOO_COMPLICATED,
    PCRE2_ERROR_PATTERN_TOO_LARGE, PCRE2_ERROR_VERB_UNKNOWN, PCRE2_INFO_FIRSTCODETYPE, PCRE2_INFO_LASTCODETYPE,
    PCRE2_INFO_MATCHEMPTY, PCRE2_JIT_COMPLETE, PCRE2_MATCH_INVALID_UTF, PCRE2_MULTILINE, PCRE2_NEWLINE_ANYCRLF,
    PCRE2_UCP, PCRE2_UTF, pcre2_code_8, pcre2_code_free_8, pcre2_compile_8, pcre2_compile_context_create_8,
    pcre2_compile_context_free_8, pcre2_get_error_message_8, pcre2_get_ovector_count_8, pcre2_get_ovector_pointer_8,
    pcre2_jit_compile_8, pcre2_jit_stack_8, pcre2_jit_stack_assign_8, pcre2_jit_stack_create_8, pcre2_jit_stack_free_8,
    pcre2_match_8, pcre2_match_context_8, pcre2_match_context_create_8, pcre2_match_context_free_8, pcre2_match_data_8,
    pcre2_match_data_create_from_pattern_8, pcre2_match_data_free_8, pcre2_pattern_info_8, pcre2_set_heap_limit_8,
    pcre2_set_match_limit_8, pcre2_set_newline_8, pcre2_substring_number_from_name_8,
};

type Callout = extern "C" fn(*mut c_void, *mut c_void) -> c_int;

unsafe extern "C" {
    // The bindings do not declare it.
    fn pcre2_set_callout_8(context: *mut pcre2_match_context_8, callout: Option<Callout>, data: *mut c_void) -> c_int;
}

/// The maximal number of backtracking steps of a match. It is the default of PCRE2 and of ripgrep.
const MATCH_LIMIT: u32 = 10_000_000;
/// The maximal stack, as in ripgrep. The system provides only the part that is used.
const JIT_STACK_BYTES: usize = 10 << 20;
/// The maximal heap of a match without machine code, in KiB. PCRE2's default is 20 GB.
const HEAP_LIMIT_KIB: u32 = 64 << 10;
/// The maximal number of steps, of about a nanosecond, of a match that cannot be cancelled.
const PLAIN_STEPS: u32 = 10_000_000;
/// How many callouts happen between two checks for cancellation.
const CALLOUTS_PER_CHECK: u32 = 10_000;

/// Why a pattern is rejected.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) reason: String,
    /// In bytes from the beginning of the pattern.
    pub(super) offset: usize,
    /// Its syntax is clear, so that its text cannot be the intent.
    pub(super) is_of_meaning: bool,
}

/// A compiled pattern, shared by threads.
#[derive(Debug)]
pub(super) struct Expression {
    /// The program without callouts.
    plain: Code,
    with_callouts: Code,
    /// The maximal length of a string for `plain`.
    max_plain_bytes: usize,
}

impl Expression {
    /// With `crlf`, lines end at `\r\n`, `\r` and `\n`, as with `rg -P --crlf`.
    pub(super) fn new(pattern: &str, ignore_case: bool, crlf: bool) -> Result<Self, Refusal> {
        let mut options = PCRE2_MULTILINE | PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF;
        if ignore_case {
            options |= PCRE2_CASELESS;
        }
        // An empty comment keeps options at the start, such as `(*CRLF)`, from being taken for that.
        let lead = if pattern.starts_with("(*") { "(?#)" } else { "" };
        let text = format!("{lead}{pattern}");
        let code = |options| {
            Code::new(&text, options, crlf)
                .map_err(|refusal| Refusal { offset: refusal.offset.saturating_sub(lead.len()), ..refusal })
        };
        Ok(Self {
            plain: code(options)?,
            with_callouts: code(options | PCRE2_AUTO_CALLOUT)?,
            max_plain_bytes: max_plain_bytes(pattern),
        })
    }

    /// Whether no match is empty, and PCRE2 knows a character that every match contains.
    pub(super) fn requires_character(&self) -> bool {
        /// A certain code unit, in the answer to a question for the type of the first or the last.
        const CERTAIN: u32 = 1;
        let info = |what| {
            let mut value = 0_u32;
            // SAFETY: the program is valid, and the answer to each of these questions is a `u32`.
            let result = unsafe { pcre2_pattern_info_8(self.plain.0.as_ptr(), what, (&raw mut value).cast()) };
            (result == 0).then_some(value)
        };
        info(PCRE2_INFO_MATCHEMPTY) == Some(0)
            && [PCRE2_INFO_FIRSTCODETYPE, PCRE2_INFO_LASTCODETYPE].iter().any(|&end| info(end) == Some(CERTAIN))
    }
}

/// Whether a pattern begins with an option of PCRE2 for the whole program, such as `(*UTF)`. They are not accepted.
fn is_option(pattern: &str) -> bool {
    const OPTIONS: [&str; 20] = [
        "UTF",
        "UCP",
        "CR",
        "LF",
        "CRLF",
        "ANY",
        "ANYCRLF",
        "NUL",
        "BSR_ANYCRLF",
        "BSR_UNICODE",
        "NOTEMPTY",
        "NOTEMPTY_ATSTART",
        "NO_AUTO_POSSESS",
        "NO_DOTSTAR_ANCHOR",
        "NO_JIT",
        "NO_START_OPT",
        "LIMIT_MATCH",
        "LIMIT_DEPTH",
        "LIMIT_RECURSION",
        "LIMIT_HEAP",
    ];
    let name = pattern.trim_start_matches("(?#)").strip_prefix("(*").and_then(|rest| rest.split([')', '=']).next());
    name.is_some_and(|name| OPTIONS.contains(&name))
}

/// The maximal length of a string on which a match of `pattern` certainly ends within [`PLAIN_STEPS`].
///
/// PCRE2 counts the repetitions of groups, and its limit ends those. It does not count the repetitions of single characters,
/// which are as many as the text has bytes for each such place in the pattern, nor the choices of alternatives and optional
/// items, which are two for each.
fn max_plain_bytes(pattern: &str) -> usize {
    let (mut repeats, mut choices) = (0_u32, 0_i32);
    let mut rest = pattern.as_bytes();
    let mut previous = b' ';
    while let [byte, after @ ..] = rest {
        let is_after_item = !matches!(previous, b'(' | b'*' | b'+' | b'?' | b'}');
        previous = *byte;
        rest = after;
        match byte {
            // The parts of a subroutine count once for each call.
            b'(' if calls_subroutine(after) => return 0,
            b'\\' => {
                let [escaped, after @ ..] = after else { break };
                if *escaped == b'g' {
                    return 0;
                }
                previous = b' ';
                rest = after;
            }
            b'*' | b'+' | b'{' if is_after_item => repeats += 1,
            b'?' if is_after_item => choices += 1,
            b'|' => choices += 1,
            _ => {}
        }
    }
    // The place where the match begins is one more choice: n choose k, about n^k / k!, ways to place them all.
    let free = repeats + 1;
    let orders: f64 = (1..=free).map(f64::from).product();
    let steps = f64::from(PLAIN_STEPS) / 2_f64.powi(choices);
    // Never negative, and a float that is too large saturates.
    #[expect(clippy::cast_sign_loss, reason = "a root of a positive number")]
    let max = (steps * orders).powf(1.0 / f64::from(free)) as usize;
    max
}

/// Whether the text after a `(` makes it a call: `(?R)`, `(?1)`, `(?+1)`, `(?-1)`, `(?&name)`, `(?P>name)`.
fn calls_subroutine(after: &[u8]) -> bool {
    match after {
        [b'?', b'R' | b'&' | b'+' | b'0'..=b'9', ..] | [b'?', b'P', b'>', ..] => true,
        [b'?', b'-', digit, ..] => digit.is_ascii_digit(),
        _ => false,
    }
}

/// A compiled program.
#[derive(Debug)]
struct Code(NonNull<pcre2_code_8>);

// SAFETY: PCRE2 does not change a program after it is compiled and JIT-compiled, which happens in `Code::new`.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Code {
    fn new(pattern: &str, options: u32, crlf: bool) -> Result<Self, Refusal> {
        let (mut error, mut offset) = (0, 0);
        // SAFETY: the pattern is valid for its length and, as `PCRE2_UTF` wants it, UTF-8. The context is made and freed
        // here; a null pointer is allowed in both places.
        let code = unsafe {
            let context = pcre2_compile_context_create_8(ptr::null_mut());
            if crlf && !context.is_null() {
                pcre2_set_newline_8(context, PCRE2_NEWLINE_ANYCRLF);
            }
            let text = pattern.as_ptr();
            let code = pcre2_compile_8(text, pattern.len(), options, &raw mut error, &raw mut offset, context);
            pcre2_compile_context_free_8(context);
            code
        };
        let Some(code) = NonNull::new(code) else { return Err(Refusal::new(error, offset, pattern)) };
        let code = Self(code);
        // ripgrep reports that the compiler runs out of memory on machines of 32 bits. Other programs are interpreted.
        if cfg!(target_pointer_width = "64") {
            // SAFETY: no other code has this program yet.
            unsafe { pcre2_jit_compile_8(code.0.as_ptr(), PCRE2_JIT_COMPLETE) };
        }
        Ok(code)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: made by `pcre2_compile_8` and freed only here.
        unsafe { pcre2_code_free_8(self.0.as_ptr()) };
    }
}

impl Refusal {
    fn new(error: c_int, offset: usize, pattern: &str) -> Self {
        let mut buffer = [0_u8; 256];
        // SAFETY: the buffer has the given length; the function ends the text in it with a NUL.
        let length = unsafe { pcre2_get_error_message_8(error, buffer.as_mut_ptr(), buffer.len()) };
        let length = usize::try_from(length).unwrap_or(0).min(buffer.len());
        let mut offset = offset.min(pattern.len());
        while !pattern.is_char_boundary(offset) {
            offset -= 1;
        }
        let is_of_meaning = match u32::try_from(error) {
            Ok(
                PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH
                | PCRE2_ERROR_LOOKBEHIND_TOO_COMPLICATED
                | PCRE2_ERROR_LOOKBEHIND_INVALID_BACKSLASH_C
                | PCRE2_ERROR_LOOKBEHIND_TOO_LONG
                | PCRE2_ERROR_MAX_VAR_LOOKBEHIND_EXCEEDED
                | PCRE2_ERROR_PATTERN_TOO_LARGE
                | PCRE2_ERROR_PATTERN_TOO_COMPLICATED,
            ) => true,
            // `(a)\2`, but not `C:\2024`.
            Ok(PCRE2_ERROR_BAD_SUBPATTERN_REFERENCE) => pattern.contains('('),
            Ok(PCRE2_ERROR_VERB_UNKNOWN) => is_option(pattern),
            _ => false,
        };
        Self { reason: String::from_utf8_lossy(&buffer[..length]).into_owned(), offset, is_of_meaning }
    }
}

/// The memory of a thread that matches an [`Expression`].
pub(super) struct Workspace {
    expression: Arc<Expression>,
    data: NonNull<pcre2_match_data_8>,
    context: NonNull<pcre2_match_context_8>,
    stack: Option<NonNull<pcre2_jit_stack_8>>,
}

impl Workspace {
    pub(super) fn new(expression: Arc<Expression>) -> Self {
        // Both programs have the same groups.
        let code = expression.plain.0.as_ptr();
        // SAFETY: the program is valid; no general context is allowed.
        let data = unsafe { pcre2_match_data_create_from_pattern_8(code, ptr::null_mut()) };
        // SAFETY: no general context is allowed.
        let context = unsafe { pcre2_match_context_create_8(ptr::null_mut()) };
        // SAFETY: as above. The stack begins with PCRE2's default size.
        let stack = unsafe { pcre2_jit_stack_create_8(32 << 10, JIT_STACK_BYTES, ptr::null_mut()) };
        let out_of_memory = "memory for matching";
        let workspace = Self {
            expression,
            data: NonNull::new(data).expect(out_of_memory),
            context: NonNull::new(context).expect(out_of_memory),
            // It does not exist without a JIT compiler.
            stack: NonNull::new(stack),
        };
        // SAFETY: the context is valid, and the stack lives as long as it.
        unsafe {
            pcre2_set_heap_limit_8(workspace.context.as_ptr(), HEAP_LIMIT_KIB);
            if let Some(stack) = workspace.stack {
                pcre2_jit_stack_assign_8(workspace.context.as_ptr(), None, stack.as_ptr().cast());
            }
        }
        workspace
    }

    fn find_at(
        &mut self,
        text: &[u8],
        at: usize,
        check: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<Option<Match>, Failure> {
        check().map_err(Failure::Stopped)?;
        let plain_limit = PLAIN_STEPS / (text.len() as u32).saturating_add(1);
        if text.len() <= self.expression.max_plain_bytes {
            match self.run(&self.expression.plain, text, at, plain_limit) {
                Err(Failure::Code(PCRE2_ERROR_MATCHLIMIT)) => {}
                other => return other,
            }
        }
        let mut watch = Watch { check, left: CALLOUTS_PER_CHECK, stopped: None };
        // SAFETY: the context is valid; `watch` outlives the match, after which the callout is removed.
        unsafe { pcre2_set_callout_8(self.context.as_ptr(), Some(callout), (&raw mut watch).cast()) };
        let found = self.run(&self.expression.with_callouts, text, at, MATCH_LIMIT);
        // SAFETY: the context is valid.
        unsafe { pcre2_set_callout_8(self.context.as_ptr(), None, ptr::null_mut()) };
        match watch.stopped {
            Some(stopped) => Err(Failure::Stopped(stopped)),
            None => found,
        }
    }

    fn run(&self, code: &Code, text: &[u8], at: usize, limit: u32) -> Result<Option<Match>, Failure> {
        // An empty slice may point nowhere.
        let subject = if text.is_empty() { &[0] } else { text };
        // SAFETY: everything passed is valid, and used by this thread alone: a `Workspace` is neither shared nor
        // cloned. `at` lies within the text; with `PCRE2_MATCH_INVALID_UTF` its bytes may be any.
        let result = unsafe {
            pcre2_set_match_limit_8(self.context.as_ptr(), limit);
            let (data, context) = (self.data.as_ptr(), self.context.as_ptr());
            pcre2_match_8(code.0.as_ptr(), subject.as_ptr(), text.len(), at, 0, data, context)
        };
        match result {
            PCRE2_ERROR_NOMATCH => Ok(None),
            error if error < 0 => Err(Failure::Code(error)),
            _ => {
                // SAFETY: after a match the vector has at least the start and the end of the match.
                let (start, end) = unsafe {
                    let ends = pcre2_get_ovector_pointer_8(self.data.as_ptr());
                    (*ends, *ends.add(1))
                };
                // A `\K` in a group that a look-around calls can put the start anywhere.
                let is_sound = at <= start && start <= end && end <= text.len();
                if is_sound { Ok(Some(Match::new(start, end))) } else { Err(Failure::Backwards) }
            }
        }
    }
}

impl Workspace {
    /// The number of groups, the match itself included.
    fn group_count(&self) -> usize {
        // SAFETY: the data is valid.
        unsafe { pcre2_get_ovector_count_8(self.data.as_ptr()) as usize }
    }

    /// The number of the group with a name.
    fn group_index(&self, name: &str) -> Option<usize> {
        let name = CString::new(name).ok()?;
        // SAFETY: the program is valid, and the name ends with a NUL.
        let number =
            unsafe { pcre2_substring_number_from_name_8(self.expression.plain.0.as_ptr(), name.as_ptr().cast::<u8>()) };
        usize::try_from(number).ok()
    }

    /// Adds the places of the groups of the last match, which was in a string of this length.
    fn push_groups(&self, length: usize, groups: &mut Groups) {
        // SAFETY: the vector has two offsets for each group, which the last match has set.
        let offsets =
            unsafe { slice::from_raw_parts(pcre2_get_ovector_pointer_8(self.data.as_ptr()), 2 * self.group_count()) };
        // A group without a match has the largest offset.
        let place = |pair: &[usize]| (pair[0] <= pair[1] && pair[1] <= length).then(|| Match::new(pair[0], pair[1]));
        groups.0.extend(offsets.chunks_exact(2).skip(1).map(place));
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // SAFETY: made in `new` and freed only here; the context, which refers to the stack, goes before it.
        unsafe {
            pcre2_match_data_free_8(self.data.as_ptr());
            pcre2_match_context_free_8(self.context.as_ptr());
            if let Some(stack) = self.stack {
                pcre2_jit_stack_free_8(stack.as_ptr());
            }
        }
    }
}

/// The data of a callout.
struct Watch<'a> {
    check: &'a dyn Fn() -> Result<(), Stopped>,
    left: u32,
    stopped: Option<Stopped>,
}

/// Continues the match, or ends it if the caller ended the search.
extern "C" fn callout(_: *mut c_void, data: *mut c_void) -> c_int {
    // SAFETY: `find_at` passed a `Watch`, and no other code uses it during the match.
    let watch = unsafe { &mut *data.cast::<Watch<'_>>() };
    watch.left -= 1;
    if watch.left > 0 {
        return 0;
    }
    watch.left = CALLOUTS_PER_CHECK;
    match (watch.check)() {
        Ok(()) => 0,
        Err(stopped) => {
            watch.stopped = Some(stopped);
            PCRE2_ERROR_CALLOUT
        }
    }
}

/// Why a match has no result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure {
    Stopped(Stopped),
    /// An error code of PCRE2: a limit was reached.
    Code(c_int),
    /// The match begins after its end.
    Backwards,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stopped) => stopped.fmt(formatter),
            Self::Code(code) => write!(formatter, "PCRE2 failed with code {code}"),
            Self::Backwards => formatter.write_str("the match begins after its end"),
        }
    }
}

/// An [`Expression`] for the search of one file.
pub(super) struct PcreMatcher<'a> {
    pub(super) workspace: &'a RefCell<Workspace>,
    pub(super) check: &'a dyn Fn() -> Result<(), Stopped>,
    /// Why the last match failed. The searcher passes only its text on.
    pub(super) failure: &'a Cell<Option<Failure>>,
    /// Whether a string is one line, and its `\n` is not part of it: the searcher cuts only `\r\n` with `crlf`.
    pub(super) cut_line_break: bool,
}

/// The places of the groups of a match. The first is the match itself.
#[derive(Debug, Default)]
pub(super) struct Groups(pub(super) Vec<Option<Match>>);

impl Captures for Groups {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> Option<Match> {
        self.0.get(index).copied().flatten()
    }
}

impl Matcher for PcreMatcher<'_> {
    type Captures = Groups;
    type Error = Failure;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Failure> {
        let line = if self.cut_line_break { text.strip_suffix(b"\n").unwrap_or(text) } else { text };
        let found = self.workspace.borrow_mut().find_at(line, at, self.check);
        self.failure.set(found.as_ref().err().copied());
        found
    }

    fn new_captures(&self) -> Result<Groups, Failure> {
        Ok(Groups::default())
    }

    fn capture_count(&self) -> usize {
        self.workspace.borrow().group_count()
    }

    fn capture_index(&self, name: &str) -> Option<usize> {
        self.workspace.borrow().group_index(name)
    }

    fn captures_at(&self, text: &[u8], at: usize, groups: &mut Groups) -> Result<bool, Failure> {
        let found = self.find_at(text, at)?;
        groups.0.clear();
        if found.is_some() {
            groups.0.push(found);
            self.workspace.borrow().push_groups(text.len(), groups);
        }
        Ok(found.is_some())
    }
}
