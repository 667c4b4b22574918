import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCodingTools } from '@cairn/coding-agent';
import type { CodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import fc from 'fast-check';
import { newDirectory, removeTree } from '../support/tree.ts';
import { folded, modelEdit, trimmed } from './edit-model.ts';
import type { Cell, ModelEdit, ModelLine, ModelTier, Outcome, Place } from './edit-model.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';

const casesPerBatch = 50;

type Encoding = 'utf-8' | 'utf-8 with a mark' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'shift_jis';

/** The bytes of the characters that are not ASCII, in encodings that Node cannot write. */
const legacy: Readonly<Partial<Record<Encoding, Readonly<Record<string, readonly number[]>>>>> = {
  'windows-1252': { é: [0xe9], '“': [0x93], '”': [0x94], '–': [0x96], '\u00a0': [0xa0] },
  // The second byte of some is a backslash or a letter.
  shift_jis: {
    ソ: [0x83, 0x5c],
    表: [0x95, 0x5c],
    あ: [0x82, 0xa0],
    チ: [0x83, 0x60],
    '“': [0x81, 0x67],
    '”': [0x81, 0x68],
  },
};

const marks: Readonly<Partial<Record<Encoding, readonly number[]>>> = {
  'utf-8 with a mark': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
};

/** Stands for a byte that is not text. */
const BROKEN = '\ufffd';

const ascii = ['a', 'b', 'c', 'x', '"q"', '{', '}', '-', ' ', '  ', '\t', '$&', '\\', '`', 'ab'];

const others: Readonly<Record<Encoding, readonly string[]>> = {
  'utf-8': ['é', '“q”', '–', '漢', '😀', 'x\u00a0y', BROKEN],
  'utf-8 with a mark': ['é', '“', '”', '—', '😀'],
  // Each has the byte of a line feed.
  'utf-16le': ['é', '“q”', '\u0a00', '\u0a0a', '\u000a\u0100'.slice(1), '😀'],
  'utf-16be': ['é', '“q”', '\u0a00', '\u0a0a', '漢'],
  'windows-1252': Object.keys(legacy['windows-1252'] ?? {}),
  shift_jis: Object.keys(legacy.shift_jis ?? {}),
};

interface LinePlan {
  readonly indent: string;
  readonly text: string;
  readonly spaces: string;
  readonly isCrlf: boolean;
}

/** How an edit is made of the lines of the file. */
interface EditPlan {
  readonly at: number;
  readonly count: number;
  readonly cutStart: number;
  readonly cutEnd: number;
  readonly change:
    | 'none'
    | 'spaces added'
    | 'spaces trimmed'
    | 'plain'
    | 'curly'
    | 'indented'
    | 'dedented'
    | 'tabs'
    | 'spaces'
    | 'CRLF'
    | 'other';
  readonly other: string;
  readonly newLines: readonly string[];
  readonly newAt: number;
  readonly newRemoved: number;
  readonly endsLine: boolean;
  readonly replaceAll: boolean;
}

interface EditCase {
  readonly encoding: Encoding;
  readonly lines: readonly LinePlan[];
  readonly hasEnd: boolean;
  readonly lineEnds: 'LF' | 'CRLF' | 'mixed';
  readonly edits: readonly EditPlan[];
}

const editCase: fc.Arbitrary<EditCase> = fc
  .constantFrom<Encoding>(
    'utf-8',
    'utf-8',
    'utf-8',
    'utf-8 with a mark',
    'utf-16le',
    'utf-16be',
    'windows-1252',
    'shift_jis',
  )
  .chain((encoding) => {
    const text = fc
      .array(fc.constantFrom(...ascii, ...ascii, ...others[encoding]), { maxLength: 4 })
      .map((parts) => parts.join(''));
    const indent = fc.constantFrom('', '', '  ', '    ', '      ', '\t', '\t\t', ' \t');
    const line: fc.Arbitrary<LinePlan> = fc.record({
      indent,
      text: fc.oneof({ weight: 4, arbitrary: text }, fc.constant('')),
      spaces: fc.constantFrom('', '', '', ' ', '\t '),
      isCrlf: fc.boolean(),
    });
    const whole = fc.tuple(indent, text).map((parts) => parts.join('').replaceAll(BROKEN, ''));
    const plan: fc.Arbitrary<EditPlan> = fc.record({
      at: fc.nat(10),
      count: fc.constantFrom(1, 1, 2, 3),
      cutStart: fc.constantFrom(0, 0, 0, 1, 2),
      cutEnd: fc.constantFrom(0, 0, 0, 1, 2),
      change: fc.constantFrom<EditPlan['change']>(
        'none',
        'none',
        'none',
        'spaces added',
        'spaces trimmed',
        'plain',
        'curly',
        'indented',
        'dedented',
        'tabs',
        'spaces',
        'CRLF',
        'other',
      ),
      other: whole,
      newLines: fc.array(whole, { maxLength: 2 }),
      newAt: fc.nat(3),
      newRemoved: fc.nat(2),
      endsLine: fc.boolean(),
      replaceAll: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    });
    return fc.record<EditCase>({
      encoding: fc.constant(encoding),
      lines: fc.array(line, { minLength: 1, maxLength: 10, size: 'max' }),
      hasEnd: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
      lineEnds: fc.constantFrom('LF', 'LF', 'CRLF', 'mixed'),
      edits: fc.oneof(
        { weight: 3, arbitrary: fc.array(plan, { minLength: 1, maxLength: 1 }) },
        fc.array(plan, { minLength: 1, maxLength: 3 }),
      ),
    });
  });

function bytesOf(encoding: Encoding, character: string): Buffer {
  if (character === BROKEN) return Buffer.of(0xff);
  if (encoding === 'utf-16le') return Buffer.from(character, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(character, 'utf16le').swap16();
  const known = legacy[encoding]?.[character];
  return known ? Buffer.from(known) : Buffer.from(character);
}

/** Returns the lines of a file; after a final line end there is an empty one. */
function linesOf({ encoding, lines, hasEnd, lineEnds }: EditCase): ModelLine[] {
  const made = lines.map(({ indent, text, spaces, isCrlf }, index) => {
    const cells = [...indent, ...text, ...spaces].map((character): Cell => ({
      character: character === BROKEN ? undefined : character,
      bytes: bytesOf(encoding, character),
    }));
    const end = lineEnds === 'CRLF' || (lineEnds === 'mixed' && isCrlf) ? ['\r', '\n'] : ['\n'];
    const isOpen = index === lines.length - 1 && !hasEnd;
    return { cells, end: Buffer.concat(isOpen ? [] : end.map((one) => bytesOf(encoding, one))) };
  });
  return hasEnd ? [...made, { cells: [], end: Buffer.alloc(0) }] : made;
}

const changes: Readonly<Record<EditPlan['change'], (text: string) => string>> = {
  none: (text) => text,
  'spaces added': (text) => text.replaceAll('\n', ' \n'),
  'spaces trimmed': (text) => text.replaceAll(/[ \t]+$/gmu, ''),
  plain: (text) => text.replaceAll(/[“”]/gu, '"').replaceAll('–', '-'),
  curly: (text) => text.replaceAll('"', '“'),
  indented: (text) => text.replaceAll(/^(?=.)/gmu, '  '),
  dedented: (text) => text.replaceAll(/^(?: {2}|\t)/gmu, ''),
  tabs: (text) => text.replaceAll(/^ +/gmu, (spaces) => '\t'.repeat(Math.ceil(spaces.length / 2))),
  spaces: (text) => text.replaceAll(/^\t+/gmu, (tabs) => '    '.repeat(tabs.length)),
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
  other: (text) => text,
};

function editOf(lines: readonly ModelLine[], plan: EditPlan): ModelEdit {
  const texts = lines.map(({ cells }) => cells.map(({ character = '' }) => character).join(''));
  const at = plan.at % texts.length;
  const all = texts.slice(at, at + plan.count).join('\n');
  const cut = [...all].slice(plan.cutStart, [...all].length - plan.cutEnd).join('');
  const given = plan.change === 'other' ? plan.other : cut;
  const own = given.split('\n');
  own.splice(plan.newAt % (own.length + 1), plan.newRemoved, ...plan.newLines);
  const [old_text, new_text] = [given, own.join('\n')].map((text) => {
    const changed = changes[plan.change](text);
    return plan.endsLine ? `${changed}\n` : changed;
  });
  return { old_text: old_text ?? '', new_text: new_text ?? '', replace_all: plan.replaceAll };
}

const labels: Readonly<Record<Encoding, string | undefined>> = {
  'utf-8': undefined,
  'utf-8 with a mark': undefined,
  'utf-16le': undefined,
  'utf-16be': undefined,
  'windows-1252': 'windows-1252',
  shift_jis: 'shift_jis',
};

/** Edits of files in several encodings against a slow model: a case is a call of up to three edits of one file. */
export const editsFuzzer: Fuzzer = createFuzzer<readonly EditCase[]>({
  name: 'edits',
  casesPerBatch,
  batch: fc.array(editCase, { minLength: 1, maxLength: casesPerBatch, size: 'max' }),
  compare: async (cases) => {
    const top = newDirectory();
    try {
      for (const name of ['root', 'state']) mkdirSync(join(top, name));
      const [root, stateDirectory] = [join(top, 'root'), join(top, 'state')];
      const tools = createCodingTools({ root, stateDirectory, policy: { staleGuard: 'off' } });
      const differences: string[] = [];
      let hits = 0;
      for (const [index, given] of cases.entries()) {
        const lines = linesOf(given);
        const edits = given.edits.map((plan) => editOf(lines, plan));
        const { applied, difference } = await compareEdits({ root, tools, name: String(index) }, given, {
          lines,
          edits,
        });
        if (applied) hits++;
        if (difference !== undefined) differences.push(difference);
      }
      return { cases: cases.length, hits, differences };
    } finally {
      removeTree(top);
    }
  },
});

interface Target {
  readonly root: string;
  readonly tools: CodingTools;
  readonly name: string;
}

interface Compared {
  readonly applied: boolean;
  readonly difference?: string;
}

async function compareEdits(
  { root, tools, name }: Target,
  given: EditCase,
  { lines, edits }: { readonly lines: readonly ModelLine[]; readonly edits: readonly ModelEdit[] },
): Promise<Compared> {
  const mark = Buffer.from(marks[given.encoding] ?? []);
  const body = Buffer.concat(lines.flatMap(({ cells, end }) => [...cells.map(({ bytes }) => bytes), end]));
  const before = Buffer.concat([mark, body]);
  writeFileSync(join(root, name), before);
  const label = labels[given.encoding];
  if (label !== undefined) await tools.read.execute({ path: name, encoding: label });
  const result = await tools.edit.execute({ path: name, edits: edits.map((edit) => ({ ...edit })) });
  const found = readFileSync(join(root, name));
  const outcomes = edits.map((edit) => modelEdit(lines, edit));
  const fail = (what: string): Compared => ({
    applied: !result.isError,
    difference: [
      `${what}: ${textOf(result)}`,
      JSON.stringify({ encoding: given.encoding, edits }),
      `before: ${JSON.stringify(before.toString('latin1'))}`,
      `found:  ${JSON.stringify(found.toString('latin1'))}`,
      `model:  ${JSON.stringify(outcomes)}`,
    ].join('\n'),
  });
  if (result.isError) {
    if (!found.equals(before)) return fail('rejected, but the file changed');
    const { reason } = result.details;
    return isExpected(reason, edits, outcomes) ? { applied: false } : fail(`rejected with ${reason}`);
  }
  const problem = problemOf(
    { given, edits, outcomes, tiers: result.details.edits.map(({ tier }) => tier) },
    { mark, body, found },
  );
  return problem === undefined ? { applied: true } : fail(problem);
}

const textIn = (encoding: Encoding, bytes: Buffer): string =>
  new TextDecoder(labels[encoding] ?? encoding.split(' ')[0], { ignoreBOM: true }).decode(bytes);

/** Whether the model also rejects the call for a reason. The first edit that is rejected gives it. */
function isExpected(reason: string, edits: readonly ModelEdit[], outcomes: readonly Outcome[]): boolean {
  const places = placesOf(outcomes).toSorted((one, other) => one.start - other.start);
  const isOverlapping = places.some((place, index) => place.start < (places[index - 1]?.end ?? 0));
  for (const [index, outcome] of outcomes.entries()) {
    if ('code' in outcome) return reason === outcome.code;
    const edit = edits[index];
    // With tabs for spaces, places may be left out and edits rejected.
    const isOpen = outcome.places.some((place) => place.isOpen);
    if (isOpen && ['AMBIGUOUS', 'NO_MATCH', 'NO_CHANGE'].includes(reason)) return true;
    if (edit && !isOpen && isSameText(outcome.tier, edit.old_text, edit.new_text)) {
      if (reason === 'NO_CHANGE') return true;
      if (outcome.tier === 'exact') return false;
    }
  }
  return reason === 'OVERLAP' && isOverlapping;
}

function placesOf(outcomes: readonly Outcome[]): Place[] {
  return outcomes.flatMap((outcome) => ('places' in outcome ? outcome.places : []));
}

/** Whether two texts are equal but for what a tier ignores, and for line ends. */
function isSameText(tier: ModelTier, one: string, other: string): boolean {
  const form: Readonly<Record<ModelTier, (line: string) => string>> = {
    exact: (line) => line,
    'trailing-blanks': trimmed,
    unicode: folded,
    indentation: (line) => folded(line).trimStart(),
  };
  const [left, right] = [one, other].map((text) => text.split(/\r?\n/u).map(form[tier]).join('\n'));
  return left === right;
}

interface Bytes {
  readonly mark: Buffer;
  readonly body: Buffer;
  readonly found: Buffer;
}

interface Answer {
  readonly given: EditCase;
  readonly edits: readonly ModelEdit[];
  readonly outcomes: readonly Outcome[];
  readonly tiers: readonly string[];
}

/** Returns the difference of the new file from that of the model: bytes outside the places, texts in them, line ends. */
function problemOf({ given, edits, outcomes, tiers }: Answer, { mark, body, found }: Bytes): string | undefined {
  const planned = outcomes.flatMap((outcome, index) => {
    const edit = edits[index];
    if ('code' in outcome || !edit) return [];
    return outcome.places.map((place) => {
      const text = place.dropsEnd ? edit.new_text.replace(/\r?\n$/u, '') : edit.new_text;
      return { ...place, tier: outcome.tier, text };
    });
  });
  if (outcomes.some((outcome, index) => 'code' in outcome || outcome.tier !== tiers[index]))
    return 'another tier or a rejection';
  const ordered = planned.toSorted((one, other) => one.start - other.start);
  if (ordered.some(({ start }, index) => start < (ordered[index - 1]?.end ?? 0)))
    return 'overlapping edits were applied';
  if (!found.subarray(0, mark.length).equals(mark)) return 'the byte order mark changed';
  const result = found.subarray(mark.length);
  const wrongEnd = { LF: /\r\n/u, CRLF: /(?<!\r)\n/u, mixed: /(?!)/u }[given.lineEnds];
  const hasLineEnd = given.lines.length > (given.hasEnd ? 0 : 1);
  let furthest = 0;
  /** Whether the result from an offset is the kept bytes before a place, its new text, and so on. */
  const fits = (index: number, at: number): boolean => {
    furthest = Math.max(furthest, index);
    const place = ordered[index];
    const kept = body.subarray(ordered[index - 1]?.end ?? 0, place?.start ?? body.length);
    if (!result.subarray(at, at + kept.length).equals(kept)) return false;
    const start = at + kept.length;
    if (!place) return start === result.length;
    // Spaces are ignored at the ends of lines, so several ends are possible when the next place follows at once.
    for (let stop = start; stop <= result.length; stop++) {
      const written = textIn(given.encoding, result.subarray(start, stop));
      if (!isSameText(place.tier, written, place.text)) continue;
      // In the middle of a line, a space is not at the end of a line.
      const isMiddle = !/^(?:\r?\n|$)/u.test(textIn(given.encoding, body.subarray(place.end)));
      const isSameEnd = [written, place.text].map((text) => /[ \t]*$/u.exec(text)?.[0].length);
      if (isMiddle && isSameEnd[0] !== isSameEnd[1]) continue;
      if (!(hasLineEnd && wrongEnd.test(written)) && fits(index + 1, stop)) return true;
    }
    return false;
  };
  return fits(0, 0) ? undefined : `the bytes before place ${furthest}, or its text or line ends, are others`;
}
