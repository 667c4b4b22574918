import type { CallOptions } from '@cairn/memory';
import type { Asset, AssetType } from '../assets/asset.ts';
import { shorten } from '../assets/fields.ts';
import { assetId, DEFAULT_PRODUCT_LINE } from '../assets/names.ts';
import { contentHash } from '../assets/markdown.ts';
import { secretError } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { Layers } from './layers.ts';
import type { SearchResult } from './search.ts';

/** A fact that becomes an asset. */
export interface SharedFact {
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** When it was last changed, milliseconds since the epoch. */
  readonly updatedAt: number;
  /** The facts that it replaced, whose asset is its own. */
  readonly earlier?: readonly string[] | undefined;
  /** The fact that replaced it. */
  readonly supersededBy?: string | undefined;
  readonly isArchived?: boolean | undefined;
  /** Whether it was stored although it may have a secret. */
  readonly allowSecret?: boolean | undefined;
}

interface ShareFields {
  /** @default the words of the title */
  readonly name?: string | undefined;
  /** @default the first line of the fact; its id if the fact may have a secret, because the index shows titles */
  readonly title?: string | undefined;
  /** @default 'discovery', which people read as "note" */
  readonly type?: AssetType | undefined;
  /** The area of the asset. @default 'general' */
  readonly productLine?: string | undefined;
  /** @default the tags of the fact */
  readonly tags?: readonly string[] | undefined;
}

export interface ShareOptions extends ShareFields, CallOptions {
  /** Whether it is added although similar assets exist. @default false */
  readonly isNew?: boolean | undefined;
  /**
   * Whether a fact that may have a secret becomes an asset too, which is marked `allow_secret`: the team gets it, and an embeddings
   * server never does. @default false
   */
  readonly allowSecret?: boolean | undefined;
  /** Whether the asset that was made of the fact gets its text when the two differ. @default false */
  readonly update?: boolean | undefined;
  /** Whether the asset is only checked. @default false */
  readonly dryRun?: boolean | undefined;
}

/**
 * What became of a fact. `present`: it was an asset already, and nothing was changed. `updated`: the asset got its text. `similar`:
 * nothing was written, because these assets may say the same.
 */
export type ShareResult =
  | {
      readonly kind: 'added' | 'present' | 'updated';
      readonly asset: Asset;
      /**
       * Present when the asset has another text than the fact, which `update` replaces. `older`: the fact was changed after the
       * asset. `edited`: the asset was changed after the fact.
       */
      readonly differs?: 'older' | 'edited';
    }
  | { readonly kind: 'similar'; readonly similar: readonly SearchResult[] };

/** The type of an asset when nobody chose one. */
export const DEFAULT_TYPE: AssetType = 'discovery';

const MAX_NAME_CHARACTERS = 60;
/** A title is a line, not a paragraph. */
const MAX_FACT_TITLE = 80;

/** Returns the title that a text has of itself: its first line. */
function titleOf(text: string): string {
  const [line = ''] = text.trim().split(/\r\n|\r|\n/u);
  const plain = line
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/^#+\s*/u, '')
    .trim();
  return shorten(plain, MAX_FACT_TITLE);
}

/** Returns the name of an asset with this title: its first words, joined. Empty when it has none. */
export function nameOf(title: string): string {
  const words =
    title
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const shown: string[] = [];
  for (const word of words) {
    if ([...shown, word].join('-').length > MAX_NAME_CHARACTERS) break;
    shown.push(word);
  }
  // A language without spaces has one long word.
  return shown.join('-') || (words[0] ?? '').slice(0, MAX_NAME_CHARACTERS).replace(/\p{Cs}$/u, '');
}

/** Returns the asset that was made from a fact or from one that it replaced, or that has exactly its text. */
export async function findShared(
  store: LocalStore,
  { id, text, earlier = [] }: Pick<SharedFact, 'id' | 'text' | 'earlier'>,
  call: CallOptions,
): Promise<Asset | undefined> {
  const { changed } = await store.changes(undefined, call);
  const assets = changed.map(({ asset }) => asset);
  for (const fact of [id, ...earlier]) {
    const made = assets.find(({ origin }) => origin.kind === 'fact' && origin.source === fact);
    if (made !== undefined) return made;
  }
  // Of a fact that is not readable nothing is known.
  if (text === '') return undefined;
  const hash = contentHash(text);
  return assets.find(({ body }) => contentHash(body) === hash);
}

/** Returns the ids of all assets that were made from facts. */
export async function sharedAssets(store: LocalStore, call: CallOptions = {}): Promise<string[]> {
  const { changed } = await store.changes(undefined, call);
  return changed.flatMap(({ asset: { id, origin } }) => (origin.kind === 'fact' ? [id] : []));
}

