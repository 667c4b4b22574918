import { succeed, ToolError } from '@cairn/tool';
import { escapeControls } from '@cairn/tool/paths';
import { REVIEW_REPORTS } from '../assets/marks.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import { shareFact } from '../layers/share.ts';
import { missingFields, sinkAsset, type SinkDraft, type SinkOptions } from '../layers/sink.ts';
import { callOf, wrapResult } from './formatting.ts';
import { joined, type Answer, type RunCall, type ToolContext } from './tool-context.ts';

interface SinkAssetInput extends Omit<SinkDraft, 'productLine' | 'name' | 'body'>, Pick<SinkOptions, 'mode'> {
  readonly name?: string | undefined;
  readonly text?: string | undefined;
  readonly product_line?: string | undefined;
  readonly fact?: string | undefined;
}

interface ReportAssetInput {
  readonly name: string;
  readonly product_line?: string | undefined;
  readonly verdict: 'helpful' | 'wrong';
  readonly note?: string | undefined;
}

/** Makes an asset of a fact. */
async function shareOne(
  { open, texts, readMemory }: ToolContext,
  input: SinkAssetInput & { readonly fact: string },
  { signal, dryRun }: RunCall,
): Answer {
  const { fact: id, product_line: productLine, mode, text, paths, ...fields } = input;
  const unused = Object.entries({ text, paths }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (unused.length > 0) throw new ToolError('INVALID_INPUT', texts.notWithFact(unused.join(', ')));
  const hit = await readMemory(id, 'fact', signal);
  if (hit === undefined) throw new ToolError('NOT_FOUND', texts.unknownMemory('fact', JSON.stringify(id)));
  const { store, layers } = await open();
  const { about } = hit;
  const fact = {
    id,
    text: hit.text,
    tags: hit.tags,
    updatedAt: hit.time,
    ...(about['replaces'] !== undefined && { earlier: [about['replaces']] }),
    supersededBy: about['replaced-by'],
    isArchived: 'archived' in about,
    allowSecret: hit.allowSecret,
  };
  const modes = { isNew: mode === 'new', update: mode === 'update' };
  const options = { ...fields, ...modes, tags: fields.tags ?? undefined, productLine, dryRun, signal };
  const result = await shareFact({ store, layers }, fact, options).catch((error: unknown) => {
    if (!KnowledgeError.isInstance(error) || error.code !== 'SECRET') throw error;
    throw new ToolError('PROTECTED', [error.summary, texts.onlyPersonShares(escapeControls(id))], { cause: error });
  });
  if (result.kind === 'similar') {
    throw new ToolError('EXISTS', texts.similar(), { context: result.similar.map(wrapResult).join('\n') });
  }
  const { asset, kind } = result;
  const details = { name: asset.name, product_line: asset.productLine, is_new: kind === 'added' };
  if (kind === 'updated') return succeed((dryRun ? texts.wouldUpdate : texts.updated)(asset.id), details);
  if (kind === 'added') return succeed((dryRun ? texts.wouldAdd : texts.added)(asset.id), details);
  const state = result.differs === undefined ? texts.present(asset.id) : texts[result.differs](asset.id);
  return succeed(joined([state, asset.status === 'active' ? '' : texts.notActive(asset.id)]), details);
}

export async function runSink(context: ToolContext, input: SinkAssetInput, call: RunCall): Answer {
  const { open, texts, reader } = context;
  const { product_line: productLine, mode, fact, name: given, text: body, ...others } = input;
  const rest = { ...others, body };
  if (fact !== undefined) return shareOne(context, { ...input, fact }, call);
  const absent = missingFields({ ...rest, name: given }, mode).map((field) => (field === 'body' ? 'text' : field));
  if (given === undefined || absent.length > 0) throw new ToolError('INVALID_INPUT', texts.missing(absent.join(', ')));
  const { signal, dryRun } = call;
  const fields = { ...rest, name: given };
  const { store, layers } = await open();
  const draft: SinkDraft = { ...fields, productLine };
  let expected: string | undefined;
  if (mode === 'update') {
    const { name, ...changes } = fields;
    const isEmpty = Object.values(changes).every((value) => value === undefined);
    if (isEmpty) throw new ToolError('INVALID_INPUT', texts.nothingToChange());
    const { asset } = await layers.getAsset({ name, productLine, signal });
    // Only a new body replaces text that the caller may not know.
    if (body !== undefined) expected = reader.readHash(asset.id);
    if (body !== undefined && expected !== asset.hash) {
      const next = callOf('get_asset', { name: asset.name, product_line: asset.productLine });
      throw new ToolError('NOT_READ', texts.notRead(asset.id, next));
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
