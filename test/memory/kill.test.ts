/**
 * A process that writes messages, notes and workflows is killed at random moments.
 * `CAIRN_MEMORY_KILLS=200 npm test -- ts test/memory/kill.test.ts` is the long run.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { useBackends } from './backends.ts';
import { persistents, startWriter } from './writers.ts';

useBackends();

const KILLS = Number(process.env['CAIRN_MEMORY_KILLS'] ?? 6);

describe.each(persistents)('on $name', ({ name, isSkipped, create, open, problems }) => {
  test.skipIf(isSkipped)(
    `after each of ${KILLS} kills every acknowledged write is present, and every key expires`,
    async () => {
      const place = await create();
      const acknowledged = new Set<string>();
      let killed = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const writer = startWriter([name, place, `run${kill}`]);
        await writer.printed(2 + Math.floor(Math.random() * 40));
        // A random moment during the current writes.
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 8);
        const { signal, stderr } = await writer.ended;
        clearTimeout(timer);
        expect(signal, stderr).toBe('SIGKILL');
        killed += 1;
        for (const line of writer.lines) acknowledged.add(line);
        expect(await problems(place)).toEqual([]);

        const memory = open(place);
        onTestFinished(() => memory.close());
        const messages = new Set(
          (await memory.messages.history({ stream: 's', group: 'g' })).map(({ content }) => content),
        );
        // Each run has its own notes. The last round checks the notes of all runs.
        const runs = kill === KILLS - 1 ? Array.from({ length: KILLS }, (_, run) => run) : [kill];
        const notes = new Set<string>();
        for (const run of runs) for (const { content } of await memory.getNotes(`run${run}`)) notes.add(content);
        const lost = [...acknowledged].filter((line) => {
          const [what = '', run = '', index = ''] = line.split(' ');
          if (what === 'message') return !messages.has(`${run} ${index}`);
          return what === 'note' && runs.includes(Number(run.slice('run'.length))) && !notes.has(`${run} ${index}`);
        });
        expect(lost).toEqual([]);
        const last = writer.lines
          .filter((line) => line.startsWith('workflow '))
          .at(-1)
          ?.slice('workflow '.length);
        const results = (await memory.workflows.list()).map(
          async ({ id }) => (await memory.workflows.get(id)).todos[0]?.result,
        );
        // The next write may have succeeded without its answer.
        const next = last?.replace(/\d+$/u, (index) => `${Number(index) + 1}`);
        expect((await Promise.all(results)).some((result) => result === last || result === next)).toBe(true);
        await memory.close();
      }
      expect(killed).toBe(KILLS);
    },
    KILLS * 30_000,
  );
});
