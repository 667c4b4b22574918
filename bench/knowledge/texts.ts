/** The explanations in `bench/KNOWLEDGE.md`. */
import type { Half } from './fixture.ts';

export const titles: Readonly<Record<Half, string>> = {
  'held-out': '### Held-out half',
  tuning: '### Tuning half',
};

export const aboutQuestions = `\`test/knowledge/fixture\` has 200 assets of an invented exchange: eight types, nine product lines, half in English and half in
Chinese. 160 questions have an answer: 40 each by name, in other words (paraphrase), by tag, and by words that only the body has. 60
have none; half of these share a main word with an asset. Assets and questions were written by the author of the benchmark before
anything was measured, so they say more about differences between engines than about your texts.

- **found**: a right asset is among the five that are shown. **first**: it is the first one.
- **unmarked**: it is found, and the answer is not marked as weak. A marked answer is shown, and the question is kept as a gap.
- **absent**: of the questions without an answer, those with no result, or only marked ones.

"layers" goes as an agent is asked to: the index, then the search when the index does not decide. "search only" has no index. The other
engines have the same text of the same 191 assets (without skills and superseded ones): name, title and tags twice, product line, body.
They mark nothing, so they recognize an absent question only when no word of it occurs. See \`bench/RETRIEVAL.md\` for their settings.

One rule was chosen with the tuning half: name, title and tags count twice (78 instead of 76 of 80 first). Other thresholds of evidence
than memory's were tried and rejected: they marked fewer right answers only together with more wrong ones. A change to the index
was made because of a question for tuning: words that ask, such as 怎么, match nothing by themselves. The held-out half was measured
after that, and nothing was changed by its result.`;

export const aboutKinds =
  'The layers, by kind of question. Of absent questions, "found" counts those that are recognized.';

export const aboutAsked = `\`test/knowledge/fixture/asked.ts\` asks 180 questions about the same assets that have an answer, 30 of each kind, and 60 that have
none: directly, in other words, by a symptom, in the other language than the asset, with typos, and in one or two words. They were
written before the rule of evidence was chosen. Each cell has the questions, of 15, with a right asset first / among five / among
five and not marked as similar; the last column has the questions without an answer that have an unmarked result.`;

export const aboutTokens = `Tokens as \`estimateTokens\` counts them. "Each session": descriptions of the tools that read, instructions, and the payload at the
start of a session. "Each question": the calls and their results, of a reader that follows the layers; mean of all 220 questions. One
or two exact lines of the index are read at once; otherwise it searches, and reads the first result that is not marked. "Pays after
questions": when the tokens that the index saves are as many as it costs. It is sent with each request, at the price of cached tokens.`;

export const aboutSizes = `The assets of the fixture are shorter than the assets of most teams (640 characters in the median), so the share of the index is high. The
same heads with bodies of 5 KB, as \`AGENTS-INDEX.md\`:`;

export const aboutHeadings = `As in \`bench/RETRIEVAL.md\`: each heading is a question, and the text below it is an asset, which has a number as its title. Asked of
\`search_knowledge\` with ten results.`;

export const aboutSpeed = `10,000 assets in SQLite: sections of the documentation above, half in each language, with their headings as titles. 200 headings as
questions; of each the fastest of eight rounds, on a machine with other work.`;
