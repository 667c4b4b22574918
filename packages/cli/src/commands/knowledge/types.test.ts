import { ASSET_TYPES } from '@cairn/knowledge';
import { expect, test } from 'vitest';
import { ASSET_TYPE_NAMES } from './options.ts';

test('the command line knows the types of the package', () => {
  expect(ASSET_TYPE_NAMES).toEqual(ASSET_TYPES);
});
