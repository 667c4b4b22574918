import { succeed, ToolError } from '@cairn/tool';
import { REVIEW_REPORTS } from '../assets/marks.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { sinkAsset, type SinkDraft, type SinkOptions } from '../layers/sink.ts';
import { callOf, wrapResult } from './formatting.ts';
import { joined, type Answer, type RunCall, type ToolContext } from './tool-context.ts';

interface SinkAssetInput extends Omit<SinkDraft, 'productLine'>, Pick<SinkOptions, 'mode'> {
  readonly product_line?: string | undefined;
}

interface ReportAssetInput {
  readonly name: string;
  readonly product_line?: string | undefined;
  readonly verdict: 'helpful' | 'wrong';
  readonly note?: string | undefined;
}

export async function runSink(
  { open, texts, reader }: ToolContext,
  { product_line: productLine, mode, ...fields }: SinkAssetInput,
  { signal, dryRun }: RunCall,
): Answer {
  const { store, layers } = await open();
  const draft: SinkDraft = { ...fields, productLine };
  let expected: string | undefined;
  if (mode === 'update') {
    const { name, body, ...rest } = fields;
    const isEmpty = [body, ...Object.values(rest)].every((value) => value === undefined);
    if (isEmpty) throw new ToolError('INVALID_INPUT', texts.nothingToChange());
    const { asset } = await layers.getAsset({ name, productLine, signal });
    // Only a new body replaces text that the caller may not know.
    if (body !== undefined) expected = reader.readHash(asset.id);
    if (body !== undefined && expected !== asset.hash) {
      const call = callOf('get_asset', { name: asset.name, product_line: asset.productLine });
      throw new ToolError('NOT_READ', texts.notRead(asset.id, call));
    }
  }
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

export async function runReport(
  { open, texts }: ToolContext,
  { name, product_line: productLine, verdict, note }: ReportAssetInput,
  { signal, dryRun }: RunCall,
): Answer {
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
