//! `grep`.

use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};
use cairn_search::{
    BatchSink, Binary, ContextLine, CountUnit, GrepBatch, GrepMode, GrepOptions, GrepOutcome, LineMatch, RegexEngine,
    SearchedPattern, Streaming, Submatch, file_types as types, grep as search, grep_reader,
    grep_stream as search_streaming,
};
use napi::Env;
use napi::bindgen_prelude::{Either3, Object, Uint8Array};
use napi_derive::napi;

use crate::columns::{Column, Text};
use crate::error::NativeError;
use crate::input::GrepInput;
use crate::options::{GivenScope, context, lossy_flag, nonzero, scope, size, stop_reason, texts, whole};
use crate::stream::Slot;
use crate::task::{CancelHandle, guarded, run, start, token};
use crate::utf16::push_offsets;

/// Options of `grep`; the facade documents them.
#[napi(object)]
pub struct NativeGrepOptions {
    pub patterns: Vec<String>,
    pub path: String,
    pub literal: Option<bool>,
    pub pcre2: Option<bool>,
    pub globs: Option<Vec<String>>,
    pub types: Option<Vec<String>>,
    pub excluded_types: Option<Vec<String>>,
    pub max_depth: Option<f64>,
    pub follow_links: Option<bool>,
    #[napi(ts_type = "'skip' | 'search' | 'text'")]
    pub binary: Option<String>,
    pub ignore_case: Option<bool>,
    pub smart_case: Option<bool>,
    pub whole_word: Option<bool>,
    pub whole_line: Option<bool>,
    pub invert: Option<bool>,
    pub multiline: Option<bool>,
    pub crlf: Option<bool>,
    pub hidden: Option<bool>,
    pub gitignore: Option<bool>,
    pub resolve_links: Option<bool>,
    pub cache: Option<bool>,
    pub max_count: Option<f64>,
    pub offset: Option<f64>,
    pub context: Option<f64>,
    pub context_before: Option<f64>,
    pub context_after: Option<f64>,
    pub max_columns: Option<f64>,
    pub submatches: Option<bool>,
    pub max_count_per_file: Option<f64>,
    pub max_file_size: Option<f64>,
    #[napi(ts_type = "'content' | 'count' | 'filesWithMatches'")]
    pub mode: Option<String>,
    #[napi(ts_type = "'lines' | 'matches' | 'spanning'")]
    pub count_unit: Option<String>,
    pub replacement: Option<String>,
    pub timeout_ms: Option<f64>,
    pub partial_on_timeout: Option<bool>,
}

impl From<NativeGrepOptions> for GrepOptions {
    fn from(given: NativeGrepOptions) -> Self {
        let base = Self::new("", given.path.as_str());
        let shared = GivenScope {
            hidden: given.hidden,
            gitignore: given.gitignore,
            resolve_links: given.resolve_links,
            cache: given.cache,
            partial_on_timeout: given.partial_on_timeout,
        };
        Self {
            scope: scope(&given.path, &base.scope, shared),
            patterns: given.patterns,
            literal: given.literal.unwrap_or(base.literal),
            pcre2: given.pcre2.unwrap_or(base.pcre2),
            globs: given.globs.unwrap_or_default(),
            file_types: given.types.unwrap_or_default(),
            excluded_types: given.excluded_types.unwrap_or_default(),
            max_depth: given.max_depth.map(size),
            follow_links: given.follow_links.unwrap_or(base.follow_links),
            binary: given.binary.as_deref().map_or(base.binary, binary),
            ignore_case: given.ignore_case.unwrap_or(base.ignore_case),
            smart_case: given.smart_case.unwrap_or(base.smart_case),
            whole_word: given.whole_word.unwrap_or(base.whole_word),
            whole_line: given.whole_line.unwrap_or(base.whole_line),
            invert: given.invert.unwrap_or(base.invert),
            multiline: given.multiline.unwrap_or(base.multiline),
            crlf: given.crlf.unwrap_or(base.crlf),
            replacement: given.replacement,
            mode: given.mode.as_deref().map_or(base.mode, mode),
            count_unit: given.count_unit.as_deref().map_or(base.count_unit, count_unit),
            max_count: given.max_count.map(whole),
            offset: given.offset.map_or(base.offset, whole),
            context_before: given.context_before.or(given.context).map_or(base.context_before, size),
            context_after: given.context_after.or(given.context).map_or(base.context_after, size),
            max_columns: given.max_columns.map(size),
            submatches: given.submatches.unwrap_or(base.submatches),
            max_count_per_file: given.max_count_per_file.map(whole),
            max_file_size: given.max_file_size.map(whole),
        }
    }
}

