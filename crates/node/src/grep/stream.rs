//! `grepStream`: the matches cross the border in batches.

use std::sync::Arc;

use cairn_cancel::{CancelToken, Stopped};
use cairn_search::{
    BatchSink, GrepBatch, GrepMode, GrepOptions, Streaming, grep_reader, grep_stream as search_streaming,
};
use napi::Env;
use napi::bindgen_prelude::{Either3, Object, Uint8Array};
use napi_derive::napi;

use super::columns::encode;
use super::{NativeGrepOptions, NativeGrepResult};
use crate::error::NativeError;
use crate::input::GrepInput;
use crate::options::context;
use crate::stream::Slot;
use crate::task::{CancelHandle, guarded, start, token};

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
    let stream = GrepStream { slot: Arc::clone(&slot), token: token.clone() };
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
    token: CancelToken,
}

/// Ends the search. Its matches are not requested again: the caller forgot them, or its worker thread was terminated.
impl Drop for GrepStream {
    fn drop(&mut self) {
        self.token.cancel();
    }
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
