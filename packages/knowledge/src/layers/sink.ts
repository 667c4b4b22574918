import type { Asset } from '../assets/asset.ts';
import type { FieldChanges } from '../assets/fields.ts';
import { contentHash, formatAsset, parseAsset } from '../assets/markdown.ts';
import { DEFAULT_PRODUCT_LINE } from '../assets/names.ts';
import { checkSecrets } from '../assets/secrets.ts';
import { KnowledgeError } from '../errors.ts';
import type { ChangeOptions } from '../stores/draft.ts';
import type { LocalStore } from '../stores/local-store.ts';
import type { Layers } from './layers.ts';
import type { SearchResult } from './search.ts';
import { DEFAULT_TYPE } from './share.ts';

/** A finding. For an update, fields that are left out stay as they are. */
export interface SinkDraft extends Pick<FieldChanges, 'productLine' | 'type' | 'title' | 'tags' | 'paths'> {
  readonly name: string;
  /** Markdown. */
  readonly body?: string | undefined;
}

export interface SinkOptions extends ChangeOptions {
  /** `new`: add it, whatever is similar. `update`: change the asset of this name. @default add it when nothing is similar */
  readonly mode?: 'new' | 'update' | undefined;
}

/** What became of a draft. `similar`: nothing was written, because these assets may say the same; repeat it with a mode. */
export type SinkResult =
  | { readonly kind: 'added' | 'updated'; readonly asset: Asset }
  | { readonly kind: 'similar'; readonly similar: readonly SearchResult[] };

type NeededFields = { readonly [Field in 'name' | 'title' | 'body']?: string | undefined };

/** Returns the fields that a draft lacks. */
export function missingFields(draft: NeededFields, mode: SinkOptions['mode']): string[] {
  const needed = mode === 'update' ? (['name'] as const) : (['name', 'title', 'body'] as const);
  return needed.filter((field) => draft[field] === undefined);
}

/** @throws {KnowledgeError} `ASSET_EXISTS` when one of the assets has the same body. */
async function rejectEqual(store: LocalStore, body: string, similar: readonly SearchResult[]): Promise<void> {
  const hash = contentHash(body);
  const ids = similar.map(({ id }) => id);
  const same = (await store.getMany(ids)).find((asset) => asset !== undefined && contentHash(asset.body) === hash);
  if (same === undefined) return;
  const summary = `The asset ${same.id} has exactly this text`;
  throw new KnowledgeError('ASSET_EXISTS', [summary, 'Use that asset. Nothing was written.'], { assets: [same.id] });
}

/**
 * Keeps a finding. Before a new asset is added, the three most similar ones are returned instead, so that the caller
 * chooses between an update and a new asset.
 *
 * @throws {KnowledgeError} the codes of `LocalStore.add` and `change`; `INVALID_INPUT` for a new asset without title or body;
 *   `AMBIGUOUS_ASSET` for an update of a name in several product lines.
 */
export async function sinkAsset(
  { store, layers }: { readonly store: LocalStore; readonly layers: Pick<Layers, 'getAsset' | 'similar'> },
  draft: SinkDraft,
  options: SinkOptions = {},
): Promise<SinkResult> {
  const { mode, expected, dryRun, signal } = options;
  const { name, productLine, title, tags, paths, body } = draft;
  if (mode === 'update') {
    const { asset } = await layers.getAsset({ name, productLine, signal });
    const change = { fields: { type: draft.type, title, tags, paths }, body };
    return { kind: 'updated', asset: await store.change(asset.id, change, { expected, dryRun, signal }) };
  }
  if (title === undefined || body === undefined) {
    const missing = missingFields(draft, mode).join(', ');
    throw new KnowledgeError('INVALID_INPUT', [`A new asset needs ${missing}`, `Pass ${missing}.`]);
  }
  const { type = DEFAULT_TYPE } = draft;
  const fields = { name, productLine: productLine ?? DEFAULT_PRODUCT_LINE, type, title, tags, paths };
  if (mode !== 'new') {
    // An asset that cannot be added is rejected before the caller has to choose.
    const parsed = parseAsset(formatAsset(fields, body));
    checkSecrets(parsed.text);
    const taken = await store.get(parsed.id, { signal });
    const similar = taken === undefined ? await layers.similar({ title, tags: tags ?? [], body, signal }) : [];
    if (similar.length > 0) {
      await rejectEqual(store, parsed.body, similar);
      return { kind: 'similar', similar };
    }
  }
  return { kind: 'added', asset: await store.add({ ...fields, body }, { dryRun, signal }) };
}
