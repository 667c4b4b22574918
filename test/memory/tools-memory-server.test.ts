import { createMemory } from '@cairn/memory';
import { sqlite } from '@cairn/memory/sqlite';
import { createMemoryTools } from '@cairn/memory/tools';
import { textOf } from '@cairn/tool';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';
import { useBackends } from './backends.ts';
import { inProcess, open, useStore } from './tools-harness.ts';

useBackends();

describe('the tools with the names of the memory server', () => {
  if (inProcess) useStore(inProcess);

  test('a session gives the same results as that server', async () => {
    const memory = open();
    const tools = createMemoryTools({ memory, naming: 'mcp-memory' });
    const call = async (name: string, input: object): Promise<unknown> => {
      const answer = await tools[name]?.execute(input);
      if (answer === undefined || answer.isError) return answer;
      // Text and details have the same contents.
      const text = textOf(answer);
      return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : answer.details;
    };
    const ann = { name: 'Ann', entityType: 'person', observations: ['likes tea'] };
    const acme = { name: 'Acme', entityType: 'company', observations: [] };
    const works = { from: 'Ann', to: 'Acme', relationType: 'works at' };
    expect(await call('create_entities', { entities: [ann, acme] })).toEqual([ann, acme]);
    expect(await call('create_entities', { entities: [{ ...ann, observations: ['x'] }] })).toEqual([]);
    expect(await call('create_relations', { relations: [works, works] })).toEqual([works]);
    expect(
      await call('add_observations', { observations: [{ entityName: 'Ann', contents: ['likes tea', 'plays go'] }] }),
    ).toEqual([{ entityName: 'Ann', addedObservations: ['plays go'] }]);
    expect(
      await call('add_observations', {
        observations: [
          { entityName: 'Ann', contents: ['lost'] },
          { entityName: 'Bob', contents: ['x'] },
        ],
      }),
    ).toMatchObject({
      isError: true,
      details: { reason: 'INVALID_INPUT', changed: false },
    });
    const whole = { entities: [{ ...ann, observations: ['likes tea', 'plays go'] }, acme], relations: [works] };
    expect(await call('read_graph', {})).toEqual(whole);
    expect(await call('search_nodes', { query: 'GO' })).toEqual({ entities: [whole.entities[0]], relations: [works] });
    expect(await call('search_nodes', { query: 'go tea player' })).toEqual({
      entities: [whole.entities[0]],
      relations: [works],
    });
    // These have only a similar spelling, which the result has no field for.
    expect(await call('search_nodes', { query: 'Acmeology' })).toEqual({ entities: [], relations: [] });
    expect(await call('open_nodes', { names: ['Acme', 'nobody'] })).toEqual({ entities: [acme], relations: [works] });
    expect(
      await call('delete_observations', { deletions: [{ entityName: 'Ann', observations: ['likes tea'] }] }),
    ).toEqual({
      success: true,
      message: 'Observations deleted successfully',
    });
    expect(await call('delete_relations', { relations: [works] })).toMatchObject({ success: true });
    expect(await call('delete_entities', { entityNames: ['Acme'] })).toMatchObject({ success: true });
    expect(await call('read_graph', {})).toEqual({ entities: [{ ...ann, observations: ['plays go'] }], relations: [] });
  });

  test('its file is imported into an existing graph', async () => {
    const memory = open();
    const graph = memory.graph();
    await graph.createEntities([{ name: 'Ann', entityType: 'person', observations: ['plays go'] }]);
    const file = [
      '{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea"]}',
      '{"type":"entity","name":"Acme","entityType":"company","observations":[]}',
      '{"type":"relation","from":"Ann","to":"Acme","relationType":"works at"}',
    ];
    expect(await memory.import(file)).toMatchObject({ lines: 3, added: 3, present: 0, dropped: 0 });
    expect(await memory.import(file)).toMatchObject({ lines: 3, added: 0, present: 3, dropped: 0 });
    expect((await graph.read()).entities[0]).toMatchObject({ observations: ['plays go', 'likes tea'] });
    const exported: string[] = [];
    for await (const line of memory.export()) exported.push(line);
    const other = open();
    await other.import(exported);
    expect(await other.graph().read()).toEqual(await graph.read());
  });

  test('simultaneous changes are all kept', async () => {
    const path = `${temporaryDirectory()}/memory.db`;
    const memories = Array.from({ length: 4 }, () => createMemory({ backend: sqlite({ path }) }));
    onTestFinished(async () => {
      for (const memory of memories) await memory.close();
    });
    const names = Array.from({ length: 40 }, (_, index) => `entity ${index}`);
    const changes = names.map(async (name, index) =>
      memories[index % 4]?.graph().createEntities([{ name, entityType: 't', observations: [] }]),
    );
    await Promise.all(changes);
    const { entities } = (await memories[0]?.graph().read()) ?? { entities: [] };
    expect(entities.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });
});
