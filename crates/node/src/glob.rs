//! `glob`.

use cairn_search::{GlobHit, GlobOptions, GlobOutcome, glob as search};
use cairn_walk::Kind;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::buffer::{ResultBuffer, Room};
use crate::options::{GivenScope, engine, scope, size, stop_code};
use crate::task::{CancelHandle, run};

/// Options of `glob`; the facade documents them.
#[napi(object)]
pub struct NativeGlobOptions {
    pub pattern: String,
    pub path: String,
    pub file_type: Option<u32>,
    pub recursive: Option<bool>,
    pub hidden: Option<bool>,
    pub max_results: Option<f64>,
    pub gitignore: Option<bool>,
    pub cache: Option<bool>,
    pub sort_by_mtime: Option<bool>,
    pub include_node_modules: Option<bool>,
    pub timeout_ms: Option<f64>,
    pub partial_on_timeout: Option<bool>,
}

impl From<NativeGlobOptions> for GlobOptions {
    fn from(given: NativeGlobOptions) -> Self {
        let base = Self::new(given.pattern, given.path.as_str());
        let shared = GivenScope {
            hidden: given.hidden,
            gitignore: given.gitignore,
            cache: given.cache,
            partial_on_timeout: given.partial_on_timeout,
        };
        Self {
            scope: scope(&given.path, &base.scope, shared),
            kind: given.file_type.and_then(kind),
            recursive: given.recursive.unwrap_or(base.recursive),
            max_results: given.max_results.map(size),
            sort_by_mtime: given.sort_by_mtime.unwrap_or(base.sort_by_mtime),
            include_node_modules: given.include_node_modules,
            pattern: base.pattern,
        }
    }
}

fn kind(number: u32) -> Option<Kind> {
    [Kind::File, Kind::Dir, Kind::Symlink].into_iter().find(|&kind| kind as u32 == number)
}

/// Finds the entries that match a glob.
#[napi(ts_return_type = "Promise<NativeOutcome>")]
pub fn glob<'env>(
    env: &'env Env,
    options: NativeGlobOptions,
    handle: Option<&CancelHandle>,
) -> napi::Result<Object<'env>> {
    let timeout_ms = options.timeout_ms;
    let core = GlobOptions::from(options);
    run(env, handle, timeout_ms, move |cancel| Ok(search(engine(), &core, cancel)?), encode)
}

/// So many hits are encoded together.
const TOGETHER: usize = 1024;

/// Doubles: total, stop, unreadable, count, has details; then, with details, time and size of each, NaN for none.
/// Words: the length of each path. Flags: the kind of each, plus 8 when the path is lossy.
fn encode(outcome: &GlobOutcome) -> Vec<u8> {
    let Some(snapshot) = &outcome.snapshot else {
        return head(outcome, 0, ResultBuffer::default()).finish();
    };
    let span = |hit: &GlobHit| snapshot.span(hit.entry as usize);
    let (hits, details) = (&outcome.hits, &outcome.details);
    let room = Room {
        doubles: 5 + 2 * details.len(),
        words: hits.len(),
        flags: hits.len(),
        text: hits.iter().map(|hit| span(hit).len()).sum(),
    };
    let mut buffer = head(outcome, snapshot.unreadable(), ResultBuffer::with_room(room));
    for hits in hits.chunks(TOGETHER) {
        if buffer.ascii_parts(snapshot.arena(), hits.iter().map(span)) {
            for hit in hits {
                buffer.flag(hit.kind as u8);
            }
            continue;
        }
        for hit in hits {
            let lossy = buffer.string(snapshot.path(hit.entry as usize));
            buffer.flag(hit.kind as u8 | u8::from(lossy) << 3);
        }
    }
    for details in details {
        buffer.double(details.mtime_ms.unwrap_or(f64::NAN));
        buffer.double(details.size.map_or(f64::NAN, |size| size as f64));
    }
    buffer.finish()
}

fn head(outcome: &GlobOutcome, unreadable: u64, mut buffer: ResultBuffer) -> ResultBuffer {
    buffer.count(outcome.total as u64);
    buffer.count(stop_code(outcome.stop_reason));
    buffer.count(unreadable);
    buffer.count(outcome.hits.len() as u64);
    buffer.count(u64::from(!outcome.details.is_empty()));
    buffer
}
