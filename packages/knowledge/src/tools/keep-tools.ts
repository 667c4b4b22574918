import { succeed, ToolError } from '@cairn/tool';
import type { ToolSuccess } from '@cairn/tool';
import type { AssetType } from '../assets/asset.ts';
import { REVIEW_REPORTS } from '../assets/marks.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { sinkAsset } from '../layers/sink.ts';
import type { SinkDraft } from '../layers/sink.ts';
import { callOf, wrapResult } from './formatting.ts';
import { joined } from './tool-context.ts';
import type { RunCall, ToolContext } from './tool-context.ts';

/** The parameters of `sink_asset`. */
interface SinkAssetInput {
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
interface ReportAssetInput {
  readonly name: string;
  readonly product_line?: string | undefined;
  readonly verdict: 'helpful' | 'wrong';
  readonly note?: string | undefined;
}

interface SinkAssetDetails {
  readonly name: string;
  readonly product_line: string;
  readonly is_new: boolean;
}

interface ReportAssetDetails {
  readonly name: string;
  readonly product_line: string;
  readonly helpful: number;
  readonly wrong: number;
  readonly needs_review: boolean;
}

/** Adds or changes an asset. */
export async function runSink(
  context: ToolContext,
  { product_line: productLine, mode, ...fields }: SinkAssetInput,
  { signal, dryRun }: RunCall,
): Promise<ToolSuccess<SinkAssetDetails>> {
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
  const { store, layers } = await open();
  const draft: SinkDraft = { ...fields, productLine };
  const isUpdate = mode === 'update';
  if (isUpdate && Object.values({ ...fields, name: undefined }).every((value) => value === undefined)) {
    throw new ToolError('INVALID_INPUT', texts.nothingToChange());
  }
  const expected = isUpdate ? await requireRead(draft, signal) : undefined;
  const result = await sinkAsset({ store, layers }, draft, { mode, expected, dryRun, signal });
  if (result.kind === 'similar') {
    throw new ToolError('EXISTS', texts.similar(), { context: result.similar.map(wrapResult).join('\n') });
  }
  const { asset } = result;
  const isNew = result.kind === 'added';
  const details = { name: asset.name, product_line: asset.productLine, is_new: isNew };
  if (dryRun) return succeed((isNew ? texts.wouldAdd : texts.wouldUpdate)(asset.id), details);
  // The caller knows the text that it has written.
  if (fields.body !== undefined) reader.noteRead(asset, 0, asset.text.length);
  return succeed((isNew ? texts.added : texts.updated)(asset.id), details);
}

/** Counts the report of a reader. */
export async function runReport(
  { open, texts }: ToolContext,
  { name, product_line: productLine, verdict, note }: ReportAssetInput,
  { signal, dryRun }: RunCall,
): Promise<ToolSuccess<ReportAssetDetails>> {
  const { layers, store } = await open();
  const { asset } = await layers.getAsset({ name, productLine, signal });
  if (dryRun) checkSecrets(note ?? '');
  const reported = dryRun ? asset : await store.report(asset.id, verdict, { note, signal });
  const { helpful, wrong } = reported.reports;
  const needsReview = wrong >= REVIEW_REPORTS;
  const text = dryRun
    ? texts.wouldReport(asset.id)
    : joined([texts.reported(asset.id, helpful, wrong), needsReview ? texts.needsReview : '']);
  const key = { name: asset.name, product_line: asset.productLine };
  return succeed(text, { ...key, helpful, wrong, needs_review: needsReview });
}
