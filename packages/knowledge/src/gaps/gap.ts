import { readQuery } from '@cairn/retrieval';
import type { Language } from '@cairn/tool/kernel';
import { createHash } from 'node:crypto';
import type { AssetFields } from '../assets/asset.ts';
import { dayOf, MAX_TITLE_CHARACTERS, shorten } from '../assets/fields.ts';
import { isName } from '../assets/names.ts';
import type { AssetDraft } from '../stores/draft.ts';
import type { Gap } from './pending.ts';

/** Returns the id of the gap of a question: equal for questions with the same words. `undefined` without any word. */
export function gapId(query: string): string | undefined {
  const { units } = readQuery(query);
  // Words that only ask do not count, unless there are no others.
  const subject = units.filter(({ isQuestion }) => !isQuestion);
  const asked = (subject.length > 0 ? subject : units).flatMap(({ character, terms }) => character ?? terms[0] ?? []);
  const words = [...new Set(asked)].toSorted();
  return words.length === 0 ? undefined : createHash('sha256').update(words.join(' ')).digest('hex').slice(0, 16);
}

const MAX_NAME_CHARACTERS = 60;
const DRAFT_TAG = 'knowledge-gap';

/**
 * Returns whether an asset is the draft of a gap that is not filled yet. It has the words of a question and no answer. Another type,
 * or removing the tag, makes it an answer.
 */
export function isGapDraft({ type, tags }: Pick<AssetFields, 'type' | 'tags'>): boolean {
  return type === 'discovery' && tags.includes(DRAFT_TAG);
}

function nameOf({ query, id }: Gap): string {
  const words =
    query
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = `gap-${Array.from(words.join('-')).slice(0, MAX_NAME_CHARACTERS).join('').replaceAll(/-+$/gu, '')}`;
  return words.length > 0 && isName(name) ? name : `gap-${id}`;
}

const bodies: Readonly<Record<Language, (gap: Gap) => string>> = {
  en: ({ query, asked, firstMs, lastMs }) => `# ${query}

Asked ${asked === 1 ? 'once' : `${asked} times`}, first on ${dayOf(firstMs)}, last on ${dayOf(lastMs)}. No asset answered it.

## Answer

## Evidence
`,
  zh: ({ query, asked, firstMs, lastMs }) => `# ${query}

被问 ${asked} 次，首次 ${dayOf(firstMs)}，最近 ${dayOf(lastMs)}。没有资产能回答。

## 答案

## 依据
`,
};

export function draftOf(gap: Gap, language: Language): AssetDraft {
  return {
    name: nameOf(gap),
    type: 'discovery',
    title: shorten(gap.query, MAX_TITLE_CHARACTERS),
    tags: [DRAFT_TAG],
    body: bodies[language](gap),
  };
}
