import type { CallOptions } from '@cairn/memory';
import { pairsOf, similarity } from '@cairn/tool/internal';
import { quoted } from '@cairn/tool/kernel';
import { setImmediate } from 'node:timers/promises';
import type { Asset, AssetHead, AssetKey } from '../assets/asset.ts';
import { KnowledgeError } from '../errors.ts';
import type { KnowledgeIndex } from '../index/knowledge-index.ts';

/** A `[[name]]` or `[[product_line/name]]` in the body of an asset. */
export interface AssetLink {
  /** The name as it is written. */
  readonly name: string;
  /**
   * The assets that it names, as `product_line/name`. None: no asset has the name. Several: assets of several product lines have it,
   * and none of the product line of the asset itself.
   */
  readonly assets: readonly string[];
}

const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/u;
/** With a heading, `[[name#heading]]`, or a label, `[[name|label]]`. */
const LINK = /\[\[([\p{L}\p{N}._/-]{1,500})(?:[#|][^[\]]*)?\]\]/gu;

/** Returns a line without its code: what is between two runs of as many backticks. */
function withoutInlineCode(line: string): string {
  if (!line.includes('`')) return line;
  // The runs have odd places.
  const parts = line.split(/(`+)/u);
  const last = new Map(parts.flatMap((part, place) => (place % 2 === 1 ? [[part, place]] : [])));
  let text = '';
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place] ?? '';
    if (place % 2 === 1 && (last.get(part) ?? 0) > place) place = parts.indexOf(part, place + 1);
    else text += part;
  }
  return text;
}

/** Returns the lines outside fenced code, which is left to its language: `[[ -f file ]]` is a test of a shell. */
function* textLines(body: string): Generator<string, void, void> {
  let fence: string | undefined;
  for (const line of body.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      if (mark === undefined) yield withoutInlineCode(line);
    } else if (mark?.startsWith(fence) === true && line.trim() === mark) {
      fence = undefined;
    }
  }
}

/** Returns the names that a body links to, each once, in their order. */
export function linkedNames(body: string): string[] {
  const names = new Set<string>();
  for (const line of textLines(body)) for (const [, name = ''] of line.matchAll(LINK)) names.add(name);
  return [...names];
}

/** Returns names without differences of case and of composed characters, as the local store compares them. */
function comparableName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Returns the assets that a name may mean: those with this name, or with this id. */
function headsNamed({ named }: Pick<KnowledgeIndex, 'named'>, name: string): readonly AssetHead[] {
  const wanted = comparableName(name);
  return named(name).filter((head) => comparableName(head.name) === wanted || comparableName(head.id) === wanted);
}

function linksOf(asset: AssetKey & { readonly body: string }, index: Pick<KnowledgeIndex, 'named'>): AssetLink[] {
  return linkedNames(asset.body).map((name) => {
    const named = headsNamed(index, name);
    const own = named.filter(({ productLine }) => productLine === asset.productLine);
    return { name, assets: (own.length > 0 ? own : named).map(({ id }) => id) };
  });
}

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
 * Reads an asset by its name and product line, or by its id. A name without an asset is only compared, so that it need
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
