/** The work of a question. A server loads it with the first one. */
import type { PartOptions, PartResult, RecallHit } from '@cairn/memory/internal';
import { marksOf } from '../assets/marks.ts';
import type { Asset } from '../assets/asset.ts';
import type { Knowledge } from '../create-knowledge.ts';
import { createFilter, type FieldFilters } from '../index/selection.ts';
import type { FoundResult } from '../layers/search.ts';
import { noticeOf } from '../layers/texts.ts';
import { headOf } from '../stores/record.ts';

function hitOf({ asset, score, evidence, isSimilar, marks = [] }: FoundResult): RecallHit {
  const { id, productLine, type, title, tags, body, changedMs, isPromoted, origin } = asset;
  return {
    kind: 'asset',
    id,
    text: body,
    time: changedMs,
    score,
    ...(evidence && { evidence }),
    ...(isSimilar === true && { isSimilar }),
    tags,
    about: {
      title,
      area: productLine,
      type,
      origin: isPromoted ? 'team' : 'local',
      ...(origin.kind === 'fact' && origin.source !== undefined && { fact: origin.source }),
      ...(marks.length > 0 && { marks: marks.join(' ') }),
    },
  };
}

/** Lists assets, the last changed one first. */
async function listAssets(
  { index, store, language }: Knowledge,
  { limit, signal, ...filters }: FieldFilters & { readonly limit: number; readonly signal?: AbortSignal | undefined },
) {
  await index.refresh({ signal });
  const heads = index.heads().filter(createFilter(filters));
  const newest = heads.toSorted((a, b) => b.changedMs - a.changedMs || (a.id < b.id ? -1 : 1)).slice(0, limit);
  const ids = newest.map(({ id }) => id);
  const nowMs = await store.now({ signal });
  const read = await store.getSequenced(ids, { signal });
  const assets = read.flatMap((one): Asset[] => (one === undefined ? [] : [one.asset]));
  const found = assets.map((asset): FoundResult => ({ asset, score: 0, marks: marksOf(headOf(asset), nowMs) }));
  const { unreadable = 0 } = index.overview().counts;
  const notices = unreadable > 0 ? [noticeOf('UNREADABLE_ASSETS', language, [String(unreadable)])] : [];
  return { found, searched: heads.length, hasMore: heads.length > limit, notices };
}

/** Finds assets, or lists them without a question. */
export async function findAssetHits(
  knowledge: Knowledge,
  { query, limit, tags, since, until, minEvidence, signal }: PartOptions,
): Promise<PartResult> {
  const options = { limit, tags, since, until, signal };
  const isListing = query.trim() === '';
  const answer = isListing
    ? await listAssets(knowledge, options)
    : await knowledge.layers.find({ ...options, query, minEvidence });
  const { found, searched, hasMore, notices } = answer;
  // Such as that the store is damaged.
  const ofStore = knowledge.store.backend.notices?.() ?? [];
  return { hits: found.map(hitOf), searched, hasMore, notices: [...notices, ...ofStore] };
}
