/** The tools as models see them. The work of a call is loaded by the first call: a server starts without it. */
import { createTool, inputSchema } from '@cairn/tool';
import type { ToolAnnotations, ToolDefinition } from '@cairn/tool';
import { z } from 'zod';
import { ASSET_TYPES } from '../assets/asset.ts';
import type { ScanIndexDetails, ScanIndexInput, SearchKnowledgeDetails, SearchKnowledgeInput } from './find-tools.ts';
import type { GetAssetDetails, GetAssetInput } from './get-tool.ts';
import type { ReportAssetDetails, ReportAssetInput, SinkAssetDetails, SinkAssetInput } from './keep-tools.ts';
import type { ToolTexts } from './texts.ts';
import type { ToolContext } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

/** The tools by name. A type, not an interface, so that it is also a record of tools. */
export type KnowledgeTools = {
  readonly scan_index: ToolDefinition<ScanIndexInput, ScanIndexDetails>;
  readonly search_knowledge: ToolDefinition<SearchKnowledgeInput, SearchKnowledgeDetails>;
  readonly get_asset: ToolDefinition<GetAssetInput, GetAssetDetails>;
  readonly sink_asset: ToolDefinition<SinkAssetInput, SinkAssetDetails>;
  readonly report_asset: ToolDefinition<ReportAssetInput, ReportAssetDetails>;
};

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
    get: { name: text.describe(parameters.name), product_line: optional, offset },
    sink: {
      name: text,
      type: z.enum(ASSET_TYPES).optional(),
      product_line: optional,
      title: optional,
      tags: z.array(text).optional(),
      body: optional.describe(parameters.body),
      paths: z.array(text).optional().describe(parameters.paths),
      mode: z.enum(['new', 'update']).optional().describe(parameters.mode),
    },
    report: { name: text, product_line: optional, verdict: z.enum(['helpful', 'wrong']), note: optional },
  };
}

/** Sessions share the schemas of a language. */
const shapes = new WeakMap<ToolTexts, ReturnType<typeof shapesOf>>();

export function createKnowledgeTools(context: ToolContext): KnowledgeTools {
  const { texts } = context;
  const { descriptions } = texts;
  let shape = shapes.get(texts);
  if (shape === undefined) shapes.set(texts, (shape = shapesOf(texts)));
  return {
    scan_index: createTool<ScanIndexInput, ScanIndexDetails>({
      name: 'scan_index',
      description: descriptions.scan_index,
      inputSchema: inputSchema(shape.scan),
      annotations: { title: 'Scan the index', ...reading },
      run: (input, call) => asToolErrors(async () => (await import('./find-tools.ts')).runScan(context, input, call)),
    }),
    search_knowledge: createTool<SearchKnowledgeInput, SearchKnowledgeDetails>({
      name: 'search_knowledge',
      description: descriptions.search_knowledge,
      inputSchema: inputSchema(shape.search),
      annotations: { title: 'Search knowledge', ...reading },
      hasStructuredDetails: true,
      run: (input, call) => asToolErrors(async () => (await import('./find-tools.ts')).runSearch(context, input, call)),
    }),
    get_asset: createTool<GetAssetInput, GetAssetDetails>({
      name: 'get_asset',
      description: descriptions.get_asset,
      inputSchema: inputSchema(shape.get),
      annotations: { title: 'Read an asset', ...reading },
      run: (input, call) => asToolErrors(async () => (await import('./get-tool.ts')).runGet(context, input, call)),
    }),
    sink_asset: createTool<SinkAssetInput, SinkAssetDetails>({
      name: 'sink_asset',
      description: descriptions.sink_asset,
      inputSchema: inputSchema(shape.sink),
      annotations: { title: 'Keep an asset', ...writing },
      run: (input, call) => asToolErrors(async () => (await import('./keep-tools.ts')).runSink(context, input, call)),
    }),
    report_asset: createTool<ReportAssetInput, ReportAssetDetails>({
      name: 'report_asset',
      description: descriptions.report_asset,
      inputSchema: inputSchema(shape.report),
      annotations: { title: 'Report an asset', ...writing },
      run: (input, call) => asToolErrors(async () => (await import('./keep-tools.ts')).runReport(context, input, call)),
    }),
  };
}
