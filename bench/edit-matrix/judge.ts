/** Runs one case with one product, and says what went wrong. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Answer, Edit, Product, Session } from './product.ts';

/** File contents by path below the root; `../outside/…` lies next to it. */
type Files = Readonly<Record<string, string | Uint8Array>>;

/** A call of a tool, several concurrently, or something that others do to a file. In paths `<base>` is the directory that contains the root. */
export type Step =
  | { readonly read: string }
  | { readonly write: string; readonly content: string }
  | { readonly edit: string; readonly edits: readonly Edit[] }
  | { readonly together: readonly Step[] }
  | { readonly others: (root: string) => void };

/** A row of the matrix. */
export interface Case {
  readonly title: string;
  readonly files: Files;
  /** Links, modes and the like, once the files are there. */
  readonly prepare?: (root: string) => void;
  readonly steps: readonly Step[];
  /** Whether the last step is to be done, or rejected. */
  readonly wanted: 'done' | 'refused';
  /** The files that the last step changes; links and other names of a file are files too. */
  readonly after?: Files;
  /** Faults of the state afterwards, contents aside. */
  readonly inspect?: (root: string) => string | undefined;
  /** The fault of an answer that was not rejected. */
  readonly listen?: (text: string) => string | undefined;
  /** What it means when the last step was not rejected: completes "it …". */
  readonly harm?: string;
}

/** `refused`: nothing was harmed, but what was asked for was not done either. */
export interface Verdict {
  readonly kind: 'ok' | 'refused' | 'wrong';
  /** A few words; empty when all is well. */
  readonly text: string;
}

/** A product that hangs is wrong too. */
const PATIENCE_MS = 60_000;
const NO_ANSWER = 'no answer came';

function bytesOf(content: string | Uint8Array): Buffer {
  return Buffer.from(content as Uint8Array);
}

function count(bytes: Buffer, wanted: string | Uint8Array): number {
  let found = 0;
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) found++;
  return found;
}

/** A difference between what should be in a file and what is, in a few words. */
function describeDifference(before: Buffer | undefined, wanted: Buffer, found: Buffer): string {
  if (before?.equals(found)) return 'the file is unchanged';
  const mark = Buffer.of(0xef, 0xbb, 0xbf);
  const [crlfWanted, crlfFound] = [count(wanted, '\r\n'), count(found, '\r\n')];
  if (count(found, '\ufffd') > count(wanted, '\ufffd')) return 'other bytes became U+FFFD';
  if (crlfFound < crlfWanted) return `${crlfWanted - crlfFound} CRLF became LF`;
  if (crlfFound > crlfWanted) return `${crlfFound - crlfWanted} LF became CRLF`;
  if (wanted.indexOf(mark) === 0 && found.indexOf(mark) !== 0) return 'the byte order mark is lost';
  if (wanted.equals(Buffer.concat([found, Buffer.from('\n')]))) return 'the final newline is lost';
  if (found.equals(Buffer.concat([wanted, Buffer.from('\n')]))) return 'a final newline was added';
  const shown = found.length > 60 ? `${found.length} bytes` : JSON.stringify(found.toString());
  return `the file holds ${shown}`;
}

type Contents = ReadonlyMap<string, Buffer>;

/** The entries of a directory, with links, by path. A link has the content that it leads to. */
function contentsOf(directory: string): Contents {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true }).filter((one) => !one.isDirectory());
  const places = entries.map((one) => join(one.parentPath, one.name));
  return new Map(places.map((place) => [place, isFile(place) ? readFileSync(place) : Buffer.alloc(0)]));
}

function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
}

async function take(session: Session, step: Step, base: string): Promise<Answer> {
  const place = (path: string): string => path.replace('<base>', base);
  if ('read' in step) return session.read(place(step.read));
  if ('write' in step) return session.write(place(step.write), step.content);
  if ('edit' in step) return session.edit(place(step.edit), step.edits);
  if ('others' in step) {
    step.others(join(base, 'root'));
    return { isError: false, text: '' };
  }
  const answers = await Promise.all(step.together.map((one) => take(session, one, base)));
  return { isError: answers.some(({ isError }) => isError), text: answers.map(({ text }) => text).join('\n') };
}

/** An answer, or a failure of the call itself as one. */
async function answered(run: Promise<Answer>): Promise<Answer> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const late = new Promise<Answer>((resolve) => {
    patience.addEventListener('abort', () => resolve({ isError: true, text: NO_ANSWER }), { once: true });
  });
  try {
    return await Promise.race([run, late]);
  } catch (error) {
    return { isError: true, text: error instanceof Error ? error.message : String(error) };
  }
}

/** What became of the files: the first difference from what should be there, and whether anything changed at all. */
function compareFiles(one: Case, root: string, before: Contents): { wrong: string | undefined; changed: boolean } {
  const found = contentsOf(dirname(root));
  const after = Object.entries(one.wanted === 'done' ? (one.after ?? {}) : {});
  const wanted = new Map([...before, ...after.map(([path, content]) => [join(root, path), bytesOf(content)] as const)]);
  const wrong = [...wanted].flatMap(([place, content]) => {
    const now = found.get(place);
    if (now?.equals(content)) return [];
    return [now ? describeDifference(before.get(place), content, now) : `${place.slice(root.length + 1)} is gone`];
  });
  const left = [...found.keys()].filter((place) => !wanted.has(place));
  if (left.length > 0) wrong.push(`leftover files: ${left.map((place) => place.slice(root.length + 1)).join(', ')}`);
  const changed = found.size !== before.size || [...found].some(([place, now]) => !before.get(place)?.equals(now));
  return { wrong: wrong[0], changed };
}

function judge(one: Case, answer: Answer, root: string, before: Contents): Verdict {
  const { wrong, changed } = compareFiles(one, root, before);
  if (answer.text === NO_ANSWER) return { kind: 'wrong', text: NO_ANSWER };
  if (one.wanted === 'refused') {
    if (!answer.isError) return { kind: 'wrong', text: one.harm ?? wrong ?? 'says it was done' };
    return wrong === undefined ? { kind: 'ok', text: '' } : { kind: 'wrong', text: `rejected, but ${wrong}` };
  }
  if (answer.isError) {
    const summary = answer.text.split('\n')[0]?.slice(0, 60) ?? '';
    return { kind: changed ? 'wrong' : 'refused', text: changed ? `${wrong}, with an error` : summary };
  }
  const trouble = one.inspect?.(root) ?? wrong ?? one.listen?.(answer.text);
  return trouble === undefined ? { kind: 'ok', text: '' } : { kind: 'wrong', text: trouble };
}

/** Sets a case up in a directory of its own, takes its steps, and judges what is there then. */
export async function runCase(one: Case, product: Product): Promise<Verdict> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-matrix-')));
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'cairn-matrix-state-')));
  const root = join(base, 'root');
  try {
    mkdirSync(root);
    for (const [path, content] of Object.entries(one.files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    one.prepare?.(root);
    const session = await product.open(root, state);
    try {
      const last = one.steps.at(-1) ?? { together: [] };
      for (const step of one.steps.slice(0, -1)) await answered(take(session, step, base));
      const before = contentsOf(base);
      return judge(one, await answered(take(session, last, base)), root, before);
    } finally {
      await session.close();
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
    rmSync(state, { recursive: true, force: true });
  }
}
