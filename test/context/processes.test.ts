/**
 * Processes that write one history at once, and processes that are killed.
 * `CAIRN_MEMORY_KILLS=200 npm test -- ts test/context/processes.test.ts` is the long run.
 */
import { fileURLToPath } from 'node:url';
import { openContexts } from '@cairn/context';
import type { UnifiedMessage } from '@cairn/context';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useBackends } from '../memory/backends.ts';
import { persistents, startWriter } from '../memory/writers.ts';
import { contentOf, turnOf, withFile } from './contexts.ts';

useBackends();

const child = fileURLToPath(new URL('histories-child.ts', import.meta.url));
const PROCESSES = 4;
const TURNS = 25;
const KILLS = Number(process.env['CAIRN_MEMORY_KILLS'] ?? 6);

/** Returns the names of the turns of a history; each must be whole. */
function namesOf(messages: readonly UnifiedMessage[]): string[] {
  const names: string[] = [];
  for (let index = 0; index < messages.length;) {
    const isFile = Array.isArray(messages[index]?.content);
    const name = contentOf(messages[isFile ? index + 1 : index]);
    const fill = Number(name.split(' ')[1]);
    if (isFile !== (fill % 10 === 9)) throw new Error(`${name} has a file or lacks one`);
    const turn = [...(isFile ? [withFile(300_000, fill % 256)] : []), ...turnOf(name)];
    expect(JSON.stringify(messages.slice(index, index + turn.length))).toBe(JSON.stringify(turn));
    names.push(name);
    index += turn.length;
  }
  return names;
}

describe.each(persistents)('on $name', ({ name, isSkipped, create, open, problems }) => {
  test.skipIf(isSkipped)(
    `${PROCESSES} processes add ${TURNS} turns each: all are whole, and in their order`,
    async () => {
      const place = await create();
      const writers = Array.from({ length: PROCESSES }, (_, index) =>
        startWriter([name, place, `p${index}`, `${TURNS}`], true, child),
      );
      for (const writer of writers) await writer.printed(1);
      // All at once.
      for (const { child: writer } of writers) writer.stdin?.end('go\n');
      for (const { ended } of writers) expect(await ended).toMatchObject({ code: 0, stderr: '' });
      const memory = open(place);
      onTestFinished(() => memory.close());
      const manager = await openContexts({ store: memory, session: 's' });
      const names = namesOf(manager.main.conversationHistory);
      expect(manager.problems).toEqual([]);
      expect(names).toHaveLength(PROCESSES * TURNS);
      for (let index = 0; index < PROCESSES; index++) {
        const own = names.filter((one) => one.startsWith(`p${index} `));
        expect(own).toEqual(Array.from({ length: TURNS }, (_, turn) => `p${index} ${turn}`));
      }
      expect(await problems(place)).toEqual([]);
    },
    120_000,
  );

  test.skipIf(isSkipped)(
    `after each of ${KILLS} kills every acknowledged turn is there, and none is half`,
    async () => {
      const place = await create();
      const acknowledged: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const writer = startWriter([name, place, `run${kill}`], false, child);
        await writer.printed(2 + Math.floor(Math.random() * 40));
        // A random moment during the current write.
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 8);
        const { signal, stderr } = await writer.ended;
        clearTimeout(timer);
        expect(signal, stderr).toBe('SIGKILL');
        acknowledged.push(...writer.lines.slice(1));
        expect(await problems(place)).toEqual([]);
        const memory = open(place);
        const manager = await openContexts({ store: memory, session: 's' });
        expect(manager.problems).toEqual([]);
        // The last turn of a run may be there without its answer.
        const names = namesOf(manager.main.conversationHistory);
        const extra = names.filter((one) => !acknowledged.includes(one));
        expect(names.filter((one) => acknowledged.includes(one))).toEqual(acknowledged);
        expect(extra.length).toBeLessThanOrEqual(kill + 1);
        await memory.close();
      }
    },
    KILLS * 30_000,
  );

  test.skipIf(isSkipped)('another process notices a clear, and does not undo it', async () => {
    const place = await create();
    const memory = open(place);
    onTestFinished(() => memory.close());
    const manager = await openContexts({ store: memory, session: 's' });
    await manager.appendTurn('a', turnOf('old 0'), 'shared');
    // It has read the old turn when it says that it is ready.
    const writer = startWriter([name, place, 'p', '10'], true, child);
    await writer.printed(1);
    await manager.clearHistory('a', 'shared');
    writer.child.stdin?.end('go\n');
    expect(await writer.ended).toMatchObject({ code: 0, stderr: '' });
    await manager.refresh();
    const expected = Array.from({ length: 10 }, (_, turn) => `p ${turn}`);
    expect(namesOf(manager.main.conversationHistory)).toEqual(expected);
    const again = await openContexts({ store: memory, session: 's' });
    expect(namesOf(again.main.conversationHistory)).toEqual(expected);
  });
});
