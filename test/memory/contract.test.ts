import { backendContract, clockContract } from '@cairn/memory/testing';
import { describe, test } from 'vitest';
import { backendKinds, useBackends } from './backends.ts';

useBackends();

describe.each(backendKinds)('the backend $name', ({ open, isSkipped }) => {
  test.skipIf(isSkipped).each(backendContract)('$name', async ({ run }) => run(open));
});

describe.each(backendKinds.filter(({ name }) => name !== 'redis'))('the backend $name', ({ open }) => {
  test.each(clockContract)('$name', async ({ run }) => run(open));
});
