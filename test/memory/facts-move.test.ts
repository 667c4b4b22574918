/** Facts that move from one project to another. */
import { createMemory } from '@cairn/memory';
import type { Facts, MemoryBackend } from '@cairn/memory';
import { describe, expect, test } from 'vitest';
import { useBackends } from './backends.ts';
import { failureOf, KEY, kinds, openFacts, PROJECT, textsIn } from './facts-harness.ts';

useBackends();

const TO = '/home/user/renamed';
const TARGET = `ai:facts:project:${TO}`;

async function remember(facts: Facts, project: string, ...texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) ids.push((await facts.remember(text, { project })).fact.id);
  return ids;
}

describe.each(kinds)('a project that moves in $name', (kind) => {
  test('takes all facts with their ids, versions and links', async () => {
    const { facts, backend } = await openFacts(kind);
    const [a = '', b = '', c = ''] = await remember(facts, PROJECT, 'a', 'b', 'c');
    await facts.update(a, { text: 'a2', tags: ['t'] });
    const next = await facts.supersede(b, 'b2');
    await facts.archive(c);
    await backend.change(KEY, { rows: [{ id: 'bad', expected: undefined, next: 'nonsense' }] });
    const before = await facts.list({ scope: 'project' });
    expect(await facts.moveProject(PROJECT, TO)).toEqual({ moved: 5, merged: 0 });
    const moved = before.facts.map((fact) => ({ ...fact, project: TO }));
    expect((await facts.list({ scope: 'project', project: TO })).facts).toEqual(moved);
    expect(await facts.get(b, { project: TO })).toMatchObject({ supersededBy: next.id });
    expect(await facts.restore(a, { project: TO })).toMatchObject({ text: 'a' });
    expect(await facts.restore(c, { project: TO })).toMatchObject({ text: 'c' });
    expect((await backend.rows(TARGET, ['bad']))[0]?.text).toBe('nonsense');
    expect(await textsIn(facts, { scope: 'project' })).toEqual([]);
    expect(await facts.projects()).toEqual([{ project: TO, facts: 5 }]);
    // Repeated, it does nothing.
    expect(await facts.moveProject(PROJECT, TO)).toEqual({ moved: 0, merged: 0 });
    // The texts still belong to their facts.
    expect((await facts.remember('B2', { project: TO })).isNew).toBe(false);
  });

  test('merges a fact with one of the same text, and loses neither tags nor the id', async () => {
    const { facts } = await openFacts(kind);
    const { fact: own } = await facts.remember('The port is 80', { tags: ['a'], pinned: true });
    const { fact: other } = await facts.remember('the port is 80.', { project: TO, tags: ['b'] });
    expect(await facts.moveProject(PROJECT, TO)).toEqual({ moved: 0, merged: 1 });
    expect(await textsIn(facts, { project: TO })).toEqual([other.text]);
    expect(await facts.get(other.id, { project: TO })).toMatchObject({ tags: ['b', 'a'], pinned: true });
    expect(await facts.get(own.id, { project: TO })).toMatchObject({ supersededBy: other.id, text: own.text });
  });

  test('merges a fact with many tags, and leaves those out that do not fit', async () => {
    const { facts } = await openFacts(kind);
    const tagsOf = (name: string): string[] => Array.from({ length: 40 }, (_, index) => `${name}${index}`);
    const { fact: own } = await facts.remember('same', { tags: tagsOf('a') });
    const { fact: other } = await facts.remember('Same', { project: TO, tags: tagsOf('b') });
    expect(await facts.moveProject(PROJECT, TO)).toEqual({ moved: 0, merged: 1 });
    expect((await facts.get(other.id, { project: TO })).tags).toEqual([...tagsOf('b'), ...tagsOf('a').slice(0, 10)]);
    expect((await facts.get(own.id, { project: TO })).tags).toEqual(tagsOf('a'));
  });

  test('keeps the later version of a fact that is in both, and both of two that were changed apart', async () => {
    const { facts, backend } = await openFacts(kind);
    const ids = await remember(facts, PROJECT, 'a', 'b', 'c');
    // A move that was killed before it removed the facts here.
    const copies = (await backend.rows(KEY, ids)).map((row) => ({
      id: row?.id ?? '',
      next: row?.text,
      expected: undefined,
    }));
    await backend.change(TARGET, { rows: copies });
    const [a = '', b = '', c = ''] = ids;
    await facts.update(a, { text: 'a here' });
    await facts.update(b, { text: 'b there', project: TO });
    await facts.update(c, { text: 'c here' });
    await facts.update(c, { text: 'c there', project: TO });
    const rows = (await backend.page(KEY, { order: 'written' })).rows.map(({ id, text }) => ({
      id,
      next: text,
      expected: undefined,
    }));
    await facts.moveProject(PROJECT, TO);
    // The same facts once more.
    await backend.change(KEY, { rows });
    await facts.moveProject(PROJECT, TO);
    expect((await textsIn(facts, { project: TO })).toSorted()).toEqual(['a here', 'b there', 'c here', 'c there']);
    expect((await facts.list({ project: TO, archived: true })).total).toBe(0);
    expect(await facts.get(a, { project: TO })).toMatchObject({ text: 'a here' });
    expect(await facts.get(b, { project: TO })).toMatchObject({ text: 'b there' });
    expect(await facts.get(c, { project: TO })).toMatchObject({ text: 'c there' });
    expect(await textsIn(facts)).toEqual([]);
  });

  test('is finished by a second call, whichever step the first one ended at', async () => {
    for (let steps = 1; ; steps++) {
      const { facts, backend, memory } = await openFacts(kind);
      await remember(facts, PROJECT, ...Array.from({ length: 5 }, (_, index) => `fact ${index}`));
      await remember(facts, TO, 'Fact 3!', 'own');
      let left = steps;
      const dying: Pick<MemoryBackend, 'change'> = {
        change: async (key, change, options) => {
          left -= 1;
          if (left < 0) throw new Error('killed');
          return backend.change(key, change, options);
        },
      };
      const killed = createMemory({ backend: { ...backend, ...dying } }).facts.moveProject(PROJECT, TO);
      const isKilled = await killed.then(
        () => false,
        () => true,
      );
      // Nothing is missing in between.
      const both = [...(await textsIn(facts)), ...(await textsIn(facts, { project: TO }))];
      for (let index = 0; index < 5; index++) {
        expect(both.map((text) => text.toLowerCase().replace('!', ''))).toContain(`fact ${index}`);
      }
      await facts.moveProject(PROJECT, TO);
      expect((await textsIn(facts, { project: TO })).toSorted()).toEqual([
        'Fact 3!',
        'fact 0',
        'fact 1',
        'fact 2',
        'fact 4',
        'own',
      ]);
      expect(await textsIn(facts)).toEqual([]);
      await memory.close();
      if (!isKilled) break;
      expect(steps).toBeLessThan(50);
    }
  });

  test('moves many facts, in the order of their times', async () => {
    const { facts, backend } = await openFacts(kind);
    const rows = Array.from({ length: 450 }, (_, index) => {
      const fact = {
        id: `f${index}`,
        text: `fact ${index}`,
        shared: true,
        createdAt: 1_700_000_000_000 + (index % 7),
        updatedAt: 1_700_000_000_000 + (index % 7),
      };
      return { id: fact.id, expected: undefined, next: JSON.stringify(fact) };
    });
    await backend.change(KEY, { rows });
    const before = await textsIn(facts);
    expect(await facts.moveProject(PROJECT, TO)).toEqual({ moved: 450, merged: 0 });
    expect(await textsIn(facts, { project: TO })).toEqual(before);
  });

  test('needs two different projects', async () => {
    const { facts } = await openFacts(kind);
    expect(await failureOf(facts.moveProject(PROJECT, PROJECT))).toMatchObject({ code: 'INVALID_INPUT' });
    expect(await failureOf(facts.moveProject(PROJECT, ''))).toMatchObject({ code: 'INVALID_NAME' });
  });
});
