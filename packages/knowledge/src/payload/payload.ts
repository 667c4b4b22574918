import type { OptionNames } from '@cairn/tool/errors';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { createDataMarks, estimateTokens } from '@cairn/tool/prompt';
import type { CountTokens } from '@cairn/tool/prompt';
import { escapeControls } from '@cairn/tool/paths';
import type { AssetHead } from '../assets/asset.ts';
import { documentTexts } from '../index/document-texts.ts';
import { formatTime, INDEX_END, INDEX_START } from '../index/document.ts';
import { formatLine, LINE_FORMAT } from '../index/lines.ts';
import type { IndexCounts, Omitted } from '../index/selection.ts';
import { agentRouter } from '../skills/agent-router.ts';
import { PAYLOAD_TOOLS, payloadTexts } from './texts.ts';
import type { PayloadTexts } from './texts.ts';

/** A question that the knowledge base did not answer. */
interface PayloadGap {
  readonly query: string;
  /** How often it was asked. */
  readonly asked: number;
}

/** How long a payload may be. @default no limit */
export interface PayloadLimit {
  /** UTF-16 code units. */
  readonly maxCharacters?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** @default `estimateTokens` of `@cairn/tool` */
  readonly countTokens?: CountTokens | undefined;
}

/** What a payload shows. */
export interface PayloadContent {
  /** The first assets of the index, in their order. */
  readonly heads: readonly AssetHead[];
  /** The assets that are not in `heads`. */
  readonly omitted: Omitted;
  readonly counts: IndexCounts;
  /** The newest change time of all assets. */
  readonly lastUpdatedMs: number | undefined;
  /** Newest first. */
  readonly gaps: readonly PayloadGap[];
  /** Newest first: some of them, and the number of all. `undefined` without a team store: then nothing waits to be shared. */
  readonly unshared: { readonly count: number; readonly newest: readonly Pick<AssetHead, 'id'>[] } | undefined;
  /** Whether the clone of the team store may have changes that are missing. @default false */
  readonly mayLackTeam?: boolean | undefined;
}

export interface PayloadOptions extends PayloadLimit {
  /** @default 'en' */
  readonly language?: Language | undefined;
  /** How the commands begin that the text suggests. @default 'cairn' */
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
/** When not even {@link MIN_LINES} lines fit, tags are left out, then titles are cut to these lengths in sequence. */
const TITLE_LENGTHS = [Infinity, 80, 40, 20] as const;

/** The first half of a surrogate pair, at the end of a text that was cut. */
const HALF_PAIR = /[\ud800-\udbff]$/;

const marks = createDataMarks('cairn-knowledge');

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(HALF_PAIR, '').trimEnd()}…`;
}

/** Returns a foreign text as a part of one line: it cannot begin a line, a mark or a comment. */
function inLine(text: string): string {
  return marks.neutralize(escapeControls(text.replace(/\s+/gu, ' ').trim())).replaceAll('<!--', '&lt;!--');
}

/** The parts that shrink when space is short: each has its forms, the longest first; the last is empty. */
interface Shrinking {
  readonly tools: readonly string[];
  readonly router: readonly string[];
  readonly pending: readonly string[];
}

/** What a session works with. */
type SessionTools = Pick<PayloadOptions, 'tools' | 'hasCommands'>;

function toolForms(texts: PayloadTexts, { tools, hasCommands = true }: SessionTools): string[] {
  const present = PAYLOAD_TOOLS.filter((name) => tools?.includes(name) === true);
  const missing = PAYLOAD_TOOLS.filter((name) => !present.includes(name));
  const commands = missing.map((name) => `- ${texts.commandLines[name]}`);
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

/** Returns the whole router, then the cut ones. */
function routerForms(texts: PayloadTexts, language: Language, command: string): string[] {
  const whole = agentRouter[language].body(command).trim();
  const forms = [`${texts.router}\n\n${whole}`];
  for (let length = MAX_ROUTER; length >= MIN_ROUTER; length -= 50) {
    const start = whole
      .slice(0, length - texts.routerCut.length)
      .replace(HALF_PAIR, '')
      .trimEnd();
    const form = `${texts.router}\n\n${whole.length <= length ? whole : `${start}${texts.routerCut}`}`;
    if (form !== forms.at(-1)) forms.push(form);
  }
  return [...forms, ''];
}

function pendingForms(
  texts: PayloadTexts,
  { gaps, unshared }: PayloadContent,
  { tools, hasCommands = true }: SessionTools,
): string[] {
  const isKnown = tools?.includes('sink_asset');
  const ways = [
    ...(isKnown === false ? [] : ['`sink_asset`']),
    ...(hasCommands && isKnown !== true ? [texts.addCommand] : []),
  ];

  const formOf = (most: number): string => {
    const { count, newest } = unshared ?? { count: 0, newest: [] };
    const questions = gaps.slice(0, most);
    const assets = newest.slice(0, most);
    const moreGaps = gaps.length - questions.length;
    const moreAssets = count - assets.length;
    const blocks = [
      ...(gaps.length === 0
        ? []
        : [
            [
              texts.gaps(ways.join(' / ')),
              ...questions.map(({ query, asked }) => texts.asked(inLine(cut(query, MAX_QUERY)), asked)),
              ...(moreGaps > 0 ? [texts.moreGaps(moreGaps)] : []),
            ],
          ]),
      ...(count === 0
        ? []
        : [
            [
              texts.unshared,
              ...assets.map(({ id }) => `- ${inLine(id)}`),
              ...(moreAssets > 0 ? [texts.moreUnshared(moreAssets)] : []),
            ],
          ]),
    ];
    const shown = blocks.length === 0 ? texts.nothingPending : blocks.map((lines) => lines.join('\n')).join('\n\n');
    return `${texts.pending}\n\n${shown}`;
  };
  const forms = Array.from({ length: MAX_PENDING + 1 }, (_, index) => formOf(MAX_PENDING - index));
  return [...new Set(forms), ''];
}

/** Returns the lines of the index; with a length of titles, without tags. */
function linesOf(heads: readonly AssetHead[], titleLength?: number): string[] {
  return heads.map((head) => {
    const shown = titleLength === undefined ? head : { ...head, title: cut(head.title, titleLength), tags: [] };
    return marks.neutralize(formatLine(shown));
  });
}

function indexPart(
  content: PayloadContent,
  lines: readonly string[],
  {
    texts,
    language,
    hasTags,
  }: { readonly texts: PayloadTexts; readonly language: Language; readonly hasTags: boolean },
): string {
  const { counts, lastUpdatedMs, heads, omitted } = content;
  const { total, promoted } = counts;
  const ofDocument = documentTexts[language];
  const missing = ofDocument.omitted({ ...omitted, more: omitted.more + heads.length - lines.length });
  const head = [
    texts.index,
    '',
    `Last updated: ${lastUpdatedMs === undefined ? ofDocument.never : formatTime(lastUpdatedMs)}`,
    `Total assets: ${total} (L1: ${total - promoted}, L2: ${promoted})`,
    `Format: \`${LINE_FORMAT}\``,
  ];
  const block =
    heads.length === 0 ? [texts.noLines] : [ofDocument.escapes, texts.aboutLines, '', INDEX_START, ...lines, INDEX_END];
  const notes = [
    missing,
    hasTags || lines.length === 0 ? '' : ofDocument.tagsOmitted(lines.length),
    content.mayLackTeam === true ? texts.mayLackTeam : '',
    texts.beforeGap,
  ];
  return [...head, ...block, '', ...notes.filter((note) => note !== '')].join('\n');
}

