/** Several processes change facts at once, and are killed while they do. */
import { fileURLToPath } from 'node:url';
import { createMemory } from '@cairn/memory';
import type { Fact, Facts } from '@cairn/memory';
import { redis } from '@cairn/memory/redis';
import { sqlite } from '@cairn/memory/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useBackends } from './backends.ts';
import { persistents, startWriter } from './writers.ts';

useBackends();

const PROCESSES = 4;
const TEXTS = Number(process.env['CAIRN_MEMORY_WRITES'] ?? 40);
const KILLS = Number(process.env['CAIRN_MEMORY_KILLS'] ?? 6);
const script = fileURLToPath(new URL('facts-child.ts', import.meta.url));

/** A line of the child. */
interface Line {
  readonly did: 'remember' | 'own' | 'forget' | 'supersede';
  readonly id: string;
  readonly isNew?: boolean;
  readonly text?: string;
  readonly next?: string;
}

function openFacts(name: string, place: string): Facts {
  const memory = createMemory({
    backend: name === 'redis' ? redis({ url: place }) : sqlite({ path: place }),
    project: 'p',
  });
  onTestFinished(() => memory.close());
  return memory.facts;
}

const parse = (lines: readonly string[]): Line[] => lines.slice(1).map((line) => JSON.parse(line) as Line);

async function all(facts: Facts): Promise<Map<string, Fact>> {
  const active = await facts.list({ limit: Infinity });
  const archived = await facts.list({ limit: Infinity, archived: true });
  return new Map([...active.facts, ...archived.facts].map((fact) => [fact.id, fact]));
}

describe.each(persistents)('facts on $name', ({ name, isSkipped, create }) => {
  test.skipIf(isSkipped)(
    `${PROCESSES} processes remember the same texts at once: each text is one fact, with the tags of all`,
    async () => {
      const place = await create();
      const writers = Array.from({ length: PROCESSES }, (_, index) =>
        startWriter([name, place, `${index}`, `${TEXTS}`], true, script),
      );
      for (const writer of writers) await writer.printed(1);
      // All at once.
      for (const { child } of writers) child.stdin?.end('go\n');
      for (const { ended } of writers) expect(await ended).toMatchObject({ code: 0, stderr: '' });
      const facts = [...(await all(openFacts(name, place))).values()];
      expect(facts).toHaveLength(TEXTS);
      expect(new Set(facts.map(({ text }) => text)).size).toBe(TEXTS);
      const everyTag = Array.from({ length: PROCESSES }, (_, index) => `t${index}`);
      for (const { tags } of facts) expect(new Set(tags)).toEqual(new Set(everyTag));
      // The fact is new to one process, and all got its id.
      const lines = writers.flatMap((writer) => parse(writer.lines));
      expect(lines.filter(({ isNew }) => isNew === true)).toHaveLength(TEXTS);
      for (const { id, text } of lines) expect(facts.find((fact) => fact.id === id)?.text).toBe(text);
    },
    300_000,
  );

  test.skipIf(isSkipped)(
    `after each of ${KILLS} kills every acknowledged change is present`,
    async () => {
      const place = await create();
      const texts = new Map<string, string | undefined>();
      for (let kill = 0; kill < KILLS; kill++) {
        const writer = startWriter([name, place, `run${kill}`], false, script);
        await writer.printed(2 + Math.floor(Math.random() * 20));
        // A random moment during the current change.
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 8);
        const { signal, stderr } = await writer.ended;
        clearTimeout(timer);
        expect(signal, stderr).toBe('SIGKILL');
        const lines = parse(writer.lines);
        for (const { did, id, next, text } of lines) {
          if (did === 'forget') texts.set(id, undefined);
          else texts.set(next ?? id, text);
        }
        const facts = openFacts(name, place);
        const found = await all(facts);
        const last = lines.at(-1);
        // The next change of this fact may have succeeded without its answer.
        if (last?.did === 'own') texts.delete(last.id);
        for (const [id, text] of texts) expect(found.get(id)?.text).toBe(text);
        const acknowledged = lines.filter(({ did }) => did === 'supersede');
        for (const { id, next } of acknowledged) expect(found.get(id)?.supersededBy).toBe(next);
        // A superseded fact and its successor were written in one step.
        const successors = [...found.values()].filter(({ supersedes }) => supersedes !== undefined);
        for (const { id, supersedes = '' } of successors) expect(found.get(supersedes)?.supersededBy).toBe(id);
        const active = (await facts.list({ limit: Infinity })).facts.map(({ text }) => text);
        expect(new Set(active).size).toBe(active.length);
        const [newest] = (await facts.list({ limit: 1 })).facts;
        const recalled = await facts.recall({ query: newest?.text ?? '', limit: 50 });
        expect(recalled.facts.map(({ id }) => id)).toContain(newest?.id);
      }
    },
    KILLS * 30_000,
  );

  test.skipIf(isSkipped)(
    `after each of ${KILLS} kills of a move all facts are present, and another move finishes it`,
    async () => {
      const place = await create();
      const facts = openFacts(name, place);
      for (let index = 0; index < 250; index++) await facts.remember(`fact ${index}`);
      const byId = (left: Fact, right: Fact): number => (left.id < right.id ? -1 : 1);
      const expected = (await facts.list({ limit: Infinity })).facts.toSorted(byId);
      const ids = new Set(expected.map(({ id }) => id));
      for (let kill = 0; kill < KILLS; kill++) {
        const writer = startWriter([name, place, 'move'], false, script);
        await writer.printed(1 + Math.floor(Math.random() * 2));
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 60);
        const { signal, stderr } = await writer.ended;
        clearTimeout(timer);
        expect(signal, stderr).toBe('SIGKILL');
        const [p, q] = await Promise.all(['p', 'q'].map((project) => facts.list({ project, limit: Infinity })));
        expect(new Set([...(p?.facts ?? []), ...(q?.facts ?? [])].map(({ id }) => id))).toEqual(ids);
        await facts.moveProject('q', 'p');
        // Facts of one millisecond may have another order.
        const { facts: moved } = await facts.list({ limit: Infinity });
        expect(moved.toSorted(byId)).toEqual(expected);
        expect((await facts.list({ project: 'q' })).total).toBe(0);
      }
    },
    KILLS * 30_000,
  );
});
