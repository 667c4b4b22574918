import { createMemory } from '@cairn/memory';
import type { Entity, KnowledgeGraph, Relation, UnreadableRecord } from '@cairn/memory';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backendKinds, openMemory, useBackends } from './backends.ts';

useBackends();

const ann: Entity = { name: 'Ann', entityType: 'person', observations: ['likes tea'] };
const bob: Entity = { name: 'Bob', entityType: 'person', observations: [] };
const knows: Relation = { from: 'Ann', to: 'Bob', relationType: 'knows' };
const key = 'ai:graph:default';

function sorted({ entities, relations }: KnowledgeGraph): KnowledgeGraph {
  const text = (one: object): string => JSON.stringify(one);
  return {
    entities: entities.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)),
    relations: relations.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)),
  };
}

describe.each(backendKinds)('a knowledge graph on $name', (kind) => {
  test.skipIf(kind.isSkipped)('has a row for each entity and relation', async () => {
    const { memory } = await openMemory(kind);
    await memory.graph().createEntities([ann, bob]);
    await memory.graph().createRelations([knows, knows]);
    expect(await memory.backend.keys(key)).toMatchObject([{ key, records: 3 }]);
    expect(await memory.graph().read()).toEqual({ entities: [ann, bob], relations: [knows] });
    expect(await memory.graph().deleteRelations([knows, { ...knows, to: 'no' }])).toBe(1);
    expect(await memory.graph('other').read()).toEqual({ entities: [], relations: [] });
  });

  test.skipIf(kind.isSkipped)('rejects all observations when one entity is unknown', async () => {
    const { memory } = await openMemory(kind);
    const graph = memory.graph();
    await graph.createEntities([ann]);
    const call = graph.addObservations([
      { entityName: 'Ann', contents: ['plays go'] },
      { entityName: 'Nobody', contents: ['x'] },
    ]);
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('"Nobody"') });
    expect((await graph.read()).entities).toEqual([ann]);
    const twice = { entityName: 'Ann', contents: ['plays go', 'plays go', 'likes tea'] };
    expect(await graph.addObservations([twice, twice])).toEqual([
      { entityName: 'Ann', addedObservations: ['plays go'] },
      { entityName: 'Ann', addedObservations: [] },
    ]);
  });

  test.skipIf(kind.isSkipped)('rejects what is neither an entity nor a relation', async () => {
    const { memory } = await openMemory(kind);
    const graph = memory.graph();
    const bad = [{ name: 'x', entityType: 't', observations: 'no' }, { name: 5 }, null];
    for (const one of bad) {
      await expect(graph.createEntities([ann, one as never])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect(graph.createRelations([knows, one as never])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(await memory.backend.keys('')).toEqual([]);
  });

  test.skipIf(kind.isSkipped)('loses no change of several writers at once', async () => {
    const { memory } = await openMemory(kind);
    const names = Array.from({ length: 40 }, (_, index) => `e${index}`);
    const entity = (name: string): Entity => ({ name, entityType: 't', observations: [] });
    await memory.graph().createEntities([ann]);
    await Promise.all(
      names.flatMap((name) => [
        memory.graph().createEntities([entity(name)]),
        memory.graph().addObservations([{ entityName: 'Ann', contents: [name] }]),
      ]),
    );
    const { entities } = await memory.graph().read();
    expect(new Set(entities.map(({ name }) => name))).toEqual(new Set(['Ann', ...names]));
    expect(new Set(entities.find(({ name }) => name === 'Ann')?.observations)).toEqual(
      new Set(['likes tea', ...names]),
    );
  });

  test.skipIf(kind.isSkipped)('deletes an entity with the relations that are added concurrently', async () => {
    const { memory } = await openMemory(kind);
    const graph = memory.graph();
    for (let round = 0; round < 10; round++) {
      await graph.createEntities([ann, bob]);
      const added: Promise<unknown>[] = [];
      // The first call of each page of the deletion gives another writer its chance.
      const deletion = graph.deleteEntities(['Ann']);
      for (let index = 0; index < 5; index++) {
        added.push(graph.createRelations([{ ...knows, relationType: `${round} ${index}` }]));
      }
      const [deleted] = await Promise.all([deletion, ...added]);
      expect(deleted).toBe(1);
      const { entities, relations } = await graph.read();
      expect(entities).toEqual([bob]);
      // Those that are left were added after the deletion.
      await graph.deleteRelations(relations);
    }
  });

  test.skipIf(kind.isSkipped)('that others change all the time loses an entity with all of its relations', async () => {
    const { backend } = await openMemory(kind);
    const others = createMemory({ backend }).graph();
    await others.createEntities([ann, bob, { ...ann, name: 'Eve' }]);
    await others.createRelations([knows, { ...knows, from: 'Eve' }]);
    let left = 30;
    const memory = createMemory({
      backend: {
        ...backend,
        change: async (one, change) => {
          left -= 1;
          // Another process is first: with a relation of the entity, or by removing one.
          if (left === 20) await others.deleteRelations([knows]);
          else if (left === 10) await others.deleteEntities(['Eve']);
          else if (left > 0) await others.createRelations([{ ...knows, relationType: `${left}` }]);
          return backend.change(one, change);
        },
      },
    });
    expect(await memory.graph().deleteEntities(['Ann', 'Eve'])).toBe(1);
    expect(left).toBe(0);
    expect(await others.read()).toEqual({ entities: [bob], relations: [] });
  });

  test.skipIf(kind.isSkipped)('with a corrupt row returns the others, and reports it', async () => {
    const found: UnreadableRecord[] = [];
    const { memory } = await openMemory(kind, { onUnreadable: (record) => found.push(record) });
    const graph = memory.graph();
    await graph.createEntities([ann, bob]);
    const [row] = (await memory.backend.page(key, { order: 'written' })).rows;
    const damaged = { id: row?.id ?? '', expected: row?.text, next: '{"type":"entity","name":"Ann"' };
    await memory.backend.change(key, { rows: [damaged] });
    expect(await graph.read()).toEqual({ entities: [bob], relations: [] });
    expect(found).toEqual([{ key, id: damaged.id, record: damaged.next }]);
    expect(await memory.unreadable()).toEqual(found);
    await expect(graph.createEntities([ann])).rejects.toMatchObject({ code: 'CORRUPT_RECORD' });
    expect(await graph.deleteEntities(['Ann'])).toBe(1);
    expect(await graph.createEntities([ann])).toEqual([ann]);
  });
});

/** A graph as the memory server of the Model Context Protocol keeps it: arrays that are searched. */
class SlowGraph {
  entities: Entity[] = [];
  relations: Relation[] = [];
  createEntities(all: readonly Entity[]): void {
    for (const one of all) if (!this.entities.some(({ name }) => name === one.name)) this.entities.push(one);
  }
  createRelations(all: readonly Relation[]): void {
    const text = (one: Relation): string => [one.from, one.to, one.relationType].join('\0');
    for (const one of all) if (!this.relations.some((each) => text(each) === text(one))) this.relations.push(one);
  }
  addObservations(name: string, content: string): void {
    this.entities = this.entities.map((one) =>
      one.name === name && !one.observations.includes(content)
        ? { ...one, observations: [...one.observations, content] }
        : one,
    );
  }
  deleteObservations(name: string, content: string): void {
    this.entities = this.entities.map((one) =>
      one.name === name ? { ...one, observations: one.observations.filter((each) => each !== content) } : one,
    );
  }
  deleteEntities(names: readonly string[]): void {
    this.entities = this.entities.filter(({ name }) => !names.includes(name));
    this.relations = this.relations.filter(({ from, to }) => !names.includes(from) && !names.includes(to));
  }
}

test('a graph equals a slow model after any changes', async () => {
  const name = fc.constantFrom('a', 'b', 'c', '\ud800', '\udc00', 'x'.repeat(2000), '');
  const entity = fc.record({
    name,
    entityType: fc.constantFrom('t', 'u'),
    observations: fc.uniqueArray(fc.constantFrom('1', '2', '3'), { maxLength: 2 }),
  });
  const relation = fc.record({ from: name, to: name, relationType: fc.constantFrom('r', 's') });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('entities' as const), all: fc.array(entity, { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('relations' as const), all: fc.array(relation, { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('add' as const), name, content: fc.constantFrom('1', '2', '3') }),
    fc.record({ kind: fc.constant('remove' as const), name, content: fc.constantFrom('1', '2', '3') }),
    fc.record({ kind: fc.constant('delete' as const), names: fc.array(name, { maxLength: 2 }) }),
  );
  const kind = backendKinds[0] as (typeof backendKinds)[0];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { memory } = await openMemory(kind);
      const graph = memory.graph();
      const model = new SlowGraph();
      for (const one of steps) {
        if (one.kind === 'entities') {
          await graph.createEntities(one.all);
          model.createEntities(one.all);
        } else if (one.kind === 'relations') {
          await graph.createRelations(one.all);
          model.createRelations(one.all);
        } else if (one.kind === 'add') {
          await graph.addObservations([{ entityName: one.name, contents: [one.content] }]).catch(() => undefined);
          model.addObservations(one.name, one.content);
        } else if (one.kind === 'remove') {
          await graph.deleteObservations([{ entityName: one.name, contents: [one.content] }]);
          model.deleteObservations(one.name, one.content);
        } else {
          await graph.deleteEntities(one.names);
          model.deleteEntities(one.names);
        }
      }
      expect(sorted(await graph.read())).toEqual(sorted(model));
    }),
    { numRuns: 150 },
  );
});
