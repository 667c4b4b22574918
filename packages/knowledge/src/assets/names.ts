import { quoted } from '@cairn/tool/kernel';
import { KnowledgeError } from '../errors.ts';
import type { AssetKey } from './asset.ts';

export const DEFAULT_PRODUCT_LINE = 'general';

const NAME = /^[\p{L}\p{N}._-]{1,80}$/u;
/** With `.md` it stays a file name everywhere. */
const MAX_NAME_BYTES = 240;
const MAX_PRODUCT_LINE_BYTES = 400;
const EXTENSION = '.md';

function problemOf(part: string): string | undefined {
  if (part === '') return 'it is empty';
  if (part.includes('..')) return 'it has ".."';
  if (part.startsWith('.')) return 'it starts with "."';
  if (!NAME.test(part)) return 'only 1 to 80 letters, digits, ".", "_" and "-" are allowed';
  return Buffer.byteLength(part) > MAX_NAME_BYTES ? `it is longer than ${MAX_NAME_BYTES} bytes` : undefined;
}

export function isName(name: string): boolean {
  return problemOf(name.normalize('NFC')) === undefined;
}

/** Checks the name of an asset and returns it in Unicode's composed form. @throws {KnowledgeError} `INVALID_NAME`. */
export function checkName(name: unknown): string {
  const composed = typeof name === 'string' ? name.normalize('NFC') : '';
  const problem = typeof name === 'string' ? problemOf(composed) : 'it is not a text';
  if (problem === undefined) return composed;
  const hint = 'Use a name such as redis-cluster-failover.';
  throw new KnowledgeError('INVALID_NAME', [`Invalid asset name ${quoted(name)}: ${problem}`, hint]);
}

/**
 * Checks a product line, names joined by `/`, and returns it in Unicode's composed form.
 *
 * @throws {KnowledgeError} `INVALID_NAME`.
 */
export function checkProductLine(productLine: unknown): string {
  const composed = typeof productLine === 'string' ? productLine.normalize('NFC') : '';
  let problem = typeof productLine === 'string' ? undefined : 'it is not a text';
  for (const part of composed.split('/')) problem ??= problemOf(part);
  if (Buffer.byteLength(composed) > MAX_PRODUCT_LINE_BYTES) {
    problem ??= `it is longer than ${MAX_PRODUCT_LINE_BYTES} bytes`;
  }
  if (problem === undefined) return composed;
  const hint = 'Use names joined by "/", such as exchange/core.';
  throw new KnowledgeError('INVALID_NAME', [`Invalid product line ${quoted(productLine)}: ${problem}`, hint]);
}

/** Returns a name or an id without differences of case and of the characters that join its words. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replaceAll(/[\s_./-]+/gu, '-');
}

/** Returns the id of an asset: `product_line/name`. */
export function assetId({ productLine, name }: AssetKey): string {
  return `${productLine}/${name}`;
}

/** Returns the key of an id. @throws {KnowledgeError} `INVALID_NAME`. */
export function parseAssetId(id: string): AssetKey {
  const end = id.lastIndexOf('/');
  if (end !== -1) return { productLine: checkProductLine(id.slice(0, end)), name: checkName(id.slice(end + 1)) };
  throw new KnowledgeError('INVALID_NAME', [`Invalid asset ${quoted(id)}`, 'Write product_line/name.']);
}

/** Returns the path of an asset's file in the team store: `product_line/name.md`. */
export function assetPath(key: AssetKey): string {
  return `${assetId(key)}${EXTENSION}`;
}

/** Returns the key of a path in the team store; `undefined` when no asset can have this path. */
export function parseAssetPath(path: string): AssetKey | undefined {
  if (!path.endsWith(EXTENSION)) return undefined;
  try {
    const key = parseAssetId(path.slice(0, -EXTENSION.length));
    return assetPath(key) === path ? key : undefined;
  } catch {
    return undefined;
  }
}
