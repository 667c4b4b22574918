/** Eight processes write at once: 250 acknowledged writes each, in the same group, and 25 requests that all of them repeat. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { useBackends } from './backends.ts';
import { persistents, startWriter } from './writers.ts';

useBackends();

const PROCESSES = 8;
const WRITES = Number(process.env['CAIRN_MEMORY_WRITES'] ?? 250);

describe.each(persistents)('on $name', ({ name, isSkipped, create, open, problems }) => {
  test.skipIf(isSkipped)(
    `${PROCESSES} processes x ${WRITES} acknowledged writes: all are present, and the store is whole`,
    async () => {
      const place = await create();
      const writers = Array.from({ length: PROCESSES }, (_, index) =>
        startWriter([name, place, `${index}`, `${WRITES}`], true),
      );
      for (const writer of writers) await writer.printed(1);
      // All at once.
      for (const { child } of writers) child.stdin?.end('go\n');
      for (const { ended } of writers) expect(await ended).toMatchObject({ code: 0, stderr: '' });
      const memory = open(place);
      onTestFinished(() => memory.close());
      const contents = (await memory.messages.history({ stream: 's', group: 'g' })).map(({ content }) => content);
      expect(contents).toHaveLength(PROCESSES * WRITES);
      expect(new Set(contents).size).toBe(PROCESSES * WRITES);
      // Each process finds its own in the order in which it wrote them.
      for (let index = 0; index < PROCESSES; index++) {
        const own = contents.filter((content) => content.startsWith(`${index} `));
        expect(own).toEqual(Array.from({ length: WRITES }, (_, write) => `${index} ${WRITES - 1 - write}`));
      }
      const once = (await memory.messages.history({ stream: 's', group: 'once' })).map(({ id }) => Number(id));
      expect(once.toSorted((a, b) => a - b)).toEqual(Array.from({ length: WRITES / 10 }, (_, index) => index * 10));
      expect(await problems(place)).toEqual([]);
    },
    300_000,
  );
});
