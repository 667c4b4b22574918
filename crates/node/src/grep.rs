//! `grep`.

mod columns;
mod stream;

use cairn_cancel::CancelToken;
use cairn_search::{
    Binary, CountUnit, Freshness, GrepMode, GrepOptions, GrepOutcome, RegexEngine, SearchedPattern,
    file_types as types, grep as search,
};
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;

use crate::options::{GivenScope, context, nonzero, scope, size, stop_reason, texts, whole};
use crate::task::{CancelHandle, run};

use self::columns::encode;

/// `grep`; the facade documents them.
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
    pub include_node_modules: Option<bool>,
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
    pub validate: Option<bool>,
    pub watch: Option<bool>,
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
            validate: given.validate,
            watch: given.watch,
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
            include_node_modules: given.include_node_modules,
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

/// How many files were not, or not completely, searched.
#[napi(object, object_from_js = false)]
pub struct NativeSkipped {
    pub oversized: f64,
    pub binary: f64,
    pub unreadable: f64,
    /// Absent when none.
    pub too_costly: Option<f64>,
    /// Directories; absent when none.
    pub node_modules: Option<f64>,
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
    /// Absent when none.
    pub files_excluded: Option<f64>,
    /// Absent without an index.
    #[napi(ts_type = "'validated' | 'watched'")]
    pub freshness: Option<&'static str>,
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
            files_excluded: nonzero(outcome.files_excluded),
            freshness: outcome.freshness.map(|freshness| match freshness {
                Freshness::Validated => "validated",
                Freshness::Watched => "watched",
            }),
            limit_reached: outcome.limit_reached.then_some(true),
            files_cut: nonzero(outcome.files_cut),
            skipped: NativeSkipped {
                oversized: skipped.oversized as f64,
                binary: skipped.binary as f64,
                unreadable: skipped.unreadable as f64,
                too_costly: nonzero(skipped.too_costly),
                node_modules: nonzero(skipped.node_modules),
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