/** Gives the asset of a fact the text of the fact, if the call asks for it. */
async function settleShared(
  store: LocalStore,
  { fact, asset }: { readonly fact: SharedFact; readonly asset: Asset },
  { update = false, allowSecret = false, title, dryRun, signal }: ShareOptions,
): Promise<ShareResult> {
  const { text, updatedAt } = fact;
  if (contentHash(asset.body) === contentHash(text)) return { kind: 'present', asset };
  if (!update) return { kind: 'present', asset, differs: updatedAt > asset.changedMs ? 'older' : 'edited' };
  checkAllowed(fact, allowSecret);
  const isMarked = isSecret(fact);
  // A title that was taken from the text follows it, but the index shows titles.
  const follows = asset.title === titleOf(asset.body) && !isMarked;
  const fields = {
    title: title ?? (follows ? titleOf(text) : asset.title),
    ...(isMarked && { allowSecret: true }),
  };
  const changed = await store.change(asset.id, { fields, body: text }, { expected: asset.hash, dryRun, signal });
  return { kind: 'updated', asset: changed };
}

function checkFact({ id, supersededBy, isArchived }: SharedFact): void {
  if (supersededBy !== undefined) {
    const summary = `The fact ${id} was replaced by ${supersededBy}`;
    throw new KnowledgeError('INVALID_INPUT', [summary, `Share ${supersededBy} instead.`]);
  }
  if (isArchived !== true) return;
  throw new KnowledgeError('INVALID_INPUT', [`The fact ${id} is archived`, 'Restore it, then share it.']);
}

/** Whether a fact may have a secret, so that its asset is marked. */
function isSecret({ text, allowSecret }: SharedFact): boolean {
  return allowSecret === true || secretError(text) !== undefined;
}

/** @throws {KnowledgeError} `SECRET` for a fact that may have a secret, unless the caller allows it. */
function checkAllowed({ id, text, allowSecret = false }: SharedFact, isAllowed: boolean): void {
  if (isAllowed) return;
  const hint = 'Remove the secret from the fact, or pass allowSecret to give it to the team. Nothing was written.';
  const found = secretError(text);
  if (found !== undefined) throw new KnowledgeError('SECRET', [found.summary, hint], { line: found.line });
  if (!allowSecret) return;
  throw new KnowledgeError('SECRET', [`The fact ${id} was stored with allowSecret, so it may have a secret`, hint]);
}

/**
 * Makes an asset of a fact. The asset keeps the id of the fact as its origin, and the fact stays. Repeating the call changes nothing;
 * with `update`, the asset follows the fact.
 *
 * @throws {KnowledgeError} `INVALID_INPUT` for a fact that was replaced or archived, `SECRET`, `ASSET_EXISTS` when the given name is
 *   taken, `INVALID_NAME`, `INVALID_ASSET`.
 */
export async function shareFact(
  { store, layers }: { readonly store: LocalStore; readonly layers: Pick<Layers, 'similar'> },
  fact: SharedFact,
  options: ShareOptions = {},
): Promise<ShareResult> {
  const { isNew = false, dryRun = false, allowSecret = false, signal } = options;
  checkFact(fact);
  const shared = await findShared(store, fact, { signal });
  if (shared !== undefined) return settleShared(store, { fact, asset: shared }, options);
  checkAllowed(fact, allowSecret);
  const isMarked = isSecret(fact);
  const { type = DEFAULT_TYPE, productLine = DEFAULT_PRODUCT_LINE } = options;
  const { title = (isMarked ? '' : titleOf(fact.text)) || fact.id } = options;
  const tags = options.tags ?? fact.tags;
  const own = nameOf(title) || fact.id;
  const isTaken = (await store.get(assetId({ productLine, name: own }), { signal })) !== undefined;
  const name = options.name ?? (isTaken ? `${own}-${fact.id.slice(-4)}` : own);
  const draft = { name, productLine, type, title, tags, body: fact.text, ...(isMarked && { allowSecret: true }) };
  // A text that cannot be added is rejected before anyone has to choose.
  const checked = await store.add(draft, { dryRun: true, signal });
  const similar = isNew ? [] : await layers.similar({ title, tags, body: fact.text, isSecret: isMarked, signal });
  if (similar.length > 0) return { kind: 'similar', similar };
  if (dryRun) return { kind: 'added', asset: checked };
  try {
    const origin = { kind: 'fact', source: fact.id } as const;
    return { kind: 'added', asset: await store.add(draft, { origin, signal }) };
  } catch (error) {
    // Another process shared it meanwhile.
    const again = await findShared(store, fact, { signal });
    if (again === undefined) throw error;
    return settleShared(store, { fact, asset: again }, options);
  }
}
