import { createTool, inputSchema, succeed, ToolError } from '@cairn/tool';
import type { ToolDefinition } from '@cairn/tool';
import { z } from 'zod';
import { ASSET_TYPES } from '../assets/asset.ts';
import type { AssetType } from '../assets/asset.ts';
import { REVIEW_REPORTS } from '../assets/marks.ts';
import { assetId, DEFAULT_PRODUCT_LINE } from '../assets/names.ts';
import type { SinkDraft } from '../layers/sink.ts';
import { callOf, wrapResult } from './formatting.ts';
import { joined, writing } from './tool-context.ts';
import type { ToolContext } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';
import type { ToolTexts } from './texts.ts';

/** The parameters of `sink_asset`. */
export interface SinkAssetInput {
  readonly name: string;
  readonly type?: AssetType | undefined;
  readonly product_line?: string | undefined;
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly body?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly mode?: 'new' | 'update' | undefined;
}

/** The parameters of `report_asset`. */
export interface ReportAssetInput {
  readonly name: string;
  readonly product_line?: string | undefined;
  readonly verdict: 'helpful' | 'wrong';
  readonly note?: string | undefined;
}

export interface SinkAssetDetails {
  readonly name: string;
  readonly product_line: string;
  readonly is_new: boolean;
}

export interface ReportAssetDetails {
  readonly name: string;
  readonly product_line: string;
  readonly helpful: number;
  readonly wrong: number;
  readonly needs_review: boolean;
}

function sinkShape({ parameters }: ToolTexts) {
  return {
    name: z.string(),
    type: z.enum(ASSET_TYPES).optional(),
    product_line: z.string().optional(),
    title: z.string().optional(),
    tags: z.array(z.string()).optional(),
    body: z.string().optional().describe(parameters.body),
    paths: z.array(z.string()).optional().describe(parameters.paths),
    mode: z.enum(['new', 'update']).optional().describe(parameters.mode),
  };
}

const reportShape = {
  name: z.string(),
  product_line: z.string().optional(),
  verdict: z.enum(['helpful', 'wrong']),
  note: z.string().optional(),
};

export function createSinkTool(context: ToolContext): ToolDefinition<SinkAssetInput, SinkAssetDetails> {
  const { open, texts, reader } = context;
  /** Returns the hash of the asset that the session has read whole. @throws {ToolError} `NOT_READ`. */
  const requireRead = async (draft: SinkDraft, signal: AbortSignal | undefined): Promise<string | undefined> => {
    const { layers } = await open();
    const { asset } = await layers.getAsset({ name: draft.name, productLine: draft.productLine, signal });
    // Only a new body replaces text that the caller may not know.
    if (draft.body === undefined) return undefined;
    const hash = reader.readHash(asset.id);
    if (hash === asset.hash) return hash;
    const call = callOf('get_asset', { name: asset.name, product_line: asset.productLine });
    throw new ToolError('NOT_READ', texts.notRead(asset.id, call));
  };
  return createTool<SinkAssetInput, SinkAssetDetails>({
    name: 'sink_asset',
    description: texts.descriptions.sink_asset,
    inputSchema: inputSchema(sinkShape(texts)),
    annotations: { title: 'Keep an asset', ...writing },
    run: ({ product_line: productLine, mode, ...fields }, { signal, dryRun }) =>
      asToolErrors(async () => {
        const { store, layers } = await open();
        const draft: SinkDraft = { ...fields, productLine };
        const isUpdate = mode === 'update';
        if (isUpdate && Object.values({ ...fields, name: undefined }).every((value) => value === undefined)) {
          throw new ToolError('INVALID_INPUT', texts.nothingToChange);
        }
        const expected = isUpdate ? await requireRead(draft, signal) : undefined;
        if (dryRun) return await rehearse(context, draft, isUpdate);
        // A server writes no asset to start, and so needs no YAML.
        const { sinkAsset } = await import('../layers/sink.ts');
        const result = await sinkAsset({ store, layers }, draft, { mode, expected, signal });
        if (result.kind === 'similar') {
          throw new ToolError('EXISTS', texts.similar, { context: result.similar.map(wrapResult).join('\n') });
        }
        const { asset } = result;
        // The caller knows the text that it has written.
        if (fields.body !== undefined) reader.noteRead(asset, 0, asset.text.length);
        const isNew = result.kind === 'added';
        const details = { name: asset.name, product_line: asset.productLine, is_new: isNew };
        return succeed((isNew ? texts.added : texts.updated)(asset.id), details);
      }),
  });
}

/** Checks a draft, and writes nothing. */
async function rehearse({ open, texts }: ToolContext, draft: SinkDraft, isUpdate: boolean) {
  const { name, productLine = DEFAULT_PRODUCT_LINE, body = '', title = name, type = 'discovery' } = draft;
  const [{ formatAsset, parseAsset }, { checkSecrets }] = await Promise.all([
    import('../assets/markdown.ts'),
    import('../assets/secrets.ts'),
  ]);
  checkSecrets(
    Object.values({ ...draft })
      .flat()
      .join('\n'),
  );
  if (isUpdate) {
    const { asset } = await (await open()).layers.getAsset({ name, productLine: draft.productLine });
    const details = { name: asset.name, product_line: asset.productLine, is_new: false };
    return succeed(texts.wouldUpdate(asset.id), details);
  }
  const { fields } = parseAsset(formatAsset({ ...draft, productLine, title, type }, body));
  const details = { name: fields.name, product_line: fields.productLine, is_new: true };
  return succeed(texts.wouldAdd(assetId(fields)), details);
}

export function createReportTool({ open, texts }: ToolContext): ToolDefinition<ReportAssetInput, ReportAssetDetails> {
  return createTool<ReportAssetInput, ReportAssetDetails>({
    name: 'report_asset',
    description: texts.descriptions.report_asset,
    inputSchema: inputSchema(reportShape),
    annotations: { title: 'Report an asset', ...writing },
    run: ({ name, product_line: productLine, verdict, note }, { signal, dryRun }) =>
      asToolErrors(async () => {
        const { layers, store } = await open();
        const { asset } = await layers.getAsset({ name, productLine, signal });
        const reported = dryRun ? asset : await store.report(asset.id, verdict, { note, signal });
        const { helpful, wrong } = reported.reports;
        const needsReview = wrong >= REVIEW_REPORTS;
        const text = dryRun
          ? texts.wouldReport(asset.id)
          : joined([texts.reported(asset.id, helpful, wrong), needsReview ? texts.needsReview : '']);
        const key = { name: asset.name, product_line: asset.productLine };
        return succeed(text, { ...key, helpful, wrong, needs_review: needsReview });
      }),
  });
}
