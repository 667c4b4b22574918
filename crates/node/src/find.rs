//! `fuzzyFind`.

use cairn_cancel::CancelToken;
use cairn_search::{FindOptions, FindOutcome, find as search};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::buffer::ResultBuffer;
use crate::options::{GivenScope, engine, scope, size, stop_code};
use crate::task::{CancelHandle, run};
use crate::utf16;

/// Options of `fuzzyFind`; the facade documents them.
#[napi(object)]
pub struct NativeFuzzyFindOptions {
    pub query: String,
    pub path: String,
    pub hidden: Option<bool>,
    pub gitignore: Option<bool>,
    pub cache: Option<bool>,
    pub max_results: Option<f64>,
    pub include_positions: Option<bool>,
    pub timeout_ms: Option<f64>,
    pub partial_on_timeout: Option<bool>,
}

impl From<NativeFuzzyFindOptions> for FindOptions {
    fn from(given: NativeFuzzyFindOptions) -> Self {
        let base = Self::new(given.query, given.path.as_str());
        let shared = GivenScope {
            hidden: given.hidden,
            gitignore: given.gitignore,
            cache: given.cache,
            partial_on_timeout: given.partial_on_timeout,
        };
        Self {
            scope: scope(&given.path, &base.scope, shared),
            max_results: given.max_results.map_or(base.max_results, size),
            include_positions: given.include_positions.unwrap_or(base.include_positions),
            query: base.query,
        }
    }
}

/// Finds the entries whose paths best match what was typed.
#[napi(ts_return_type = "Promise<NativeOutcome>")]
pub fn fuzzy_find<'env>(
    env: &'env Env,
    options: NativeFuzzyFindOptions,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let timeout_ms = options.timeout_ms;
    let core = FindOptions::from(options);
    let positions = core.include_positions;
    let job = move |cancel: &CancelToken| Ok(search(engine(), &core, cancel)?);
    run(env, handle, timeout_ms, job, move |outcome| encode(outcome, positions))
}

/// Doubles: total, stop, unreadable, count, has positions. Words, for each: the length of the path, the score, and,
/// with positions, how many there are and each of them. Flags: 1 for a directory, plus 8 when the path is lossy.
fn encode(outcome: &FindOutcome, positions: bool) -> Vec<u8> {
    let mut buffer = ResultBuffer::default();
    buffer.count(outcome.total as u64);
    buffer.count(stop_code(outcome.stop_reason));
    buffer.count(outcome.snapshot.as_ref().map_or(0, |snapshot| snapshot.unreadable()));
    buffer.count(outcome.hits.len() as u64);
    buffer.count(u64::from(positions));
    let Some(snapshot) = &outcome.snapshot else { return buffer.finish() };
    for hit in &outcome.hits {
        let path = snapshot.path(hit.entry);
        let lossy = buffer.string(path);
        buffer.word(hit.score);
        buffer.flag(u8::from(hit.is_directory) | u8::from(lossy) << 3);
        if positions {
            let units = utf16::unit_positions(path, &hit.positions);
            buffer.word(units.len() as u32);
            buffer.words(&units);
        }
    }
    buffer.finish()
}
