import type { CallOptions } from '@cairn/memory';
import type { Asset, AssetHead } from '../assets/asset.ts';
import { quoted } from '../assets/names.ts';
import { KnowledgeError } from '../errors.ts';
import type { KnowledgeIndex } from '../index/knowledge-index.ts';
import { comparableName, headsNamed, linksOf } from './links.ts';
import type { AssetLink } from './links.ts';

export interface GetAssetDependencies {
  readonly index: Pick<KnowledgeIndex, 'heads' | 'refresh'>;
  /** Reads an asset by its id. */
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
/** Names that have less in common are about something else. */
const MIN_LIKENESS = 0.35;

/** Returns the pairs of neighbours of a text, its beginning included. */
function pairsOf(text: string): Set<string> {
  const characters = ['', ...comparableName(text)];
  return new Set(characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`));
}

/** Returns how much two sets of pairs have in common, 0 to 1. */
function likenessOf(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of left) if (right.has(pair)) common += 1;
  return (2 * common) / (left.size + right.size);
}

/** Returns the ids of the assets with the most similar names or titles, best first. */
function nearIds(heads: readonly AssetHead[], name: string): string[] {
  const wanted = pairsOf(name.slice(name.lastIndexOf('/') + 1));
  return heads
    .map(({ id, name: own, title }) => {
      return { id, likeness: Math.max(likenessOf(wanted, pairsOf(own)), likenessOf(wanted, pairsOf(title))) };
    })
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((left, right) => right.likeness - left.likeness || (left.id < right.id ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ id }) => id);
}

function unknownAsset(asked: string, near: readonly string[]): KnowledgeError {
  const hint =
    near.length === 0
      ? 'Search for its subject with search_knowledge.'
      : `Similar: ${near.join(', ')}. Use one of them, or search with search_knowledge.`;
  return new KnowledgeError('UNKNOWN_ASSET', [`Unknown asset ${quoted(asked)}`, hint], { assets: near });
}

function ambiguousAsset(name: string, named: readonly AssetHead[]): KnowledgeError {
  const ids = named.map(({ id }) => id).toSorted();
  const lines = named.map(({ productLine }) => productLine).toSorted();
  const summary = `Assets of ${ids.length} product lines have the name ${quoted(name)}`;
  return new KnowledgeError('AMBIGUOUS_ASSET', [summary, `Pass one as product_line: ${lines.join(', ')}.`], {
    assets: ids,
  });
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
  const heads = index.heads();
  const everywhere = headsNamed(heads, asked);
  const isOwn = ({ productLine: own }: AssetHead): boolean =>
    line === undefined || comparableName(own) === comparableName(line);
  const [head, second] = everywhere.filter(isOwn);
  if (second !== undefined) throw ambiguousAsset(asked, everywhere);
  const asset = head && (await read(head.id, { signal }));
  if (asset !== undefined) return { asset, links: linksOf(asset, heads) };
  const near = everywhere.length > 0 && head === undefined ? everywhere.map(({ id }) => id) : nearIds(heads, asked);
  throw unknownAsset(
    line === undefined ? asked : `${line}/${asked}`,
    near.filter((id) => id !== head?.id),
  );
}