export const payloadOptions: OptionNames<PayloadOptions> = {
  language: 'optional',
  command: 'optional',
  maxCharacters: 'optional',
  maxTokens: 'optional',
  countTokens: 'optional',
  tools: 'optional',
  hasCommands: 'optional',
};

/**
 * Formats what a session of an agent sees of the knowledge at its start: the policy, the index, the strategy, the router, what is
 * pending and the tools, between the marks `<cairn-knowledge>` and `</cairn-knowledge>`. Equal content has equal bytes.
 *
 * The index has as many lines as fit next to the other parts. When not all fit, the router is cut to 600 characters; when not even
 * 20 fit, the tools shrink, then the router, then what is pending, then titles are cut; what the text leaves out is stated in it.
 *
 * @throws {RangeError} when the limit is too small for the policy and the strategy.
 */
export function buildPayload(content: PayloadContent, options: PayloadOptions = {}): string {
  checkArguments.options('buildPayload', options, payloadOptions);
  return renderPayload(content, options);
}

/** Like {@link buildPayload}, with options that are checked. */
export function renderPayload(content: PayloadContent, options: PayloadOptions): string {
  const { language = 'en', command = 'cairn', countTokens = estimateTokens } = options;
  const { maxCharacters = Infinity, maxTokens = Infinity } = options;
  const texts = payloadTexts[language](command);
  const shrinking: Shrinking = {
    tools: toolForms(texts, options),
    router: routerForms(texts, language, command),
    pending: pendingForms(texts, content, options),
  };
  const place = { tools: 0, router: 0, pending: 0 };
  let hasTags = true;
  const compose = (lines: readonly string[]): string => {
    const parts = [
      texts.policy,
      indexPart(content, lines, { texts, language, hasTags }),
      texts.strategy,
      shrinking.router[place.router] ?? '',
      shrinking.pending[place.pending] ?? '',
      shrinking.tools[place.tools] ?? '',
    ];
    return `<cairn-knowledge>\n${parts.filter((part) => part !== '').join('\n\n')}\n</cairn-knowledge>`;
  };
  const fits = (lines: readonly string[]): boolean => {
    const text = compose(lines);
    return text.length <= maxCharacters && (maxTokens === Infinity || countTokens(text) <= maxTokens);
  };

  let lines = linesOf(content.heads);
  // A limit demands it.
  if (!fits(lines)) {
    const most = texts.router.length + 2 + MAX_ROUTER;
    place.router = shrinking.router.findIndex((form) => form.length <= most);
  }
  const least = (): readonly string[] => lines.slice(0, MIN_LINES);
  for (const part of ['tools', 'router', 'pending'] as const) {
    while (!fits(least()) && place[part] < shrinking[part].length - 1) place[part]++;
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
