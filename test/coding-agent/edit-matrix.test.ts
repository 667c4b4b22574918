import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createCodingTools } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { cases } from '../../bench/edit-matrix/cases.ts';
import { runCase } from '../../bench/edit-matrix/judge.ts';
import { cairnProduct } from '../../bench/edit-matrix/product.ts';
import type { Answer, Product } from '../../bench/edit-matrix/product.ts';

const cairn = cairnProduct(createCodingTools);

test.each(cases.map((one) => [one.title, one] as const))('edit matrix: %s', async (_title, one) => {
  expect(await runCase(one, cairn)).toEqual({ kind: 'ok', text: '' });
});

const done: Answer = { isError: false, text: '' };

/** A product that checks nothing and rejects nothing: reads a file as text, changes the text, and saves it. */
function careless(name: string, save: (path: string, text: string) => void, load = readText): Product {
  return {
    name,
    open: async (root) => ({
      read: async (path) => ({ isError: false, text: readText(resolve(root, path)) }),
      write: async (path, content) => {
        save(resolve(root, path), content);
        return done;
      },
      edit: async (path, edits) => {
        const content = load(resolve(root, path));
        // Another call comes between.
        await Promise.resolve();
        save(
          resolve(root, path),
          edits.reduce((text, { oldText, newText }) => text.replace(oldText, newText), content),
        );
        return done;
      },
      close: async () => undefined,
    }),
  };
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

const inPlace = careless('in place', (path, text) => writeFileSync(path, text));

const tidy = careless(
  'tidy',
  (path, text) => {
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
  },
  (path) =>
    `${readText(path)
      .replace(/^\ufeff/u, '')
      .replaceAll(/\s*\r?\n|\r/gu, '\n')
      .trimEnd()}\n`,
);

test('the matrix detects damage by careless products', async () => {
  const seen = await Promise.all(
    cases.map(async (one) => {
      const verdicts = [await runCase(one, inPlace), await runCase(one, tidy)];
      return { title: one.title, seen: verdicts.some(({ kind }) => kind !== 'ok') };
    }),
  );
  // These are for products that reject too much.
  expect(seen.filter((one) => !one.seen).map(({ title }) => title)).toEqual([
    'file touched, but equal',
    'file replaced by another one of the same content',
  ]);
});
