import type { CallOptions } from '@cairn/memory';
import { pairsOf, similarity } from '@cairn/tool/internal';
import { quoted } from '@cairn/tool/kernel';
import { setImmediate } from 'node:timers/promises';
import type { Asset, AssetHead } from '../assets/asset.ts';
import { KnowledgeError } from '../errors.ts';
import type { KnowledgeIndex } from '../index/knowledge-index.ts';
import { comparableName, headsNamed, linksOf, type AssetLink } from './links.ts';

export interface GetAssetDependencies {
  readonly index: Pick<KnowledgeIndex, 'head' | 'heads' | 'named' | 'refresh'>;
  readonly read: (id: string, options?: CallOptions) => Promise<Asset | undefined>;
}

export interface GetAssetOptions extends CallOptions {
  readonly name: string;
  readonly productLine?: string | undefined;
}

/** An asset with the assets that its body links to. */
export interface FoundAsset {
  readonly asset: Asset;
  readonly links: readonly AssetLink[];
}

const MAX_NEAR = 3;
/** The names that are compared before other work runs, and the length of a name that is compared. */
const HEADS_PER_TURN = 1000;
const MAX_COMPARED = 200;
/** Names that have less in common are about something else. */
const MIN_LIKENESS = 0.35;

/** The first letter of a name has a pair of its own. */
const pairsOfName = (name: string): Set<string> => pairsOf(` ${comparableName(name)}`);

/** Returns the ids of the assets with the most similar names or titles, best first. */
async function nearIds(heads: readonly AssetHead[], name: string): Promise<string[]> {
  const wanted = pairsOfName(name.slice(name.lastIndexOf('/') + 1).slice(0, MAX_COMPARED));
  const near: { readonly id: string; readonly share: number }[] = [];
  for (const [place, head] of heads.entries()) {
    if (place % HEADS_PER_TURN === HEADS_PER_TURN - 1) await setImmediate();
    const share = Math.max(...[head.name, head.title].map((own) => similarity(wanted, pairsOfName(own))));
    if (share >= MIN_LIKENESS) near.push({ id: head.id, share });
  }
  return near
    .toSorted((left, right) => right.share - left.share || (left.id < right.id ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ id }) => id);
}

function unknownAsset(asked: string, near: readonly string[]): KnowledgeError {
  const similar = `Similar: ${near.join(', ')}. Use one of them, or search with search_knowledge.`;
  const hint = near.length === 0 ? 'Search for its subject with search_knowledge.' : similar;
  return new KnowledgeError('UNKNOWN_ASSET', [`Unknown asset ${quoted(asked)}`, hint], { assets: near });
}

function ambiguousAsset(name: string, named: readonly AssetHead[]): KnowledgeError {
  const ids = named.map(({ id }) => id).toSorted();
  const lines = named.map(({ productLine }) => productLine).toSorted();
  const summary = `Assets of ${ids.length} product lines have the name ${quoted(name)}`;
  const hint = `Pass one as product_line: ${lines.join(', ')}.`;
  return new KnowledgeError('AMBIGUOUS_ASSET', [summary, hint], { assets: ids });
}

function textOf(value: unknown, what: string): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '') return text;
  const summary = typeof value === 'string' ? `The ${what} is empty` : `The ${what} is not a text`;
  throw new KnowledgeError('INVALID_INPUT', [summary, `Pass a ${what}.`]);
}

/**
 * Reads an asset by its name and product line, or by its id. A name that is not that of an asset is only compared, so that it need
 * not be valid.
 *
 * @param name the name, or `product_line/name`; the brackets of a link are ignored.
 * @throws {KnowledgeError} `UNKNOWN_ASSET` with similar names, `AMBIGUOUS_ASSET` when assets of several product lines have the
 *   name, `INVALID_INPUT`.
 */
export async function getAsset(
  { index, read }: GetAssetDependencies,
  { name, productLine, signal }: GetAssetOptions,
): Promise<FoundAsset> {
  const asked = textOf(name, 'name').replace(/^\[\[([\s\S]+)\]\]$/u, '$1');
  const line =
    productLine === undefined ? undefined : textOf(productLine, 'product line').replaceAll(/^\/+|\/+$/gu, '');
  await index.refresh({ signal });
  const isOwn = ({ productLine: own }: AssetHead): boolean =>
    line === undefined || comparableName(own) === comparableName(line);
  const known = index.head(line === undefined || asked.includes('/') ? asked : `${line}/${asked}`);
  const everywhere = known === undefined ? headsNamed(index, asked) : [known];
  const [head, second] = everywhere.filter(isOwn);
  if (second !== undefined) throw ambiguousAsset(asked, everywhere);
  const asset = head && (await read(head.id, { signal }));
  if (asset !== undefined) return { asset, links: linksOf(asset, index) };
  const near =
    everywhere.length > 0 && head === undefined ? everywhere.map(({ id }) => id) : await nearIds(index.heads(), asked);
  throw unknownAsset(
    line === undefined ? asked : `${line}/${asked}`,
    near.filter((id) => id !== head?.id),
  );
}
