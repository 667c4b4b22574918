import { createDataMarks } from '@cairn/tool/prompt';
import type { Asset, AssetHead } from '../assets/asset.ts';
import { dayOf } from '../assets/fields.ts';
import type { AssetMark } from '../assets/marks.ts';
import { formatLine } from '../index/lines.ts';
import type { SearchResult } from '../layers/search.ts';
import type { ToolName } from './texts.ts';

const assetMarks = createDataMarks('knowledge-asset');
const indexMarks = createDataMarks('knowledge-index');

/** Returns a call as a model writes it: `get_asset {"name":"a"}`. Parameters without a value are left out. */
export function callOf(tool: ToolName, input: Readonly<Record<string, unknown>>): string {
  // Names and queries are data: they must not end a mark of the answer.
  return neutralize(`${tool} ${JSON.stringify(input)}`);
}

function neutralize(text: string): string {
  return assetMarks.neutralize(indexMarks.neutralize(text));
}

function joinMarks(marks: readonly AssetMark[] = []): Readonly<Record<string, string>> {
  return marks.length === 0 ? {} : { marks: marks.join(' ') };
}

/** Returns a result of a search as data, with its origin and date. */
export function wrapResult(result: SearchResult): string {
  const { name, productLine, type, title, score, snippet, isSimilar, changedMs, isPromoted, marks } = result;
  const attributes = {
    name,
    product_line: productLine,
    type,
    score: String(Math.round(score * 100) / 100),
    origin: isPromoted ? 'team' : 'local',
    date: dayOf(changedMs),
    ...(isSimilar === true && { match: 'weak' }),
    ...joinMarks(marks),
  };
  return assetMarks.wrap(attributes, neutralize(`${title}\n${snippet}`));
}

/** Returns a part of an asset's Markdown as data, with its origin and date. */
export function wrapAsset(asset: Asset, text: string, marks: readonly AssetMark[]): string {
  const { name, productLine, type, origin, changedMs, verifiedMs, isPromoted } = asset;
  const attributes = {
    name,
    product_line: productLine,
    type,
    origin: isPromoted ? 'team' : origin.kind,
    date: dayOf(changedMs),
    ...(verifiedMs !== undefined && { verified: dayOf(verifiedMs) }),
    ...joinMarks(marks),
  };
  return assetMarks.wrap(attributes, neutralize(text));
}

export function wrapLines(attributes: Readonly<Record<string, string>>, heads: readonly AssetHead[]): string {
  return indexMarks.wrap(attributes, neutralize(heads.map(formatLine).join('\n')));
}
