import type { AssetType, SearchResult } from '@cairn/knowledge';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { wholeNumber } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import { escapeLine } from '../../terminal/text.ts';
import type { CommandFactory } from '../command.ts';
import { Option } from 'commander';
import { productLineOption, typeOption } from './options.ts';

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

async function search(words: readonly string[], flags: SearchFlags, session: Session): Promise<number> {
  const { type, productLine, limit } = flags;
  return withKnowledge(session, {
    flags,
    // A question without an answer is recorded, as by the tool.
    writes: true,
    run: async ({ layers }, { printMatches, notice }) => {
      const query = words.join(' ');
      const { signal } = session;
      const answer = await layers.search({ query, type, productLine, limit, recordsGap: true, signal });
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
}

export const knowledgeSearchCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Find assets by words of name, title, tags and text, best match first. The query is plain text. Without filters, a question that no asset answers is recorded as a gap.',
    )
    .summary('find assets by words, best match first')
    .argument('<query...>', 'words in any language')
    .action(async (words: readonly string[], flags: SearchFlags) => done(await search(words, flags, session)));
  addKnowledgeOptions(command, [
    typeOption('only assets of this type; skills are found only by it'),
    productLineOption('only assets of this product line, and those below it'),
    new Option('--limit <n>', 'at most N assets, up to 50 (default: 5)').argParser(
      wholeNumber('--limit', '', 1, MAX_LIMIT),
    ),
  ]);
};
