import fc from 'fast-check';

/** A mistake in a patch that a model or a person wrote. */
export interface Damage {
  readonly kind: DamageKind;
  /** Where: each number is taken modulo the number of places. */
  readonly at: number;
  readonly by: number;
}

type DamageKind = (typeof kinds)[number];

/** After these, a patch still says the same. */
const harmless = [
  'counts',
  'all counts',
  'bare hunk',
  'bare hunks',
  'lost space',
  'lost spaces',
  'trimmed lines',
  'fence',
  'fence and text',
  'CRLF',
  'CRLF here and there',
  'blank line between',
  'doubled names',
  'doubled hunk line',
  'trimmed',
  'no git line',
  'signature',
] as const;

/** After these it says something else, or less. */
const harmful = [
  'cut lines',
  'cut characters',
  'repeated section',
  'repeated hunk',
  'start',
  'other name',
  'lost line',
  'odd line',
] as const;

const kinds: readonly [...typeof harmless, ...typeof harmful] = [...harmless, ...harmful];

export const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: fc.nat(1000),
  by: fc.integer({ min: -3, max: 4 }),
});

export function isHarmless({ kind }: Damage): boolean {
  return (harmless as readonly string[]).includes(kind);
}

const isHunk = (line: string): boolean => line.startsWith('@@ ');
/** The files of a case are below its number. */
const isNames = (line: string): boolean =>
  /^(?:--- (?:"?a\/\d|\/dev\/null)|\+\+\+ (?:"?b\/\d|\/dev\/null))/u.test(line);