fn mode(name: &str) -> GrepMode {
    match name {
        "count" => GrepMode::Count,
        "filesWithMatches" => GrepMode::FilesWithMatches,
        _ => GrepMode::Content,
    }
}

fn count_unit(name: &str) -> CountUnit {
    match name {
        "matches" => CountUnit::Matches,
        "spanning" => CountUnit::Spanning,
        _ => CountUnit::Lines,
    }
}

fn binary(name: &str) -> Binary {
    match name {
        "search" => Binary::Search,
        "text" => Binary::Text,
        _ => Binary::Skip,
    }
}

/// Searches the files below a directory, or one file.
#[napi(ts_return_type = "Promise<NativeGrepResult | NativeError>")]
pub fn grep<'env>(
    env: &'env Env,
    options: NativeGrepOptions,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let timeout_ms = options.timeout_ms;
    let core = GrepOptions::from(options);
    let mode = core.mode;
    let job = move |cancel: &CancelToken| Ok(search(context(), &core, cancel)?);
    run(env, handle, timeout_ms, job, move |outcome, _| Ok(NativeGrepResult::new(outcome, mode)))
}

/// A type of files.
#[napi(object, object_from_js = false)]
pub struct NativeFileTypeName {
    pub name: String,
    pub globs: Vec<String>,
}

/// Returns the types of files by name.
#[napi]
#[must_use]
pub fn file_types() -> Vec<NativeFileTypeName> {
    types().into_iter().map(|(name, globs)| NativeFileTypeName { name, globs }).collect()
}

/// Starts a search whose matches come in batches. `keeps_all` states that the caller keeps all matches, so that all of them
/// together have to fit the budget of a result. With `input` that text is searched, not the path.
#[napi]
pub fn grep_stream(
    options: NativeGrepOptions,
    keeps_all: bool,
    handle: Option<&CancelHandle>,
    input: Option<&GrepInput>,
) -> napi::Result<GrepStream> {
    let token = token(handle, options.timeout_ms);
    let reader = input.map(|input| input.reader(&token));
    let core = GrepOptions::from(options);
    let mode = core.mode;
    let slot = Slot::new();
    let stream = GrepStream { slot: Arc::clone(&slot) };
    start(move || {
        let sink = Batches { slot: &slot, mode };
        let streaming = Streaming { sink: &sink, keeps_all };
        let job = || {
            let outcome = match reader {
                Some(reader) => grep_reader(&core, reader, streaming, &token)?,
                None => search_streaming(context(), &core, streaming, &token)?,
            };
            Ok(NativeGrepResult::new(&outcome, mode))
        };
        slot.end(guarded(job, NativeError::internal).map_or_else(Either3::C, Either3::B));
    })?;
    Ok(stream)
}

type Part = Either3<NativeGrepBatch, NativeGrepResult, NativeError>;

/// A search whose matches come in batches.
#[napi]
pub struct GrepStream {
    slot: Arc<Slot<Part>>,
}

#[napi]
impl GrepStream {
    /// Returns a promise of the next batch; the last one has the result, or is an error. Until it is called again, the search
    /// goes on only as far as its matches fit.
    #[napi(ts_return_type = "Promise<NativeGrepBatch | NativeGrepResult | NativeError>")]
    #[allow(clippy::elidable_lifetime_names, reason = "the macro needs the lifetime by name")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.slot.next(env)
    }
}

/// Sends the batches of a search to JavaScript.
struct Batches<'a> {
    slot: &'a Slot<Part>,
    mode: GrepMode,
}

impl BatchSink for Batches<'_> {
    fn is_ready(&self) -> bool {
        self.slot.is_asked()
    }

    fn take(&self, batch: GrepBatch, check: &dyn Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
        let columns = encode(&batch.paths, &batch.matches, self.mode);
        self.slot.send(|| Either3::A(NativeGrepBatch { columns: columns.into() }), check)
    }
}

/// Some matches of `grepStream`.
#[napi(object, object_from_js = false)]
pub struct NativeGrepBatch {
    /// The files and matches; the facade has the table of these columns.
    pub columns: Uint8Array,
}

