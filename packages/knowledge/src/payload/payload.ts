import { startOf } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { createDataMarks, estimateTokens, type CountTokens } from '@cairn/tool/prompt';
import { escapeControls } from '@cairn/tool/paths';
import type { AssetHead } from '../assets/asset.ts';
import type { Gap } from '../gaps/pending.ts';
import { documentTexts } from '../index/document-texts.ts';
import { formatTime, INDEX_END, INDEX_START } from '../index/document.ts';
import { formatLine, LINE_FORMAT } from '../index/lines.ts';
import type { IndexOverview, Omitted } from '../index/selection.ts';
import { skillTexts } from '../skills/skill-texts.ts';
import { PAYLOAD_TOOLS, payloadTexts, type PayloadTexts } from './texts.ts';

/** How long a payload may be. @default no limit */
export interface PayloadLimit {
  /** UTF-16 code units. */
  readonly maxCharacters?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** @default `estimateTokens` of `@cairn/tool` */
  readonly countTokens?: CountTokens | undefined;
}

export interface PayloadContent extends Pick<IndexOverview, 'counts' | 'lastUpdatedMs'> {
  /** The first assets of the index, in their order. */
  readonly heads: readonly AssetHead[];
  readonly omitted: Omitted;
  /** Newest first. */
  readonly gaps: readonly Pick<Gap, 'query' | 'asked'>[];
  /** Newest first: some of them, and the number of all. `undefined` without a team store: then nothing waits to be shared. */
  readonly unshared: { readonly count: number; readonly newest: readonly Pick<AssetHead, 'id'>[] } | undefined;
  /** Whether the clone of the team store may have changes that are missing. @default false */
  readonly mayLackTeam?: boolean | undefined;
}

export interface PayloadOptions extends PayloadLimit {
  /** @default the language of the knowledge, otherwise 'en' */
  readonly language?: Language | undefined;
  /** How the commands begin that the text suggests. @default the knowledge's command, otherwise 'cairn' */
  readonly command?: string | undefined;
  /** The names of the tools that the session has. For missing ones their commands are listed. @default not known */
  readonly tools?: readonly string[] | undefined;
  /** Whether the session can run commands. @default true */
  readonly hasCommands?: boolean | undefined;
}

/** Codex counts four bytes as a token, which is more than {@link estimateTokens} says of emoji. */
function countForCodex(text: string): number {
  return Math.max(estimateTokens(text), Math.ceil(Buffer.byteLength(text) / 4));
}

/** The limits of hosts: Claude Code keeps 10,000 characters of a hook's context, Codex 2,500 tokens; `AGENTS.md` has none. */
export const PAYLOAD_LIMITS: Readonly<Record<'claude' | 'codex' | 'generic', PayloadLimit>> = {
  claude: { maxCharacters: 9500 },
  codex: { maxTokens: 2400, countTokens: countForCodex },
  generic: {},
};

export type PayloadHost = keyof typeof PAYLOAD_LIMITS;

/** The lines of the index that stay while other parts shrink. */
const MIN_LINES = 20;
const MAX_PENDING = 5;
const MAX_ROUTER = 600;
/** A cut router below this is left out. */
const MIN_ROUTER = 100;
const MAX_QUERY = 120;
/** The product lines of other areas that are named; when space is short, fewer. */
const NAMED_LINES = [12, 6, 3, 0] as const;
/** A knowledge base without assets costs a session at most 300 bytes with the document of the host around the text. */
const MAX_EMPTY_BYTES = 210;
/** When not even {@link MIN_LINES} lines fit, tags are left out, then titles are cut to these lengths in sequence. */
const TITLE_LENGTHS = [Infinity, 80, 40, 20] as const;