/** Without its space it would be another line of a patch. */
const isPlainContext = (line: string): boolean => /^ (?![-+\\@*]|diff |```)/u.test(line);
const isSection = (line: string): boolean => line.startsWith('diff --git ') || line.startsWith('*** ');

/** Returns the index of one of the lines that fit, or undefined. */
function pick(
  lines: readonly string[],
  fits: (line: string, index: number) => boolean,
  at: number,
): number | undefined {
  const places = lines.flatMap((line, index) => (fits(line, index) ? [index] : []));
  return places[at % places.length];
}

function withNumbers(line: string, change: (numbers: number[]) => readonly number[]): string {
  const [, ...given] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(line) ?? [];
  if (given.length === 0) return line;
  const [old, oldCount, created, newCount] = change(given.map((one: string | undefined) => Number(one ?? 1))).map(
    (one) => Math.max(0, one),
  );
  return `@@ -${old},${oldCount} +${created},${newCount} @@`;
}

const recounted =
  (by: number, step: number) =>
  ([old = 0, oldCount = 0, created = 0, newCount = 0]: number[]): number[] => [
    old,
    oldCount + by,
    created,
    newCount + (step % 2 === 0 ? by : step % 4),
  ];

const edits: Readonly<Record<DamageKind, (lines: readonly string[], damage: Damage) => readonly string[]>> = {
  counts: (lines, { at, by }) => replaceOne(lines, isHunk, at, (line) => [withNumbers(line, recounted(by, at))]),
  'all counts': (lines, { at, by }) =>
    lines.map((line) => (isHunk(line) ? withNumbers(line, recounted(by, at)) : line)),
  'bare hunk': (lines, { at }) => replaceOne(lines, isHunk, at, () => ['@@']),
  'bare hunks': (lines, { at }) => lines.map((line) => (isHunk(line) ? ['@@', '@@ ... @@'][at % 2] : line) ?? ''),
  'lost space': (lines, { at }) => replaceOne(lines, isPlainContext, at, (line) => [line.slice(1)]),
  'lost spaces': (lines) => lines.map((line) => (isPlainContext(line) ? line.slice(1) : line)),
  'trimmed lines': (lines) => lines.map((line) => line.replace(/[ \t]+$/u, '')),
  fence: (lines) => ['```diff', ...lines, '```', ''],
  'fence and text': (lines) => ['Here it is:', '', '~~~', ...lines, '~~~', '', 'That is all.'],
  CRLF: (lines) => lines.map((line, index) => (index === lines.length - 1 ? line : `${line}\r`)),
  'CRLF here and there': (lines, { at }) =>
    lines.map((line, index) => ((index * 7 + at) % 3 === 0 && index < lines.length - 1 ? `${line}\r` : line)),
  'blank line between': (lines, { at }) =>
    replaceOne(
      lines,
      (line, index) => index > 0 && (isHunk(line) || isSection(line)),
      at,
      (line) => ['', line],
    ),
  'doubled names': (lines, { at }) => {
    const first = pick(lines, (line) => line.startsWith('--- ') && isNames(line), at);
    return first === undefined ? lines : lines.toSpliced(first, 0, ...lines.slice(first, first + 2));
  },
  'doubled hunk line': (lines, { at }) => replaceOne(lines, isHunk, at, (line) => [line, line]),
  trimmed: (lines) => lines.join('\n').trim().split('\n'),
  'no git line': (lines) => lines.filter((line) => !/^(?:diff --git|index) /u.test(line)),
  signature: (lines) => [...(lines.at(-1) === '' ? lines.slice(0, -1) : lines), '-- ', '2.47.3', '', ''],
  'cut lines': (lines, { at }) => lines.slice(0, at % lines.length),
  'cut characters': (lines, { at }) => {
    const text = lines.join('\n');
    return text.slice(0, at % text.length).split('\n');
  },
  'repeated section': (lines, { at }) => {
    const first = pick(lines, isSection, at);
    if (first === undefined) return lines;
    const next = lines.findIndex((line, index) => index > first && isSection(line));
    const end = next === -1 ? lines.length - 1 : next;
    return lines.toSpliced(end, 0, ...lines.slice(first, end));
  },
  'repeated hunk': (lines, { at }) => {
    const first = pick(lines, (line) => line.startsWith('@@'), at);
    if (first === undefined) return lines;
    const next = lines.findIndex((line, index) => index > first && (line.startsWith('@@') || isSection(line)));
    const end = next === -1 ? lines.length - 1 : next;
    return lines.toSpliced(end, 0, ...lines.slice(first, end));
  },
  start: (lines, { at, by }) =>
    replaceOne(lines, isHunk, at, (line) => [
      withNumbers(line, ([old = 0, oldCount = 0, created = 0, newCount = 0]) => [
        old + by,
        oldCount,
        created + by,
        newCount,
      ]),
    ]),
  'other name': (lines, { at }) =>
    replaceOne(
      lines,
      (line) => line.startsWith('+++ ') && isNames(line),
      at,
      () => ['+++ b/other'],
    ),
  'lost line': (lines, { at }) =>
    replaceOne(
      lines,
      () => true,
      at,
      () => [],
    ),
  'odd line': (lines, { at, by }) =>
    replaceOne(
      lines,
      () => true,
      at,
      (line) => [line, ['Done.', '+more', '-less', ' more', '\tx', '@@', '***', '\u2212a'][by + 3] ?? ''],
    ),
};

function replaceOne(
  lines: readonly string[],
  fits: (line: string, index: number) => boolean,
  at: number,
  replace: (line: string) => readonly string[],
): readonly string[] {
  const index = pick(lines, fits, at);
  return index === undefined ? lines : lines.toSpliced(index, 1, ...replace(lines[index] ?? ''));
}

/** Returns a patch with mistakes, made in sequence. */
export function damaged(patch: string, damages: readonly Damage[]): string {
  return damages.reduce((text, one) => edits[one.kind](text.split('\n'), one).join('\n'), patch);
}

/** The lines that a patch adds and removes, by their signs alone. Lines that name files are not among them. */
export function signedLines(patch: string): { readonly added: string[]; readonly removed: string[] } {
  const all = patch.split('\n');
  const lines = all.filter((line, index) => {
    if (isNames(line)) return false;
    return !(/^-- ?\r?$/u.test(line) && all[index + 1]?.startsWith('2.47.3'));
  });
  const after = (sign: string): string[] => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return { added: after('+'), removed: after('-') };
}
