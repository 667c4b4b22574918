import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCodingTools } from '@cairn/coding-agent';
import type { CodingTools } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import { quotePath } from '@cairn/tool/paths';
import fc from 'fast-check';
import { git } from '../support/tools.ts';
import { newDirectory, removeTree } from '../support/tree.ts';
import { createFuzzer } from './fuzzer.ts';
import type { Fuzzer } from './fuzzer.ts';
import { isHarmless, signedLines, damage, damaged } from './patch-damage.ts';
import type { Damage } from './patch-damage.ts';

const casesPerBatch = 25;

/** A line and its end; the end of a last line may be missing. */
type Line = readonly [text: string, end: string];

interface File {
  readonly name: string;
  readonly before: readonly Line[];
  readonly edits: readonly LineEdit[];
  readonly kind: 'change' | 'add' | 'delete' | 'move';
  readonly endsBefore: boolean;
  readonly endsAfter: boolean;
}

interface LineEdit {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly Line[];
}

interface PatchCase {
  readonly files: readonly File[];
  readonly format: 'git' | 'diff' | 'v4a';
  readonly context: number;
  readonly damages: readonly Damage[];
}

/** Lines that look like lines of a patch, and lines that are easily taken for one another. */
const texts: readonly string[] = [
  ['a', 'b', 'c', 'd', 'e', 'x', '', '', ' ', '  a', '  b', '\ta', '\t\tb', 'a ', 'é', '“q”', '}', '{', 'return x;'],
  ['-- x', '++ y', '-', '+', '--', '-- ', '+++', '---', '-- a/f', '++ b/f', '--- a/f', '+++ b/f', '@@ -1 +1 @@', '@@'],
  ['*** Begin Patch', '*** End Patch', '*** Update File: f', 'diff --git a/f b/f', '\\ No newline at end of file'],
  ['```', '2.47.3', 'EOF', 'Index: f', 'rename to x', 'Binary files a and b differ', '# no\rend'],
].flat();

const line: fc.Arbitrary<Line> = fc.tuple(
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...texts) }, fc.stringMatching(/^[ \t]{0,4}[a-z]{1,6}$/u)),
  fc.oneof({ weight: 8, arbitrary: fc.constant('\n') }, { weight: 1, arbitrary: fc.constant('\r\n') }),
);

const lines = fc.oneof(
  fc.array(line, { maxLength: 12, size: 'max' }),
  // All lines end with CRLF.
  fc.array(line, { maxLength: 12, size: 'max' }).map((all) => all.map(([text]): Line => [text, '\r\n'])),
);

const names = ['f', 'g', 'dir/f', 'a/f', 'b/g', 'with space', 'täb', 'x\ty', 'q"q', '-f', 'trailing '] as const;

