/**
 * `npm run words [-- <path>...]`: reports the words that this project does not use, with the words to use instead.
 * Without a path it reads every document, source and manifest of the repository. Exit code 1 when it reports anything.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

import { root } from './lib/paths.mjs';
import { findUnwantedWords } from './lib/words.mjs';

const checked = /\.(?:md|ts|mjs|cjs|rs|json|jsonc|toml|ya?ml)$|^\.ci\/run$/u;
/** Generated or written by tools, and texts in the words of users. */
const skipped =
  /(?:^|\/)(?:pnpm-lock\.yaml|binding\/.*|test\/retrieval\/questions\.ts|test\/knowledge\/fixture\/.*|test\/context\/summary-corpus\.ts|context\/src\/modes\/cues\.ts|retrieval\/src\/common-words\.ts)$/u;

/** @param {string} path */
const fromRoot = (path) =>
  relative(root, resolve(process.env['INIT_CWD'] ?? '.', path))
    .split(sep)
    .join('/');

const given = process.argv.slice(2).map(fromRoot);
const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);

const files = listed.stdout
  .split('\0')
  .filter((path) => checked.test(path) && !skipped.test(path) && existsSync(join(root, path)))
  .filter((path) => given.length === 0 || given.some((prefix) => prefix === '' || `${path}/`.startsWith(`${prefix}/`)));
if (files.length === 0) throw new Error(`no file of the repository is below ${given.join(', ')}`);

/** @type {string[]} */
const lines = [];
/** @type {Map<string, number>} */
const counts = new Map();
for (const path of files) {
  for (const { line, text, use } of findUnwantedWords(path, readFileSync(join(root, path), 'utf8'))) {
    lines.push(`${path}:${line}: "${text}"; use: ${use}`);
    counts.set(use, (counts.get(use) ?? 0) + 1);
  }
}
process.stdout.write(lines.map((line) => `${line}\n`).join(''));
for (const [use, count] of [...counts].toSorted(([, left], [, right]) => right - left)) {
  process.stderr.write(`${String(count).padStart(5)}  use: ${use}\n`);
}
process.stderr.write(`${lines.length} unwanted words in ${files.length} files\n`);
process.exitCode = lines.length === 0 ? 0 : 1;
