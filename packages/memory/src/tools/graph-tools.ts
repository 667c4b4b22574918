import { createTool, inputSchema, succeed } from '@cairn/tool';
import type { ToolAnnotations, ToolDefinition, ToolSuccess } from '@cairn/tool';
import { z } from 'zod';
import type { Graph } from '../graph/graph.ts';
import type { CallOptions } from '../records/backend.ts';
import { additive, reading } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

type Effects = Omit<ToolAnnotations, 'title'>;

type Texts = readonly [title: string, description: string, effects: Effects];

/** Creates a tool with a name, on a graph that each call opens. */
type MakeTool = (name: string, openGraph: () => Promise<Graph>) => ToolDefinition;

const deleting: Effects = { ...additive, destructiveHint: true, idempotentHint: true };

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
const observations = z.array(z.object({ entityName: z.string(), contents: z.array(z.string()) }));
const deletions = z.array(z.object({ entityName: z.string(), observations: z.array(z.string()) }));

function graphTool<Shape extends z.ZodRawShape>(
  shape: Shape,
  [title, description, effects]: Texts,
  run: (
    input: z.output<z.ZodObject<Shape, z.core.$strict>>,
    graph: Graph,
    call: CallOptions,
  ) => Promise<ToolSuccess<unknown>>,
): MakeTool {
  return (name, openGraph) => {
    const tool = createTool<z.output<z.ZodObject<Shape, z.core.$strict>>, unknown>({
      name,
      description,
      inputSchema: inputSchema(shape),
      annotations: { title, ...effects },
      run: (input, { signal, dryRun }) =>
        asToolErrors(async () =>
          dryRun && !effects.readOnlyHint
            ? succeed(`${name} would change the graph. Nothing was changed.`, {})
            : run(input, await openGraph(), { signal }),
        ),
    });
    // Each tool checks its own input.
    return tool as unknown as ToolDefinition;
  };
}

/** Returns a result as the memory server does: JSON as text. */
function asJson(result: object, details: object = result): ToolSuccess<unknown> {
  return succeed(JSON.stringify(result, null, 2), details);
}

function deleted(subject: string): ToolSuccess<unknown> {
  const message = `${subject} deleted successfully`;
  return succeed(message, { success: true, message });
}

const tools: Readonly<Record<string, MakeTool>> = {
  create_entities: graphTool(
    { entities: z.array(entity) },
    ['Create entities', 'Create entities in the knowledge graph.', additive],
    async ({ entities: given }, graph, call) => {
      const entities = await graph.createEntities(given, call);
      return asJson(entities, { entities });
    },
  ),
  create_relations: graphTool(
    { relations: z.array(relation) },
    ['Create relations', 'Create relations between entities, in active voice.', additive],
    async ({ relations: given }, graph, call) => {
      const relations = await graph.createRelations(given, call);
      return asJson(relations, { relations });
    },
  ),
  add_observations: graphTool(
    { observations },
    ['Add observations', 'Add observations to entities that exist.', additive],
    async (input, graph, call) => {
      const results = await graph.addObservations(input.observations, call);
      return asJson(results, { results });
    },
  ),
  delete_entities: graphTool(
    { entityNames: z.array(z.string()) },
    ['Delete entities', 'Delete entities with their relations.', deleting],
    async ({ entityNames }, graph, call) => {
      await graph.deleteEntities(entityNames, call);
      return deleted('Entities');
    },
  ),
  delete_observations: graphTool(
    { deletions },
    ['Delete observations', 'Delete observations of entities.', deleting],
    async (input, graph, call) => {
      const given = input.deletions.map((one) => ({ entityName: one.entityName, contents: one.observations }));
      await graph.deleteObservations(given, call);
      return deleted('Observations');
    },
  ),
  delete_relations: graphTool(
    { relations: z.array(relation) },
    ['Delete relations', 'Delete relations.', deleting],
    async ({ relations }, graph, call) => {
      await graph.deleteRelations(relations, call);
      return deleted('Relations');
    },
  ),
  read_graph: graphTool({}, ['Read the graph', 'Read the whole knowledge graph.', reading], async (_, graph, call) =>
    asJson(await graph.read(call)),
  ),
  search_nodes: graphTool(
    { query: z.string().describe('a text to match against names, types and observations') },
    ['Search', 'Find entities by text, with their relations.', reading],
    async ({ query }, graph, call) => asJson(await graph.search(query, call)),
  ),
  open_nodes: graphTool(
    { names: z.array(z.string()) },
    ['Open', 'Read entities by name, with their relations.', reading],
    async ({ names }, graph, call) => asJson(await graph.open(names, call)),
  ),
};

/** Creates the tools of `@modelcontextprotocol/server-memory`, with its names and shapes. */
export function createGraphTools(openGraph: () => Promise<Graph>): Readonly<Record<string, ToolDefinition>> {
  return Object.fromEntries(Object.entries(tools).map(([name, make]) => [name, make(name, openGraph)]));
}
