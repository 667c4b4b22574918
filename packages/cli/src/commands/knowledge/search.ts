import type { AssetType, SearchResult } from '@cairn/knowledge';
import { ExitCode } from '../../terminal/exit.ts';
import { wholeNumber } from '../../terminal/options.ts';
import { escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { productLineOption, typeOption, type KnowledgeFlags } from './options.ts';

interface SearchFlags extends KnowledgeFlags {
  readonly type?: AssetType;
  readonly productLine?: string;
  readonly limit?: number;
}

const MAX_LIMIT = 50;

function linesOf({ id, type, title, score, snippet, isSimilar, marks = [] }: SearchResult): string[] {
  const notes = [...(isSimilar === true ? ['similar'] : []), ...marks].map((mark) => `(${mark})`);
  const text = snippet.replaceAll(/\s+/gu, ' ').trim();
  return [[id, type, score.toFixed(2), title, ...notes].join('  '), ...(text === '' ? [] : [`    ${text}`])].map(
    escapeLine,
  );
}

export const knowledgeSearchCommand: CommandFactory = knowledgeCommand({
  description:
    'Find assets by words of name, title, tags and text, best match first. The query is plain text. Without filters, a question that no asset answers is recorded as a gap.',
  summary: 'find assets by words, best match first',
  args: [['<query...>', 'words in any language']],
  options: [
    typeOption('only assets of this type; skills are found only by it'),
    productLineOption('only assets of this product line, and those below it'),
    ['--limit <n>', 'at most N assets, up to 50 (default: 5)', wholeNumber({ minimum: 1, maximum: MAX_LIMIT })],
  ],
  // A question without an answer is recorded, as by the tool.
  writes: true,
  run: async ({ knowledge, signal, printMatches, notice }, flags: SearchFlags, words: readonly string[]) => {
    const { type, productLine, limit } = flags;
    const query = words.join(' ');
    const answer = await knowledge.layers.search({ query, type, productLine, limit, recordsGap: true, signal });
    const { results, isAnswered, hasMore, searched, gap } = answer;
    const hasWords = answer.notices.every(({ code }) => code !== 'NOTHING_TO_SEARCH');
    if (results.length === 0 && hasWords) notice(`none of ${searched} assets has a word of the query`);
    for (const { message } of answer.notices) {
      notice(message.replace('get_asset reads them', "'cairn knowledge show' reads them"));
    }
    if (hasMore) notice(`more assets match; use a larger --limit, up to ${MAX_LIMIT}`);
    if (gap !== undefined) {
      notice("the question was recorded as a gap; when you find the answer, 'cairn knowledge add' keeps it");
    }
    const documents = results.map(({ productLine: line, changedMs, isPromoted, isSimilar = false, ...rest }) => ({
      ...rest,
      product_line: line,
      similar: isSimilar,
      changed_at: new Date(changedMs).toISOString(),
      promoted: isPromoted,
    }));
    await printMatches(results.flatMap(linesOf), documents, { hasMore });
    return isAnswered ? ExitCode.Hit : ExitCode.None;
  },
});