/// How many files were not, or not completely, searched.
#[napi(object, object_from_js = false)]
pub struct NativeSkipped {
    pub oversized: f64,
    pub binary: f64,
    pub unreadable: f64,
    /// Absent when none.
    pub too_costly: Option<f64>,
}

/// A pattern that was not searched as given.
#[napi(object, object_from_js = false)]
pub struct NativeSearchedPattern {
    pub pattern: String,
    pub searched: String,
}

/// A place where a text occurs.
#[napi(object, object_from_js = false)]
pub struct NativeOccurrence {
    pub text: String,
    pub path: String,
    pub line_number: f64,
}

/// The result of `grep`.
#[napi(object, object_from_js = false)]
pub struct NativeGrepResult {
    pub total_matches: f64,
    pub files_with_matches: f64,
    pub files_searched: f64,
    #[napi(ts_type = "true")]
    pub limit_reached: Option<bool>,
    /// Absent when none.
    pub files_cut: Option<f64>,
    pub skipped: NativeSkipped,
    /// The first files and directories that could not be read; absent when none.
    pub unreadable_paths: Option<Vec<String>>,
    #[napi(ts_type = "'regex' | 'pcre2' | 'literal'")]
    pub engine: &'static str,
    pub searched_pattern: Option<String>,
    /// Absent when none.
    pub searched_patterns: Option<Vec<NativeSearchedPattern>>,
    pub as_typed: Option<NativeOccurrence>,
    pub globs: Option<Vec<String>>,
    pub hint: Option<String>,
    pub complete: bool,
    #[napi(ts_type = "'limit' | 'timeout' | 'budget'")]
    pub stop_reason: Option<&'static str>,
    /// The files and matches; the facade has the table of these columns.
    pub columns: Uint8Array,
}

impl From<&SearchedPattern> for NativeSearchedPattern {
    fn from(found: &SearchedPattern) -> Self {
        Self { pattern: found.pattern.clone(), searched: found.searched.clone() }
    }
}

impl NativeGrepResult {
    fn new(outcome: &GrepOutcome, mode: GrepMode) -> Self {
        let skipped = outcome.skipped;
        Self {
            total_matches: outcome.total as f64,
            files_with_matches: outcome.files_with_matches as f64,
            files_searched: outcome.files_searched as f64,
            limit_reached: outcome.limit_reached.then_some(true),
            files_cut: nonzero(outcome.files_cut),
            skipped: NativeSkipped {
                oversized: skipped.oversized as f64,
                binary: skipped.binary as f64,
                unreadable: skipped.unreadable as f64,
                too_costly: nonzero(skipped.too_costly),
            },
            unreadable_paths: texts(&outcome.unreadable_paths),
            engine: match outcome.engine {
                RegexEngine::Regex => "regex",
                RegexEngine::Pcre2 => "pcre2",
                RegexEngine::Literal => "literal",
            },
            searched_pattern: outcome.searched_pattern.clone(),
            searched_patterns: (!outcome.searched_patterns.is_empty())
                .then(|| outcome.searched_patterns.iter().map(NativeSearchedPattern::from).collect()),
            as_typed: outcome.as_typed.as_ref().map(|found| NativeOccurrence {
                text: found.text.clone(),
                path: String::from_utf8_lossy(&found.path).into_owned(),
                line_number: found.line_number as f64,
            }),
            globs: (!outcome.globs.is_empty()).then(|| outcome.globs.clone()),
            hint: outcome.hint.clone(),
            complete: outcome.stop_reason.is_none(),
            stop_reason: outcome.stop_reason.map(stop_reason),
            columns: encode(&outcome.paths, &outcome.matches, mode).into(),
        }
    }
}

const COLUMNS: usize = 16;

