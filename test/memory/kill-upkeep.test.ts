/**
 * A process that imports, or that changes a graph, is killed at random moments.
 * `CAIRN_MEMORY_KILLS=200 npm test -- ts test/memory/kill-upkeep.test.ts` is the long run.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createMemory } from '@cairn/memory';
import type { Memory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { useBackends } from './backends.ts';
import { persistents, startWriter } from './writers.ts';

useBackends();

const script = fileURLToPath(new URL('upkeep-child.ts', import.meta.url));
const KILLS = Number(process.env['CAIRN_MEMORY_KILLS'] ?? 5);

/** The lines of an export with some thousand records of each kind. */
function linesOf(): string[] {
  const now = Date.now();
  const line = (fields: object): string => JSON.stringify(fields);
  const kinds = [
    (index: number) => {
      const fact = { id: `fact_${index}`, text: `fact ${index}`, createdAt: now + index };
      return line({ kind: 'fact', scope: 'user', fact });
    },
    (index: number) => {
      const message = { id: `m${index}`, role: 'user', content: `message ${index}`, time: now + index };
      return line({ kind: 'message', stream: 's', group: `g${index % 3}`, ...message });
    },
    (index: number) => {
      const entity = { type: 'entity', name: `e${index}`, entityType: 't', observations: ['x'] };
      return line({ kind: 'graph', graph: 'g', line: entity });
    },
    (index: number) => line({ kind: 'record', namespace: 'n', key: 'k', value: { index }, time: now + index }),
    (index: number) => line({ kind: 'newer', index }),
  ];
  return kinds.flatMap((kind) => Array.from({ length: 1500 }, (_, index) => kind(index)));
}

async function exported(memory: Memory): Promise<string[]> {
  return Array.fromAsync(memory.export());
}

describe.each(persistents)('on $name', ({ name, isSkipped, create, open }) => {
  test.skipIf(isSkipped)(
    `after ${KILLS} kills of an import, repeating it adds what is missing, and nothing twice`,
    async () => {
      const lines = linesOf();
      const file = `${temporaryDirectory()}/export.jsonl`;
      writeFileSync(file, lines.join('\n'));
      const whole = createMemory({ backend: inProcess(), retention: { maxMessages: Infinity } });
      await whole.import(lines);
      const expected = await exported(whole);
      const known = new Set(expected);
      const place = await create();
      let interrupted = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const writer = startWriter([name, place, 'import', file], false, script);
        // A random moment after some parts of it.
        await writer.printed(2 + (kill % 40));
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 8);
        const { signal } = await writer.ended;
        clearTimeout(timer);
        if (signal === 'SIGKILL') interrupted += 1;
        const memory = open(place);
        // Whatever is there is a part of the import, once.
        const found = await exported(memory);
        expect(new Set(found).size).toBe(found.length);
        expect(found.filter((one) => !known.has(one))).toEqual([]);
        await memory.close();
      }
      expect(interrupted).toBeGreaterThan(0);
      const memory = open(place);
      onTestFinished(() => memory.close());
      expect(await memory.import(lines)).toMatchObject({ dropped: 0, problems: [] });
      expect(await exported(memory)).toEqual(expected);
    },
    KILLS * 30_000,
  );

  test.skipIf(isSkipped)(
    `after each of ${KILLS} kills of changes of a graph, acknowledged changes are there, and a deletion is whole`,
    async () => {
      const place = await create();
      const old = Array.from({ length: 300 }, (_, index) => ({
        name: `old${index}`,
        entityType: 't',
        observations: [],
      }));
      for (let kill = 0; kill < KILLS; kill++) {
        const memory = open(place);
        onTestFinished(() => memory.close());
        const graph = `g${kill}`;
        await memory.graph(graph).createEntities(old);
        const writer = startWriter([name, place, 'graph', graph], false, script);
        await writer.printed(1 + kill * 7);
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 8);
        expect(await writer.ended).toMatchObject({ signal: 'SIGKILL' });
        clearTimeout(timer);
        const { entities, relations } = await memory.graph(graph).read();
        const byName = new Map(entities.map((entity) => [entity.name, entity]));
        expect(old.filter((entity) => !byName.has(entity.name))).toEqual([]);
        const acknowledged = new Set(writer.lines);
        const wrong: string[] = [];
        for (let index = 0; acknowledged.has(`entity ${index}`); index++) {
          const entity = byName.get(`e${index}`);
          const own = relations.filter(({ from }) => from === `e${index}`).length;
          const isSeen = acknowledged.has(`seen ${index}`);
          // The next change may have succeeded without its answer: a deletion, with all relations.
          const mayBeGone = index % 3 === 2 && isSeen;
          const isWhole = entity !== undefined && (own === 2 || (own === 0 && !isSeen));
          const isGone = entity === undefined && own === 0;
          const isRight = acknowledged.has(`deleted ${index}`) ? isGone : isWhole || (mayBeGone && isGone);
          const hasObservation = !isSeen || entity === undefined || entity.observations.includes('seen');
          if (!isRight || !hasObservation) wrong.push(`e${index}: ${JSON.stringify(entity)}, ${own} relations`);
        }
        expect(wrong).toEqual([]);
      }
    },
    KILLS * 30_000,
  );
});
