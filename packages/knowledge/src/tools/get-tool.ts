import { partOfHit, type RecallHit, type RecallKind } from '@cairn/memory/internal';
import { succeed, ToolError } from '@cairn/tool';
import { startOf } from '@cairn/tool/internal';
import { escapeControls } from '@cairn/tool/paths';
import type { Asset } from '../assets/asset.ts';
import { marksOf, type AssetMark } from '../assets/marks.ts';
import { parseAssetId } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import type { AssetLink } from '../layers/get-asset.ts';
import { headOf } from '../stores/record.ts';
import { callOf, wrapAsset } from './formatting.ts';
import { joined, type Answer, type AssetSelection, type RunCall, type ToolContext } from './tool-context.ts';
import type { ToolTexts } from './texts.ts';

interface GetAssetInput extends Pick<AssetSelection, 'product_line'> {
  readonly name: string;
  readonly kind?: RecallKind | undefined;
  readonly offset?: number | undefined;
}

/** UTF-16 code units of an answer; other assets are read in pages. */
const MAX_PAGE = 30_000;
const MAX_LINKS = 20;

/** Returns where a page ends: after a line if possible, and never within a surrogate pair. */
function endOfPage(text: string, from: number): number {
  const end = from + MAX_PAGE;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end) + 1;
  if (line > from + MAX_PAGE / 2) return line;
  return startOf(text, end).length;
}

function describeLinks(links: readonly AssetLink[], ids: readonly string[], texts: ToolTexts): string[] {
  const missing = links.flatMap(({ name, assets }) => (assets.length === 0 ? [escapeControls(name)] : []));
  const calls = ids.slice(0, MAX_LINKS).map((id) => {
    const { name, productLine } = parseAssetId(id);
    return callOf('get_asset', { name, product_line: productLine });
  });
  return [
    calls.length === 0 ? '' : texts.links(calls.join('; ')),
    missing.length === 0 ? '' : texts.unknownLinks(missing.slice(0, MAX_LINKS).join(', ')),
  ];
}

function warningsOf({ supersededBy }: Asset, marks: readonly AssetMark[], texts: ToolTexts): string[] {
  return marks.map((mark) => {
    const by =
      mark === 'superseded' && supersededBy !== undefined ? ` ${texts.supersededBy(escapeControls(supersededBy))}` : '';
    return `${texts.marks[mark]}${by}`;
  });
}

/** Returns a fact or a message as an answer. */
async function answerOf(hit: RecallHit, { offset = 0 }: GetAssetInput, texts: ToolTexts): Answer {
  const { kind, id } = hit;
  const { text, nextOffset } = await partOfHit(hit, offset);
  const next = { name: id, kind, offset: nextOffset };
  const more = nextOffset === undefined ? '' : texts.moreText(callOf('get_asset', next));
  const details = { kind, name: id, text: hit.text.slice(offset, nextOffset) };
  return succeed(joined([text, more]), nextOffset === undefined ? details : { ...details, next_offset: nextOffset });
}

/** Ids of facts begin so. An asset of such a name is read when no fact has it. */
const FACT_PREFIX = 'fact_';

/** Reads whatever has an id: a fact, an asset or a message. */
export async function runGet(context: ToolContext, input: GetAssetInput, call: RunCall): Answer {
  const { texts, readMemory } = context;
  const { name, product_line: productLine, kind } = input;
  const read = async (only?: RecallKind): Promise<RecallHit | undefined> =>
    productLine === undefined ? readMemory(name, only, call.signal) : undefined;
  if (kind === 'asset') return getAsset(context, input, call);
  if (kind !== undefined || name.startsWith(FACT_PREFIX)) {
    const hit = await read(kind ?? 'fact');
    if (hit !== undefined) return answerOf(hit, input, texts);
    if (kind !== undefined) throw new ToolError('NOT_FOUND', texts.unknownMemory(kind, JSON.stringify(name)));
  }
  try {
    return await getAsset(context, input, call);
  } catch (error) {
    if (!KnowledgeError.isInstance(error) || error.code !== 'UNKNOWN_ASSET') throw error;
    const hit = await read();
    if (hit === undefined) throw error;
    return answerOf(hit, input, texts);
  }
}

async function getAsset(
  { open, texts, reader, session, readOnly }: ToolContext,
  { name, product_line: productLine, offset = 0 }: GetAssetInput,
  { signal }: RunCall,
): Answer {
  const knowledge = await open();
  const { asset, links } = await knowledge.layers.getAsset({ name, productLine, signal });
  const { id, text } = asset;
  if (!readOnly) {
    knowledge.usage.recordOpened({ asset: id, session, query: reader.queryFor(id) });
    // It is before assets that were opened less often, in the next session.
    if (knowledge.usage.isOn) knowledge.index.noteOpened();
  }
  const marks = marksOf(headOf(asset), await knowledge.store.now());
  const end = endOfPage(text, Math.min(offset, text.length));
  const page = text.slice(offset, end);
  reader.noteRead(asset, offset, end);
  const key = { name: asset.name, product_line: asset.productLine };
  const ids = [...new Set(links.flatMap(({ assets }) => assets))];
  const isCut = end < text.length;
  const lines = [
    ...warningsOf(asset, marks, texts),
    page === '' ? texts.noMore(text.length) : wrapAsset(asset, page, marks),
    ...(isCut
      ? [texts.page(offset + 1, end, text.length, callOf('get_asset', { ...key, offset: end }))]
      : describeLinks(links, ids, texts)),
  ];
  const details = { ...key, text: page, links: ids, marks };
  return succeed(joined(lines), isCut ? { ...details, next_offset: end } : details);
}
