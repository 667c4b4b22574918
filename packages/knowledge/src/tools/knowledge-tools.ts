/** The tools as models see them. The work of a call is loaded by the first call: a server starts without it. */
import { RECALL_KINDS } from '@cairn/memory/tools';
import { createTool, inputSchema, type ToolAnnotations, type ToolDefinition, type Tools } from '@cairn/tool';
import type { ToolSpec } from '@cairn/tool/internal';
import { z } from 'zod';
import { ASSET_TYPES } from '../assets/asset.ts';
import type { ToolName, ToolTexts } from './texts.ts';
import type { ToolContext } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

const MAX_RESULTS = 20;

const writing = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const reading: Omit<ToolAnnotations, 'title'> = { ...writing, readOnlyHint: true, idempotentHint: true };

const text = z.string();
const optional = text.optional();

function shapesOf({ parameters }: ToolTexts) {
  const offset = z.int().min(0).optional().describe(parameters.offset);
  return {
    scan: { query: optional, product_line: optional, type: optional.describe(parameters.type), offset },
    search: {
      query: text,
      product_line: optional.describe(parameters.productLine),
      type: optional,
      limit: z.int().min(1).max(MAX_RESULTS).optional(),
    },
    get: {
      name: text.describe(parameters.name),
      product_line: optional,
      kind: z.enum(RECALL_KINDS).optional(),
      offset,
    },
    sink: {
      name: optional,
      type: z.enum(ASSET_TYPES).optional(),
      product_line: optional,
      title: optional,
      tags: z.array(text).optional(),
      text: optional.describe(parameters.text),
      paths: z.array(text).optional().describe(parameters.paths),
      mode: z.enum(['new', 'update']).optional().describe(parameters.mode),
      fact: optional.describe(parameters.fact),
    },
    report: { name: text, product_line: optional, verdict: z.enum(['helpful', 'wrong']), note: optional },
  };
}

/** Sessions share the schemas of a language. */
const shapes = new WeakMap<ToolTexts, ReturnType<typeof shapesOf>>();

export function createKnowledgeTools(context: ToolContext): Tools {
  const { texts } = context;
  let shape = shapes.get(texts);
  if (shape === undefined) shapes.set(texts, (shape = shapesOf(texts)));
  const tool = <Input, Details>(
    name: ToolName,
    { run, ...spec }: Omit<ToolSpec<Input, Details>, 'name' | 'description'>,
  ): ToolDefinition<Input, Details> =>
    createTool({
      name,
      description: texts.descriptions[name],
      ...spec,
      run: (input, call) =>
        asToolErrors(async () => {
          const result = await run(input, call);
          const notices = (await context.open()).store.backend.notices?.() ?? [];
          if (notices.length === 0) return result;
          return {
            ...result,
            content: [...result.content, { type: 'text', text: notices.map(({ message }) => message).join('\n') }],
          };
        }),
    });
  return {
    scan_index: tool('scan_index', {
      inputSchema: inputSchema(shape.scan),
      annotations: { title: 'Scan the index', ...reading },
      run: async (input, call) => (await import('./find-tools.ts')).runScan(context, input, call),
    }),
    search_knowledge: tool('search_knowledge', {
      inputSchema: inputSchema(shape.search),
      annotations: { title: 'Search knowledge', ...reading },
      hasStructuredDetails: true,
      run: async (input, call) => (await import('./find-tools.ts')).runSearch(context, input, call),
    }),
    get_asset: tool('get_asset', {
      inputSchema: inputSchema(shape.get),
      annotations: { title: 'Read an asset', ...reading },
      run: async (input, call) => (await import('./get-tool.ts')).runGet(context, input, call),
    }),
    sink_asset: tool('sink_asset', {
      inputSchema: inputSchema(shape.sink),
      annotations: { title: 'Save an asset', ...writing },
      run: async (input, call) => (await import('./keep-tools.ts')).runSink(context, input, call),
    }),
    report_asset: tool('report_asset', {
      inputSchema: inputSchema(shape.report),
      annotations: { title: 'Report an asset', ...writing },
      run: async (input, call) => (await import('./keep-tools.ts')).runReport(context, input, call),
    }),
  };
}