const marks = createDataMarks('cairn-knowledge');

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${startOf(text, length).trimEnd()}…`;
}

/** Returns a foreign text as a part of one line: it cannot begin a line, a mark or a comment. */
function inLine(text: string): string {
  return marks.neutralize(escapeControls(text.replace(/\s+/gu, ' ').trim())).replaceAll('<!--', '&lt;!--');
}

/** The parts of one payload. Those that shrink when space is short have forms, the longest first; the last is empty. */
class PayloadParts {
  readonly #content: PayloadContent;
  readonly #options: PayloadOptions;
  readonly #language: Language;
  readonly #command: string;
  readonly texts: PayloadTexts;

  constructor(content: PayloadContent, options: PayloadOptions) {
    const { language = 'en', command = 'cairn' } = options;
    this.#content = content;
    this.#options = options;
    this.#language = language;
    this.#command = command;
    this.texts = payloadTexts[language];
  }

  tools(): string[] {
    const { texts } = this;
    const { tools, hasCommands = true } = this.#options;
    const present = PAYLOAD_TOOLS.filter((name) => tools?.includes(name) === true);
    const missing = PAYLOAD_TOOLS.filter((name) => !present.includes(name));
    const commands = missing.map((name) => `- ${texts.commandLines[name](this.#command)}`);
    const formOf = (lines: readonly string[]): string => {
      const ofMissing = [texts.commands, ...commands, ...(tools === undefined ? [texts.preferTools] : [])];
      const blocks = [lines, missing.length === 0 || !hasCommands ? [] : ofMissing].filter((block) => block.length > 0);
      if (blocks.length === 0) blocks.push([texts.noTools]);
      return [texts.tools, ...blocks.map((block) => block.join('\n'))].join('\n\n');
    };
    const whole = formOf(present.map((name) => `- \`${name}\`: ${texts.toolLines[name]}`));
    const short = formOf(present.length === 0 ? [] : [present.map((name) => `\`${name}\``).join(', ')]);
    return [...new Set([whole, short, ''])];
  }

  router(): string[] {
    const { router, routerCut } = this.texts;
    const whole = skillTexts['agent-router'][this.#language].body(this.#command).trim();
    const forms = new Set([whole]);
    for (let length = MAX_ROUTER; length >= MIN_ROUTER; length -= 50) {
      const start = startOf(whole, length - routerCut.length);
      forms.add(whole.length <= length ? whole : `${start.trimEnd()}${routerCut}`);
    }
    return [...Array.from(forms, (form) => `${router}\n\n${form}`), ''];
  }

  pending(): string[] {
    const forms = Array.from({ length: MAX_PENDING + 1 }, (_, index) => this.#pendingOf(MAX_PENDING - index));
    return [...new Set(forms), ''];
  }

  #pendingOf(most: number): string {
    const { texts } = this;
    const { gaps, unshared = { count: 0, newest: [] } } = this.#content;
    const blocks: string[][] = [];
    if (gaps.length > 0) {
      const lines = gaps.slice(0, most).map(({ query, asked }) => texts.asked(inLine(cut(query, MAX_QUERY)), asked));
      if (gaps.length > most) lines.push(texts.moreGaps(gaps.length - most, this.#command));
      blocks.push([texts.gaps(this.#waysToStore().join(' / ')), ...lines]);
    }
    if (unshared.count > 0) {
      const lines = unshared.newest.slice(0, most).map(({ id }) => `- ${inLine(id)}`);
      const more = unshared.count - lines.length;
      if (more > 0) lines.push(texts.moreUnshared(more, this.#command));
      blocks.push([texts.unshared(this.#command), ...lines]);
    }
    const shown = blocks.map((lines) => lines.join('\n')).join('\n\n');
    return `${texts.pending}\n\n${shown === '' ? texts.nothingPending : shown}`;
  }

  /** Returns the text for a knowledge base without assets: the required sentences, then others that fit. */
  empty(): string {
    const { texts } = this;
    const { gaps, mayLackTeam } = this.#content;
    const compose = (sentences: readonly string[]): string =>
      `<cairn-knowledge>\n${sentences.join('\n')}\n</cairn-knowledge>`;
    const ways = this.#waysToStore();
    const sentences = [texts.empty, ...(mayLackTeam === true ? [texts.emptyLacksTeam] : [])];
    const forms = [ways, ways.slice(0, 1)].map((form) => (form.length === 0 ? '' : texts.keep(form.join(' / '))));
    for (const choice of [gaps.length > 0 ? [texts.emptyGaps(gaps.length)] : [], forms]) {
      const fitting = choice.find(
        (sentence) => sentence !== '' && Buffer.byteLength(compose([...sentences, sentence])) <= MAX_EMPTY_BYTES,
      );
      if (fitting !== undefined) sentences.push(fitting);
    }
    return compose(sentences);
  }

  /** Returns the ways of a session to store an asset: the tool, the command, or both when its tools are not known. */
  #waysToStore(): string[] {
    const { tools, hasCommands = true } = this.#options;
    const isKnown = tools?.includes('sink_asset');
    const ways = [
      isKnown !== false && '`sink_asset`',
      hasCommands && isKnown !== true && `\`${this.#command} knowledge add\``,
    ];
    return ways.filter((way) => way !== false);
  }

  index(lines: readonly string[], hasTags: boolean, namedLines: number): string {
    const { texts } = this;
    const { counts, lastUpdatedMs, heads, omitted, mayLackTeam } = this.#content;
    const { total, promoted } = counts;
    const ofDocument = documentTexts[this.#language];
    const head = [
      texts.index,
      '',
      `Last updated: ${lastUpdatedMs === undefined ? ofDocument.never : formatTime(lastUpdatedMs)}`,
      `Total assets: ${total} (L1: ${total - promoted}, L2: ${promoted})`,
      `Format: \`${LINE_FORMAT}\``,
    ];
    const block =
      heads.length === 0
        ? [texts.noLines]
        : [ofDocument.escapes, texts.aboutLines, '', INDEX_START, ...lines, INDEX_END];
    const notes = [
      ofDocument.omitted({
        ...omitted,
        more: omitted.more + heads.length - lines.length,
        lines: omitted.lines?.slice(0, namedLines),
      }),
      hasTags || lines.length === 0 ? '' : ofDocument.tagsOmitted(lines.length),
      mayLackTeam === true ? texts.mayLackTeam(this.#command) : '',
      texts.beforeGap,
    ];
    return [...head, ...block, '', ...notes.filter((note) => note !== '')].join('\n');
  }
}

/** Returns the lines of the index; with a length of titles, without tags. */
function linesOf(heads: readonly AssetHead[], titleLength?: number): string[] {
  return heads.map((head) => {
    const shown = titleLength === undefined ? head : { ...head, title: cut(head.title, titleLength), tags: [] };
    return marks.neutralize(formatLine(shown));
  });
}

/**
 * Formats what a session of an agent sees of the knowledge at its start: the policy, the index, the strategy, the router, what is
 * pending and the tools, between the marks `<cairn-knowledge>` and `</cairn-knowledge>`. Equal content has equal bytes.
 *
 * The index has as many lines as fit next to the other parts. When not all fit, the router is cut to 600 characters; when not even
 * 20 fit, other product lines are counted without their names, then the tools shrink, then the router, then what is pending, then
 * titles are cut; what the text leaves out is stated in it. Without assets, it is a sentence or two.
 *
 * @throws {RangeError} when the limit is too small for the policy and the strategy.
 */
export function buildPayload(content: PayloadContent, options: PayloadOptions = {}): string {
  const { maxCharacters = Infinity, maxTokens = Infinity, countTokens = estimateTokens } = options;
  const parts = new PayloadParts(content, options);
  const { texts } = parts;
  const forms = { tools: parts.tools(), router: parts.router(), pending: parts.pending() };
  if (content.counts.total === 0 && content.counts.unreadable === undefined) return parts.empty();
  let hasTags = true;
  let named = 0;
  const compose = (lines: readonly string[]): string => {
    const index = parts.index(lines, hasTags, NAMED_LINES[named] ?? 0);
    const shown = [texts.policy, index, texts.strategy, forms.router[0], forms.pending[0], forms.tools[0]];
    return `<cairn-knowledge>\n${shown.filter(Boolean).join('\n\n')}\n</cairn-knowledge>`;
  };
  const fits = (lines: readonly string[]): boolean => {
    const text = compose(lines);
    return text.length <= maxCharacters && (maxTokens === Infinity || countTokens(text) <= maxTokens);
  };

  let lines = linesOf(content.heads);
  // A limit demands it.
  if (!fits(lines)) forms.router = forms.router.filter((form) => form.length <= texts.router.length + 2 + MAX_ROUTER);
  const least = (): readonly string[] => lines.slice(0, MIN_LINES);
  while (!fits(least()) && named < NAMED_LINES.length - 1) named += 1;
  for (const part of ['tools', 'router', 'pending'] as const) {
    while (!fits(least()) && forms[part].length > 1) forms[part].shift();
  }
  for (const length of TITLE_LENGTHS) {
    if (fits(least())) break;
    lines = linesOf(content.heads, length);
    hasTags = false;
  }
  if (!fits([])) {
    const limit = maxCharacters === Infinity ? `${maxTokens} tokens` : `${maxCharacters} characters`;
    throw new RangeError(`the policy and the strategy do not fit into ${limit}: use a larger limit`);
  }
  // The last line takes the statement about others with it.
  if (fits(lines)) return compose(lines);
  // The number of lines that fit, between the two.
  let [fitting, tooMany] = [0, lines.length];
  while (tooMany - fitting > 1) {
    const middle = (fitting + tooMany) >> 1;
    if (fits(lines.slice(0, middle))) fitting = middle;
    else tooMany = middle;
  }
  return compose(lines.slice(0, fitting));
}