/// The columns. The text has the paths; then of each match the line, its replacements, and the lines of context before and
/// after it, each with its replacements. A column that does not belong to the mode is empty.
fn encode(paths: &[Vec<u8>], matches: &[LineMatch], mode: GrepMode) -> Vec<u8> {
    let mut text = Text::<COLUMNS>::new();
    let (mut path_lengths, mut path_flags) = (Vec::new(), Vec::new());
    for path in paths {
        let lossy = text.push(path, &mut path_lengths);
        path_flags.push(lossy_flag(lossy));
    }
    let files: Vec<u32> = matches.iter().map(|found| found.file as u32).collect();
    let match_counts: Vec<f64> = match mode {
        GrepMode::Count => matches.iter().map(|found| found.match_count.unwrap_or(0) as f64).collect(),
        GrepMode::Content | GrepMode::FilesWithMatches => Vec::new(),
    };
    let lines = match mode {
        GrepMode::Content => Lines::new(matches, &mut text),
        GrepMode::Count | GrepMode::FilesWithMatches => Lines::default(),
    };
    text.pack([
        Column::U32(&path_lengths),
        Column::U8(&path_flags),
        Column::U32(&files),
        Column::F64(&match_counts),
        Column::F64(&lines.numbers),
        Column::U32(&lines.lengths),
        Column::U8(&lines.flags),
        Column::U32(&lines.submatch_counts),
        Column::U32(&lines.submatches),
        Column::U32(&lines.before_counts),
        Column::U32(&lines.after_counts),
        Column::F64(&lines.context_numbers),
        Column::U32(&lines.context_lengths),
        Column::U8(&lines.context_flags),
        Column::U32(&lines.context_submatch_counts),
        Column::U32(&lines.replacement_lengths),
    ])
}

/// The columns of content mode: a value for each match, submatch (start, end) or context line.
#[derive(Default)]
struct Lines {
    numbers: Vec<f64>,
    lengths: Vec<u32>,
    flags: Vec<u8>,
    submatch_counts: Vec<u32>,
    submatches: Vec<u32>,
    before_counts: Vec<u32>,
    after_counts: Vec<u32>,
    context_numbers: Vec<f64>,
    context_lengths: Vec<u32>,
    /// Empty if no line of context matches or has submatches.
    context_flags: Vec<u8>,
    context_submatch_counts: Vec<u32>,
    /// Empty without a replacement.
    replacement_lengths: Vec<u32>,
}

/// The length of the replacement of a match that begins in an earlier line.
const CONTINUED: u32 = u32::MAX;

impl Lines {
    fn new(matches: &[LineMatch], text: &mut Text<COLUMNS>) -> Self {
        let mut lines = Self {
            numbers: matches.iter().map(|found| found.line_number as f64).collect(),
            lengths: Vec::with_capacity(matches.len()),
            flags: matches.iter().map(flags).collect(),
            submatch_counts: matches.iter().map(|found| found.submatches.len() as u32).collect(),
            before_counts: matches.iter().map(|found| found.before.len() as u32).collect(),
            after_counts: matches.iter().map(|found| found.after.len() as u32).collect(),
            ..Self::default()
        };
        let is_plain = |context: &ContextLine| !context.is_match && context.submatches.is_empty();
        let has_matches = !matches.iter().flat_map(context_of).all(is_plain);
        for found in matches {
            text.push(&found.line, &mut lines.lengths);
            lines.push_submatches(&found.line, &found.submatches, &found.replacements, text);
            for context in context_of(found) {
                lines.context_numbers.push(context.line_number as f64);
                text.push(&context.line, &mut lines.context_lengths);
                if has_matches {
                    lines.context_flags.push(u8::from(context.is_match));
                    lines.context_submatch_counts.push(context.submatches.len() as u32);
                    lines.push_submatches(&context.line, &context.submatches, &context.replacements, text);
                }
            }
        }
        lines
    }

    fn push_submatches(
        &mut self,
        line: &[u8],
        submatches: &[Submatch],
        replacements: &[Option<Vec<u8>>],
        text: &mut Text<COLUMNS>,
    ) {
        for replacement in replacements {
            match replacement {
                Some(replacement) => {
                    text.push(replacement, &mut self.replacement_lengths);
                }
                None => self.replacement_lengths.push(CONTINUED),
            }
        }
        // Submatches ascend and do not overlap, so their ends ascend too.
        let ends = submatches.iter().flat_map(|&Submatch { start, end }| [start, end]);
        push_offsets(line, ends, &mut self.submatches);
    }
}

fn flags(found: &LineMatch) -> u8 {
    u8::from(found.truncated) | u8::from(found.binary) << 1 | u8::from(found.takes_line_end) << 2
}

/// The lines of context of a match, in order.
fn context_of(found: &LineMatch) -> impl Iterator<Item = &ContextLine> {
    found.before.iter().chain(&found.after)
}
