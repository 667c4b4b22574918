import { backendContract } from '@cairn/memory/testing';
import { describe, test } from 'vitest';
import { backendKinds, useBackends } from './backends.ts';

useBackends();

describe.each(backendKinds)('the backend $name', ({ open, isSkipped }) => {
  test.skipIf(isSkipped).each(backendContract)('$name', async ({ run }) => run(open));
});
