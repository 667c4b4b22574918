/** The Markdown of facts: a section for each, which people edit. Every line of it is understood or refused. */
import { quoted } from '@cairn/tool/kernel';
import { escapeControls } from '@cairn/tool/paths';
import { refuse } from '../records/checks.ts';
import { MemoryError } from '../errors.ts';
import type { Limits } from '../records/limits.ts';
import { formatDate } from '../records/time.ts';
import { checkSecrets, checkTags, checkText } from './checks.ts';
import { timeOf, type FactTable, type StoredFact } from './fact.ts';
import { foldText } from './fold.ts';

/** What a person can change. */
export interface EditableFact {
  readonly text: string;
  readonly tags: readonly string[];
  readonly isPinned: boolean;
}

export interface Section extends EditableFact {
  /** `undefined` for a new fact. */
  readonly id: string | undefined;
  /** Of the heading, from 1. */
  readonly lineNumber: number;
  readonly stream: string;
  /** The other fields, which cannot be changed either. */
  readonly fixed: string;
}

interface Problem {
  readonly lineNumber: number;
  readonly problem: string;
}

const HELP = `<!--
Each section is one fact. Change its text, its tags or "pinned: yes". Remove a section to archive the fact; "cairn memory restore"
brings it back for 30 days. Add a section "## new" to remember a fact. A line of a text that starts with "## " needs a backslash
before it.
-->`;

const HEADING = /^##(?:\s|$)/u;
const FIELD = /^(tags|pinned|stream|source|date):(.*)$/u;

function withoutReturn(line: string): string {
  let { length } = line;
  while (line[length - 1] === '\r') length--;
  return line.slice(0, length);
}

export function isSameFact(left: EditableFact | undefined, right: EditableFact): boolean {
  if (left === undefined) return false;
  const isSame = left.text === right.text && left.isPinned === right.isPinned && left.tags.length === right.tags.length;
  return isSame && left.tags.every((tag, index) => tag === right.tags[index]);
}

function titleOf({ project }: FactTable): string {
  return project === undefined ? '# Facts of the user' : `# Facts of the project ${escapeControls(project)}`.trimEnd();
}

/** Returns whether a line is a heading or the title, with backslashes before it or without. */
function isStructure(line: string, title: string): boolean {
  const bare = line.replace(/^\\+/u, '');
  return HEADING.test(bare) || bare.trimEnd() === title;
}

function sectionOf(stored: StoredFact, title: string): string {
  const { id, stream, source, tags = [], pinned } = stored;
  const fields = [
    ...(tags.length > 0 ? [`tags: ${escapeControls(tags.join(', '))}`] : []),
    ...(pinned === true ? ['pinned: yes'] : []),
    ...(stream === undefined ? [] : [`stream: ${escapeControls(stream)}`]),
    ...(source === undefined ? [] : [`source: ${escapeControls(source)}`]),
    `date: ${formatDate(timeOf(stored))}`,
  ];
  const lines = stored.text
    .trim()
    .split('\n')
    .map(withoutReturn)
    .map((line) => (isStructure(line, title) ? `\\${line}` : line));
  return [`## ${escapeControls(id)}`, ...fields, '', ...lines].join('\n');
}

/** Writes facts of one table as Markdown, in this order. */
export function formatMarkdown(table: FactTable, facts: readonly StoredFact[]): string {
  const title = titleOf(table);
  return `${[title, HELP, ...facts.map((stored) => sectionOf(stored, title))].join('\n\n')}\n`;
}

interface Reading {
  readonly id: string | undefined;
  readonly lineNumber: number;
  readonly fields: Map<string, string>;
  readonly lines: string[];
  isText: boolean;
}

function finish({ id, lineNumber, fields, lines }: Reading): Section {
  const tags = (fields.get('tags') ?? '').split(',').map((tag) => tag.trim());
  return {
    id,
    lineNumber,
    text: lines.join('\n').trim(),
    tags: tags.filter((tag) => tag !== ''),
    isPinned: fields.get('pinned') === 'yes',
    stream: fields.get('stream') ?? '',
    fixed: `${fields.get('source') ?? ''} ${fields.get('date') ?? ''}`,
  };
}

/** Reads a field of a section. @returns the problem */
function readField({ fields }: Reading, line: string): string | undefined {
  const [, name, rest = ''] = FIELD.exec(line) ?? [];
  const value = rest.trim();
  if (name === undefined) return 'is not a field of a fact (tags, pinned); leave an empty line before the text';
  if (fields.has(name)) return `repeats the field ${name}`;
  if (name === 'pinned' && value !== 'yes' && value !== 'no') return 'needs the value yes or no';
  fields.set(name, value);
  return undefined;
}

