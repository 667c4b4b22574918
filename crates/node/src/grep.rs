//! `grep`.

use cairn_cancel::CancelToken;
use cairn_search::{GrepMode, GrepOptions, GrepOutcome, Submatch, grep as search};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::buffer::ResultBuffer;
use crate::options::{GivenScope, engine, scope, size, stop_code, whole};
use crate::task::{CancelHandle, run};

/// Options of `grep`; the facade documents them.
#[napi(object)]
pub struct NativeGrepOptions {
    pub pattern: String,
    pub path: String,
    pub literal: Option<bool>,
    pub glob: Option<String>,
    #[napi(js_name = "type")]
    pub file_type: Option<String>,
    pub ignore_case: Option<bool>,
    pub multiline: Option<bool>,
    pub hidden: Option<bool>,
    pub gitignore: Option<bool>,
    pub cache: Option<bool>,
    pub max_count: Option<f64>,
    pub offset: Option<f64>,
    pub context: Option<f64>,
    pub context_before: Option<f64>,
    pub context_after: Option<f64>,
    pub max_columns: Option<f64>,
    pub max_count_per_file: Option<f64>,
    pub max_file_size: Option<f64>,
    #[napi(ts_type = "'content' | 'count' | 'filesWithMatches'")]
    pub mode: Option<String>,
    pub timeout_ms: Option<f64>,
    pub partial_on_timeout: Option<bool>,
}

impl From<NativeGrepOptions> for GrepOptions {
    fn from(given: NativeGrepOptions) -> Self {
        let base = Self::new(given.pattern, given.path.as_str());
        let shared = GivenScope {
            hidden: given.hidden,
            gitignore: given.gitignore,
            cache: given.cache,
            partial_on_timeout: given.partial_on_timeout,
        };
        Self {
            scope: scope(&given.path, &base.scope, shared),
            literal: given.literal.unwrap_or(base.literal),
            glob: given.glob,
            file_type: given.file_type,
            ignore_case: given.ignore_case.unwrap_or(base.ignore_case),
            multiline: given.multiline.unwrap_or(base.multiline),
            mode: given.mode.as_deref().map_or(base.mode, mode),
            max_count: given.max_count.map(whole),
            offset: given.offset.map_or(base.offset, whole),
            context_before: given.context_before.or(given.context).map_or(base.context_before, size),
            context_after: given.context_after.or(given.context).map_or(base.context_after, size),
            max_columns: given.max_columns.map(size),
            max_count_per_file: given.max_count_per_file.map(whole),
            max_file_size: given.max_file_size.map(whole),
            pattern: base.pattern,
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

/// Searches the files below a directory, or one file.
#[napi(ts_return_type = "Promise<NativeOutcome>")]
pub fn grep<'env>(
    env: &'env Env,
    options: NativeGrepOptions,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let timeout_ms = options.timeout_ms;
    let core = GrepOptions::from(options);
    let mode = core.mode;
    let job = move |cancel: &CancelToken| Ok(search(engine(), &core, cancel)?);
    run(env, handle, timeout_ms, job, move |outcome| encode(outcome, mode))
}

/// Doubles: total, stop, files with matches, files searched, limit reached, files cut, oversized, binary, unreadable,
/// too costly, engine, whether another pattern was searched, mode, number of paths, number of matches; then, for each match, the line
/// number (in count mode, the count) and those of its context lines, before and after.
/// Words: that other pattern's length; the length of each path; then, for each match, its file, the length of the
/// line, the numbers of lines before and after and of submatches, the lengths of the context lines, and start and end
/// of each submatch. Flags: 8 for each lossy path; for each match 1 when it is truncated.
/// Text in the order of the lengths.
fn encode(outcome: &GrepOutcome, mode: GrepMode) -> Vec<u8> {
    let mut buffer = ResultBuffer::default();
    for count in [
        outcome.total,
        stop_code(outcome.stop_reason),
        outcome.files_with_matches,
        outcome.files_searched,
        u64::from(outcome.limit_reached),
        outcome.files_cut,
        outcome.skipped.oversized,
        outcome.skipped.binary,
        outcome.skipped.unreadable,
        outcome.skipped.too_costly,
        outcome.engine as u64,
        u64::from(outcome.searched_pattern.is_some()),
        mode as u64,
        outcome.paths.len() as u64,
        outcome.matches.len() as u64,
    ] {
        buffer.count(count);
    }
    if let Some(pattern) = &outcome.searched_pattern {
        buffer.string(pattern.as_bytes());
    }
    for path in &outcome.paths {
        let lossy = buffer.string(path);
        buffer.flag(u8::from(lossy) << 3);
    }
    for found in &outcome.matches {
        buffer.word(found.file as u32);
        buffer.flag(u8::from(found.truncated));
        match mode {
            GrepMode::FilesWithMatches => continue,
            GrepMode::Count => {
                buffer.count(found.match_count.unwrap_or(0));
                continue;
            }
            GrepMode::Content => buffer.count(found.line_number),
        }
        buffer.string(&found.line);
        buffer.words(&[found.before.len() as u32, found.after.len() as u32, found.submatches.len() as u32]);
        for context in found.before.iter().chain(&found.after) {
            buffer.count(context.line_number);
            buffer.string(&context.line);
        }
        // Submatches ascend and do not overlap, so their ends ascend too.
        let ends = found.submatches.iter().flat_map(|&Submatch { start, end }| [start, end]);
        buffer.places(&found.line, ends);
    }
    buffer.finish()
}
