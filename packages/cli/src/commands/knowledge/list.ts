import type { Asset } from '@cairn/knowledge';
import { ExitCode } from '../../terminal/exit.ts';
import { escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { limitOption, offsetOption } from '../memory/options.ts';
import { assetDocument, unreadableNotice } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { productLineOption, typeOption, type KnowledgeFlags } from './options.ts';

const DEFAULT_LIMIT = 50;

interface ListFlags extends KnowledgeFlags {
  readonly type?: string;
  readonly productLine?: string;
  readonly limit?: number;
  readonly offset?: number;
}

function lineOf({ id, type, title, tags, isUnshared }: Asset, marks: readonly string[]): string {
  const words = [
    id,
    type,
    title,
    ...tags.map((tag) => `#${tag}`),
    ...marks.map((mark) => `(${mark})`),
    ...(isUnshared ? ['(not shared)'] : []),
  ];
  return escapeLine(words.join('  '));
}

/** Whether an asset is in a product line or below it, in any case of its letters. */
function isIn({ productLine }: Asset, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  const above = wanted
    .normalize('NFC')
    .replaceAll(/^\/+|\/+$/gu, '')
    .toLowerCase();
  return `${productLine.toLowerCase()}/`.startsWith(`${above}/`);
}

export const knowledgeListCommand: CommandFactory = knowledgeCommand({
  description: 'List assets, the last changed ones first, in pages. Skills and deprecated assets are listed too.',
  summary: 'list assets, newest first, in pages',
  options: [
    typeOption('only assets of this type'),
    productLineOption('only assets of this product line, and those below it'),
    limitOption('assets', String(DEFAULT_LIMIT)),
    offsetOption,
  ],
  run: async ({ knowledge, signal, printMatches, notice }, flags: ListFlags) => {
    const { type, productLine, limit = DEFAULT_LIMIT, offset = 0 } = flags;
    const { headOf, marksOf } = await import('@cairn/knowledge/internal');
    const { changed, unreadable } = await knowledge.store.changes(undefined, { signal });
    const all = changed
      .map(({ asset }) => asset)
      .filter((asset) => (type === undefined || asset.type === type) && isIn(asset, productLine))
      .toSorted((a, b) => b.changedMs - a.changedMs || (a.id < b.id ? -1 : 1));
    const shown = all.slice(offset, offset + limit);
    const next = offset + shown.length;
    if (all.length === 0) notice("no asset matches; 'cairn knowledge add' adds one");
    else if (shown.length === 0) notice(`there are only ${all.length} assets; use a smaller --offset`);
    if (next < all.length && shown.length > 0) {
      notice(`assets ${offset + 1} to ${next} of ${all.length}; for the next use --offset ${next}`);
    }
    for (const id of unreadable) notice(unreadableNotice(id));
    const nowMs = Date.now();
    const lines = shown.map((asset) => lineOf(asset, marksOf(headOf(asset), nowMs)));
    const page = { total: all.length, hasMore: shown.length < all.length };
    const exitCode = await printMatches(lines, await Promise.all(shown.map(assetDocument)), page);
    return unreadable.length > 0 ? ExitCode.Error : exitCode;
  },
});
