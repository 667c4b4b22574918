import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { circles, moduleUses, readRustFiles, rustCode } from './rust-modules.ts';

const crates = fileURLToPath(new URL('../../crates/', import.meta.url));
const names = readdirSync(crates).filter((name) => name !== 'fuzz');

test.each(names)('no two modules of %s use each other', (name) => {
  const uses = moduleUses(readRustFiles(join(crates, name, 'src')));
  expect(circles(uses)).toEqual([]);
});

test('reads every way in which a module names another', () => {
  const files = new Map([
    ['lib.rs', 'mod a;\nmod b;\nmod c;\nmod d;\nmod e;\npub use c::{Thing, Other};\n'],
    ['a.rs', 'use crate::b;\nfn f() { crate::d::g(); }'],
    ['b.rs', 'use crate::{Thing, d::{e, f}};\nfn f() { super::a::f(); }'],
    ['c.rs', 'use std::a;\n// crate::a\nconst T: &str = "crate::a";'],
    ['d/deep.rs', 'use super::e;\nuse super::super::a;'],
    ['d/tests.rs', 'use crate::c;'],
    ['e.rs', 'fn f() {}\n#[cfg(test)]\nmod tests {\n  fn g() { if true {} }\n  use crate::a;\n}\nuse crate::c;'],
  ]);
  const uses = Object.fromEntries([...moduleUses(files)].map(([name, used]) => [name, [...used].toSorted()]));
  expect(uses).toEqual({ a: ['b', 'd'], b: ['a', 'c', 'd'], c: [], d: ['a'], e: ['c'] });
});

test('a circle is reported once, with its way', () => {
  const uses = new Map(
    Object.entries({ a: ['b'], b: ['c'], c: ['a', 'd'], d: [] }).map(([name, used]) => [name, new Set(used)]),
  );
  expect(circles(uses)).toEqual(['a -> b -> c -> a']);
});

test('comments, strings, characters and lifetimes do not hide code', () => {
  expect(rustCode(`let q = '"'; crate::a(); // crate::b\nlet r = r#"crate::c"#; fn f<'a>(x: &'a str) {}`)).toBe(
    `let q = ""; crate::a();  \nlet r = ""; fn f<'a>(x: &'a str) {}`,
  );
});