const file: fc.Arbitrary<File> = fc.record({
  name: fc.constantFrom(...names),
  before: lines,
  edits: fc.array(fc.record({ at: fc.nat(12), removed: fc.nat(3), added: fc.array(line, { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant<File['kind']>('change') },
    { weight: 2, arbitrary: fc.constantFrom<File['kind']>('add', 'delete', 'move') },
  ),
  endsBefore: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  endsAfter: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
});

const patchCase: fc.Arbitrary<PatchCase> = fc.record({
  files: fc.uniqueArray(file, { selector: ({ name }) => name, minLength: 1, maxLength: 3 }),
  format: fc.constantFrom('git', 'git', 'diff', 'v4a'),
  context: fc.constantFrom(3, 3, 1, 0),
  damages: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(damage, { minLength: 1, maxLength: 2 }) },
  ),
});

/** The content of files by their paths. */
type Contents = ReadonlyMap<string, string>;

function contentOf(all: readonly Line[], hasEnd: boolean): string {
  const text = all.map(([one, end]) => one + end).join('');
  return hasEnd ? text : text.replace(/\r?\n$/u, '');
}

function edited(before: readonly Line[], edits: readonly LineEdit[]): Line[] {
  const after = [...before];
  for (const { at, removed, added } of edits) after.splice(at % (after.length + 1), removed, ...added);
  return after;
}

/** Returns the files before and after. Every file that changes differs, and none is empty. */
function contentsOf({ files, format }: PatchCase): { readonly before: Contents; readonly after: Contents } {
  const [before, after] = [new Map<string, string>(), new Map<string, string>()];
  const hasEnds = format === 'v4a';
  for (const { name, before: old, edits, kind, endsBefore, endsAfter } of files) {
    const plain = (all: readonly Line[]): readonly Line[] => (hasEnds ? all.map(([text]): Line => [text, '\n']) : all);
    const one = contentOf(plain(old), hasEnds || endsBefore);
    const other = contentOf(plain(edited(old, edits)), hasEnds || endsAfter);
    if (one === '' || other === '' || one === other) continue;
    if (kind !== 'add') before.set(name, one);
    if (kind !== 'delete') after.set(kind === 'move' ? `moved/${name}` : name, other);
  }
  return { before, after };
}

function write(root: string, contents: Contents): void {
  for (const [path, content] of contents) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

function read(root: string, paths: Iterable<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of paths) {
    try {
      found.set(path, readFileSync(join(root, path), 'utf8'));
    } catch {
      // Not there, which is an answer.
    }
  }
  return found;
}

/** The directories of a batch: the files before and after, ours, git's, and the data of git. */
interface Place {
  readonly top: string;
  readonly tools: CodingTools;
  /** The output of programs, by their arguments, file by file. */
  readonly written: Map<string, readonly string[]>;
}

/** Returns the patch of a case as a program writes it. Programs write those of all cases of a batch at once. */
function patchOf({ written, top }: Place, index: number, { format, context, files }: PatchCase): string {
  const sections = (args: readonly string[], write: () => string): string => {
    const key = args.join(' ');
    const all = written.get(key) ?? write().split(/^(?=diff )/mu);
    written.set(key, all);
    return all
      .filter((one) => new RegExp(`^(?:--- "?a|\\+\\+\\+ "?b|diff --git "?a)/${index}/`, 'mu').test(one))
      .join('');
  };
  if (format === 'diff') {
    const args = ['-raN', `-U${context}`, 'a', 'b'];
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    return sections(args, () => spawnSync('diff', args, { cwd: top, encoding: 'utf8', env }).stdout);
  }
  const diff = (flags: readonly string[]): string =>
    git([...gitAt(top, 'b'), 'diff', '--cached', '--text', ...flags], join(top, 'b')).toString();
  // Git would find that a file of one case is moved to another.
  if (format === 'git' && files.some(({ kind }) => kind === 'move')) {
    return diff([`-U${context}`, 'base', '--', `${index}/`]);
  }
  const flags = ['--no-renames', format === 'v4a' ? '-U3' : `-U${context}`, 'base'];
  const all = sections(flags, () => diff(flags));
  return format === 'v4a' ? v4aOf(all) : all;
}

function gitAt(top: string, tree: string): string[] {
  return [
    `--git-dir=${join(top, 'git')}`,
    `--work-tree=${join(top, tree)}`,
    '-c',
    'core.autocrlf=false',
    '-c',
    'core.quotePath=true',
  ];
}

/** Returns the name in a `---` or `+++` line of git. */
function nameIn(text: string): string {
  const name = text.slice(4).replace(/\t$/u, '');
  if (!name.startsWith('"')) return name.slice(2);
  const bytes = name.slice(1, -1).replaceAll(/\\(\d{3}|.)/gu, (_, code: string) => {
    if (code.length === 3) return String.fromCharCode(Number.parseInt(code, 8));
    return code === 't' ? '\t' : code;
  });
  return Buffer.from(bytes, 'latin1').toString().slice(2);
}

/** Converts a diff of git, without moves and missing line ends, to the format that begins with `*** Begin Patch`. */
function v4aOf(diff: string): string {
  const out = ['*** Begin Patch'];
  const all = diff.split('\n').slice(0, -1);
  let skips = false;
  for (const [index, one] of all.entries()) {
    const next = all[index + 1] ?? '';
    if (/^(?:diff --git|index|new file|deleted file) /u.test(one)) skips = false;
    else if (one.startsWith('--- ') && next.startsWith('+++ ') && all[index + 2]?.startsWith('@@ -')) {
      if (one === '--- /dev/null') out.push(`*** Add File: ${quotePath(nameIn(next))}`);
      else if (next === '+++ /dev/null') out.push(`*** Delete File: ${quotePath(nameIn(one))}`);
      else out.push(`*** Update File: ${quotePath(nameIn(one))}`);
      skips = next === '+++ /dev/null';
    } else if (one.startsWith('+++ ') && all[index - 1]?.startsWith('--- ') && next.startsWith('@@ -')) continue;
    else if (one.startsWith('@@ -')) {
      if (!skips && !out.at(-1)?.startsWith('*** Add File')) out.push('@@');
    } else if (!skips) out.push(one);
  }
  return `${[...out, '*** End Patch'].join('\n')}\n`;
}

/** Patches of git, of `diff -u` and of the V4A format, also with mistakes: a case is a patch of up to three files. */
export const patchFuzzer: Fuzzer = createFuzzer<readonly PatchCase[]>({
  name: 'patch',
  casesPerBatch,
  batch: fc.array(patchCase, { minLength: 1, maxLength: casesPerBatch, size: 'max' }),
  compare: async (cases) => {
    const top = newDirectory();
    try {
      for (const name of ['a', 'b', 'ours', 'git', 'state']) mkdirSync(join(top, name));
      const root = join(top, 'ours');
      const tools = createCodingTools({ root, stateDirectory: join(top, 'state'), policy: { staleGuard: 'off' } });
      const place: Place = { top, tools, written: new Map() };
      git(['init', '--quiet', '--bare', join(top, 'git')], top);
      const states = cases.map((one) => contentsOf(one));
      for (const [index, { before, after }] of states.entries()) {
        write(join(top, 'a', String(index)), before);
        write(join(top, 'ours', String(index)), before);
        write(join(top, 'b', String(index)), after);
      }
      stage(top, 'a');
      git([...gitAt(top, 'a'), 'commit', '--quiet', '--allow-empty', '--message=base'], top);
      git([...gitAt(top, 'a'), 'tag', 'base'], top);
      stage(top, 'b');
      const differences: string[] = [];
      let hits = 0;
      for (const [index, one] of cases.entries()) {
        const state = states[index];
        if (!state || (state.before.size === 0 && state.after.size === 0)) continue;
        const { applied, difference } = await compareCase(place, index, state, one);
        if (applied) hits++;
        if (difference !== undefined) differences.push(difference);
      }
      return { cases: cases.length, hits, differences };
    } finally {
      removeTree(top);
    }
  },
});

function stage(top: string, tree: string): void {
  git([...gitAt(top, tree), 'add', '--all', '.'], join(top, tree));
}

interface Compared {
  readonly applied: boolean;
  readonly difference?: string;
}

async function compareCase(
  place: Place,
  index: number,
  { before, after }: { readonly before: Contents; readonly after: Contents },
  given: PatchCase,
): Promise<Compared> {
  const valid = patchOf(place, index, given);
  const patch = damaged(valid, given.damages);
  const root = join(place.top, 'ours', String(index));
  const paths = [...new Set([...before.keys(), ...after.keys(), 'other'])];
  const result = await place.tools.patch.execute({ patch });
  const found = read(root, paths);
  const answer = textOf(result);
  const fail = (what: string): Compared => ({
    applied: !result.isError,
    difference: [
      `${what}: ${answer}`,
      JSON.stringify({ format: given.format, damages: given.damages }),
      patch,
      `before: ${describe(before)}`,
      `found:  ${describe(found)}`,
      `after:  ${describe(after)}`,
    ].join('\n'),
  });
  if (result.isError) {
    if (!isSame(found, before)) return fail('rejected, but files changed');
    const isExpected = given.damages.length > 0 || mayRefuse(valid, answer, given, after);
    return isExpected ? { applied: false } : fail('a valid patch was rejected');
  }
  if (isSame(found, after)) return { applied: true };
  // Without context, nothing shows how the lines around an added one end.
  const withoutReturns = (all: Contents): Contents =>
    new Map([...all].map(([path, one]) => [path, one.replaceAll('\r\n', '\n')]));
  if (given.context === 0 && isSame(withoutReturns(found), withoutReturns(after))) return { applied: true };
  if (given.damages.length === 0) return fail('a valid patch was applied otherwise than git applies it');
  if (isSame(found, appliedByGit(join(place.top, `theirs-${index}`), { index, before, patch, paths })))
    return { applied: true };
  // Signs that are lost are lost lines of another kind, and a line end that is lost joins two lines.
  if (!isAccountedFor(before, found, patch)) return fail('a line of the patch was dropped');
  if (given.damages.every(isHarmless) && !isSame(normalized(found), normalized(after)))
    return fail('a line is elsewhere');
  return { applied: true };
}

function isSame(one: Contents, other: Contents): boolean {
  return one.size === other.size && [...one].every(([path, content]) => other.get(path) === content);
}

function describe(contents: Contents): string {
  return JSON.stringify(Object.fromEntries(contents));
}

/** Whether a rejection of a valid patch is documented: places that only a V4A patch leaves open. */
function mayRefuse(valid: string, answer: string, { format }: PatchCase, after: Contents): boolean {
  if (valid === '' || valid === '*** Begin Patch\n*** End Patch\n') return true;
  if (format === 'v4a') return /occurs \d+ times/u.test(answer) || [...after.values()].includes('');
  return false;
}

/** Returns the files as `git apply` leaves them; those before when it rejects the patch. */
function appliedByGit(
  root: string,
  {
    index,
    before,
    patch,
    paths,
  }: {
    readonly index: number;
    readonly before: Contents;
    readonly patch: string;
    readonly paths: readonly string[];
  },
): Contents {
  mkdirSync(root);
  write(join(root, String(index)), before);
  // A file, because git may end before it has read all of its input.
  writeFileSync(join(root, 'patch'), patch);
  git(['apply', '-p1', '--whitespace=nowarn', 'patch'], root, { codes: [1, 128] });
  return read(join(root, String(index)), paths);
}

/** Whitespace at the ends of lines and the last line end may be lost. */
function normalized(contents: Contents): Contents {
  return new Map(
    [...contents].map(([path, content]) => [path, content.replaceAll(/[ \t\r]+$/gmu, '').replace(/\n$/u, '')]),
  );
}

/** Whether the files have exactly the lines that the signs of the patch add and remove. */
function isAccountedFor(before: Contents, found: Contents, patch: string): boolean {
  const { added, removed } = signedLines(patch);
  // The format that begins with '*** Begin Patch' does not show the lines of a deleted file.
  const isHidden = (path: string): boolean => patch.includes('*** Delete File: ') && !found.has(path);
  const counts = new Map<string, number>();
  const add = (all: readonly string[], step: number): void => {
    for (const one of all) {
      const key = one.trimEnd();
      counts.set(key, (counts.get(key) ?? 0) + step);
    }
  };
  const linesIn = (contents: Contents): string[] =>
    [...contents.values()].flatMap((content) => content.replace(/\n$/u, '').split('\n'));
  add(linesIn(new Map([...before].filter(([path]) => !isHidden(path)))), 1);
  add(added, 1);
  add(removed, -1);
  add(linesIn(found), -1);
  return [...counts].every(([text, count]) => text === '' || count === 0);
}