export function parseMarkdown(
  markdown: string,
  table: FactTable,
): { readonly sections: Section[]; readonly problems: Problem[] } {
  const title = titleOf(table);
  const problems: Problem[] = [];
  const readings: Reading[] = [];
  let isComment = false;
  for (const [index, line] of markdown
    .replace(/^\ufeff/u, '')
    .split(/\r?\n/u)
    .entries()) {
    const lineNumber = index + 1;
    const reading = readings.at(-1);
    if (!isComment && HEADING.test(line)) {
      const name = line.slice('##'.length).trim();
      if (name === '')
        problems.push({ lineNumber, problem: 'is a heading without an id; use "## new" for a new fact' });
      readings.push({ id: name === 'new' ? undefined : name, lineNumber, fields: new Map(), lines: [], isText: false });
    } else if (reading === undefined) {
      const isStart: boolean = !isComment && line.startsWith('<!--');
      const isKnown = isComment || isStart || line.trim() === '' || line.trimEnd() === title;
      if (!isKnown) problems.push({ lineNumber, problem: 'is before the first section; start one with "## new"' });
      isComment = (isComment || isStart) && !line.trimEnd().endsWith('-->');
    } else if (reading.isText) {
      if (line.trimEnd() === title) problems.push({ lineNumber, problem: 'is the title; move the sections below it' });
      reading.lines.push(isStructure(line, title) ? line.replace(/^\\/u, '') : line);
    } else if (line.trim() === '') {
      reading.isText = true;
    } else {
      const problem = readField(reading, line);
      if (problem !== undefined) problems.push({ lineNumber, problem });
    }
  }
  if (isComment) problems.push({ lineNumber: 1, problem: 'starts a comment that does not end' });
  return { sections: readings.map(finish), problems };
}

/** Returns what a person can change of a stored fact, in the form that its section has. */
export function editableOf(stored: StoredFact, table: FactTable): EditableFact | undefined {
  return parseMarkdown(formatMarkdown(table, [stored]), table).sections[0];
}

export interface MarkdownChanges {
  readonly updated: readonly { readonly before: Section; readonly after: Section }[];
  readonly removed: readonly Section[];
  readonly added: readonly Section[];
  readonly unchanged: number;
}

const MAX_SHOWN = 10;

/**
 * Compares the edited Markdown with the original one.
 *
 * @throws {MemoryError} `INVALID_INPUT` with the number of each line that is refused, `SECRET`.
 */
export function compareMarkdown(
  { edited, original }: { readonly edited: string; readonly original: string },
  {
    table,
    limits,
    allowSecret,
  }: { readonly table: FactTable; readonly limits: Limits; readonly allowSecret: boolean | undefined },
): MarkdownChanges {
  if (typeof edited !== 'string' || typeof original !== 'string') {
    refuse('The Markdown is not a string', 'Pass the edited and the original text.');
  }
  const before = parseMarkdown(original, table);
  if (before.problems.length > 0 || !original.includes(titleOf(table))) {
    const summary = 'The original Markdown does not match these facts';
    throw new MemoryError('INVALID_INPUT', [summary, 'Pass the text that toMarkdown returned for the same scope.']);
  }
  if (edited.trim() === '') {
    const hint = 'Nothing was changed. To archive facts, remove their sections and keep the title.';
    refuse('The edited Markdown is empty', hint);
  }
  const { sections, problems } = parseMarkdown(edited, table);
  const originals = new Map(before.sections.map((section) => [section.id, section]));
  const updated: { before: Section; after: Section }[] = [];
  const added: Section[] = [];
  const seen = new Map<string, number>();
  const texts = new Map<string, { readonly lineNumber: number; readonly isChanged: boolean }>();
  for (const after of sections) {
    const { id, lineNumber } = after;
    const problem = (text: string): unknown => problems.push({ lineNumber, problem: text });
    const old = id === undefined ? undefined : originals.get(id);
    if (id !== undefined && old === undefined) problem(`has the unknown id ${quoted(id)}; use "## new" for a new fact`);
    const first = id === undefined ? undefined : seen.get(id);
    if (first !== undefined) problem(`repeats the id of line ${first}`);
    if (id !== undefined) seen.set(id, lineNumber);
    if (after.fixed !== (old?.fixed ?? ' ') || after.stream !== (old?.stream ?? ''))
      problem('starts a section with a changed stream, source or date');
    const isChanged = old === undefined || !isSameFact(old, after);
    if (isChanged) {
      try {
        checkText(after.text, limits);
        const tags = checkTags(after.tags);
        checkSecrets([after.text, ...tags], allowSecret);
      } catch (error) {
        if (!MemoryError.isInstance(error)) throw error;
        problem(`starts a section that is refused: ${error.summary}`);
      }
      if (old === undefined) added.push(after);
      else updated.push({ before: old, after });
    }
    const key = JSON.stringify([after.stream, foldText(after.text)]);
    const equal = texts.get(key);
    if (equal !== undefined && (isChanged || equal.isChanged)) problem(`has the same text as line ${equal.lineNumber}`);
    texts.set(key, { lineNumber, isChanged });
  }
  if (problems.length > 0) {
    const sorted = problems.toSorted((left, right) => left.lineNumber - right.lineNumber);
    const shown = sorted.slice(0, MAX_SHOWN).map(({ lineNumber, problem }) => `line ${lineNumber} ${problem}`);
    const more = sorted.length > MAX_SHOWN ? [`${sorted.length - MAX_SHOWN} more lines`] : [];
    const summary = `The edited Markdown has lines that cannot be applied: ${[...shown, ...more].join('; ')}`;
    throw new MemoryError('INVALID_INPUT', [summary, 'Nothing was changed; fix these lines and apply it again.']);
  }
  const removed = before.sections.filter(({ id }) => id !== undefined && !seen.has(id));
  return { updated, removed, added, unchanged: sections.length - updated.length - added.length };
}
