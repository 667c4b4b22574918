import { backendContract, clockContract } from '@cairn/memory/testing';
import { describe, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { backendKinds, manualClock, useBackends } from './backends.ts';
import { FileStore } from './file-store.ts';

useBackends();

describe.each(backendKinds)('the backend $name', ({ open, isSkipped }) => {
  test.skipIf(isSkipped).each(backendContract)('$name', async ({ run }) => run(open));
});

describe.each(backendKinds.filter(({ name }) => name !== 'redis'))('the backend $name', ({ open }) => {
  test.each(clockContract)('$name', async ({ run }) => run(open));
});

describe('the example of a store on files', () => {
  test.each(backendContract)('$name', async ({ run }) =>
    run(async () => {
      const clock = manualClock();
      const backend = new FileStore(temporaryDirectory(), clock.now);
      return { backend, advance: async (ms) => clock.add(ms) };
    }),
  );
});
