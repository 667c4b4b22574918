//! The Node addon. It translates options into the core's types, results into fields and columns, and errors into data. It
//! decides nothing: all defaults are in the core.
//!
//! Each search is queued on the process-wide [`cairn_pool::Pool`] and settles a promise; a search that streams and a call of
//! `files` have threads of their own, which may wait. Nothing blocks the event loop or runs on libuv's pool. A panic becomes an error with code `INTERNAL`.

#![cfg_attr(test, allow(dead_code, reason = "under test nothing is registered with Node"))]
#![allow(unreachable_pub, reason = "`#[napi]` items are public to JavaScript, not to Rust")]

mod cache;
mod columns;
mod error;
mod files;
mod find;
mod glob;
mod grep;
mod input;
mod options;
mod stream;
mod task;
mod tree;
mod utf16;
