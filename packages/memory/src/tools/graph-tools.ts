import { createTool, inputSchema, succeed } from '@cairn/tool';
import type { ToolAnnotations, ToolDefinition, ToolSuccess } from '@cairn/tool';
import { z } from 'zod';
import type { Graph } from '../graph/graph.ts';
import type { Entity, Relation } from '../graph/knowledge-graph.ts';
import { asToolErrors } from './tool-errors.ts';

const entity = z.object({
  name: z.string().describe('the name of the entity'),
  entityType: z.string().describe('the type of the entity'),
  observations: z.array(z.string()).describe('facts about the entity'),
});
const relation = z.object({
  from: z.string().describe('the name of the entity where the relation starts'),
  to: z.string().describe('the name of the entity where the relation ends'),
  relationType: z.string().describe('the type of the relation, in active voice'),
});

const shapes = {
  create_entities: { entities: z.array(entity) },
  create_relations: { relations: z.array(relation) },
  add_observations: {
    observations: z.array(z.object({ entityName: z.string(), contents: z.array(z.string()) })),
  },
  delete_entities: { entityNames: z.array(z.string()) },
  delete_observations: { deletions: z.array(z.object({ entityName: z.string(), observations: z.array(z.string()) })) },
  delete_relations: { relations: z.array(relation) },
  read_graph: {},
  search_nodes: { query: z.string().describe('a text to match against names, types and observations') },
  open_nodes: { names: z.array(z.string()) },
};

type Input<Name extends keyof typeof shapes> = z.output<z.ZodObject<(typeof shapes)[Name], z.core.$strict>>;

const additive: Omit<ToolAnnotations, 'title'> = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
const readOnly: Omit<ToolAnnotations, 'title'> = { ...additive, readOnlyHint: true, idempotentHint: true };
const deleting: Omit<ToolAnnotations, 'title'> = { ...additive, destructiveHint: true, idempotentHint: true };

/** Returns a result as the memory server does: JSON as text. */
function asJson<Details>(result: unknown, details: Details): ToolSuccess<Details> {
  return succeed(JSON.stringify(result, null, 2), details);
}

/** Creates the tools of `@modelcontextprotocol/server-memory`, with its names and shapes. */
export function createGraphTools(openGraph: () => Promise<Graph>): Readonly<Record<string, ToolDefinition>> {
  const tools: Record<string, ToolDefinition> = {};
  const add = <Name extends keyof typeof shapes>(
    name: Name,
    [title, description, annotations]: readonly [string, string, Omit<ToolAnnotations, 'title'>],
    run: (input: Input<Name>, graph: Graph, signal: AbortSignal | undefined) => Promise<ToolSuccess<unknown>>,
  ): void => {
    const tool = createTool<Input<Name>, unknown>({
      name,
      description,
      // The types are equal, which the compiler cannot see through the parameter.
      inputSchema: inputSchema(shapes[name]) as unknown as z.ZodType<Input<Name>>,
      annotations: { title, ...annotations },
      run: (input, { signal, dryRun }) =>
        asToolErrors(async () =>
          dryRun && !annotations.readOnlyHint
            ? succeed(`${name} would change the graph. Nothing was changed.`, {})
            : run(input, await openGraph(), signal),
        ),
    });
    // Each tool checks its own input.
    tools[name] = tool as unknown as ToolDefinition;
  };
  const deleted = (subject: string): ToolSuccess<unknown> => {
    const message = `${subject} deleted successfully`;
    return succeed(message, { success: true, message });
  };

  add(
    'create_entities',
    ['Create entities', 'Create entities in the knowledge graph.', additive],
    async ({ entities }, graph, signal) => {
      const created: readonly Entity[] = await graph.createEntities(entities, { signal });
      return asJson(created, { entities: created });
    },
  );
  add(
    'create_relations',
    ['Create relations', 'Create relations between entities, in active voice.', additive],
    async ({ relations }, graph, signal) => {
      const created: readonly Relation[] = await graph.createRelations(relations, { signal });
      return asJson(created, { relations: created });
    },
  );
  add(
    'add_observations',
    ['Add observations', 'Add observations to entities that exist.', additive],
    async ({ observations }, graph, signal) => {
      const results = await graph.addObservations(observations, { signal });
      return asJson(results, { results });
    },
  );
  add(
    'delete_entities',
    ['Delete entities', 'Delete entities with their relations.', deleting],
    async ({ entityNames }, graph, signal) => {
      await graph.deleteEntities(entityNames, { signal });
      return deleted('Entities');
    },
  );
  add(
    'delete_observations',
    ['Delete observations', 'Delete observations of entities.', deleting],
    async ({ deletions }, graph, signal) => {
      const given = deletions.map(({ entityName, observations }) => ({ entityName, contents: observations }));
      await graph.deleteObservations(given, { signal });
      return deleted('Observations');
    },
  );
  add('delete_relations', ['Delete relations', 'Delete relations.', deleting], async ({ relations }, graph, signal) => {
    await graph.deleteRelations(relations, { signal });
    return deleted('Relations');
  });
  add('read_graph', ['Read the graph', 'Read the whole knowledge graph.', readOnly], async (_, graph, signal) => {
    const found = await graph.read({ signal });
    return asJson(found, found);
  });
  add(
    'search_nodes',
    ['Search', 'Find entities by text, with their relations.', readOnly],
    async ({ query }, graph, signal) => {
      const found = await graph.search(query, { signal });
      return asJson(found, found);
    },
  );
  add(
    'open_nodes',
    ['Open', 'Read entities by name, with their relations.', readOnly],
    async ({ names }, graph, signal) => {
      const found = await graph.open(names, { signal });
      return asJson(found, found);
    },
  );
  return tools;
}
