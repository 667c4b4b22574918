import { createCodingTools } from '@cairn/coding-agent';
import { expect, test } from 'vitest';
import { cases } from '../../bench/edit-matrix/cases.ts';
import { runCase } from '../../bench/edit-matrix/judge.ts';
import { cairnProduct } from '../../bench/edit-matrix/product.ts';

const cairn = cairnProduct(createCodingTools);

test.each(cases.map((one) => [one.title, one] as const))('edit matrix: %s', async (_title, one) => {
  expect(await runCase(one, cairn)).toEqual({ kind: 'ok', text: '' });
});
