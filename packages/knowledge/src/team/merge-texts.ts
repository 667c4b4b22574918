/** How two versions of an asset are merged: by lines, as git does, and the front matter by its fields. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { splitFrontMatter } from '../assets/front-matter.ts';
import { parseAsset } from '../assets/markdown.ts';
import { mergeFields, type Sides } from '../assets/merge-fields.ts';
import type { AssetKey } from '../assets/asset.ts';
import { KnowledgeError } from '../errors.ts';
import type { Git } from './git.ts';

export interface MergedText {
  /** When it is not clean, the lines that both sides changed are between marks. */
  readonly text: string;
  readonly isClean: boolean;
}

/** More conflicts are counted as 127; a higher status is a failure. */
const STATUSES: readonly number[] = Array.from({ length: 128 }, (_, status) => status);

/** Merges lines with `git merge-file`. */
async function mergeExactLines(git: Git, { base, mine, theirs }: Sides): Promise<MergedText | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-merge-'));
  try {
    const files = Object.entries({ mine, base, theirs }).map(([name, text]) => ({ path: join(directory, name), text }));
    for (const { path, text } of files) await writeFile(path, text, { mode: 0o600 });
    const labels = ['here', 'base', 'team'].flatMap((label) => ['-L', label]);
    const options = ['-c', 'merge.conflictStyle=merge', 'merge-file', '--stdout', '--quiet', ...labels];
    const { status, stdout } = await git.run([...options, ...files.map(({ path }) => path)], { accepts: STATUSES });
    return { text: stdout.toString(), isClean: status === 0 };
  } catch (error) {
    if (!KnowledgeError.isInstance(error)) throw error;
    // Git cannot merge binary files, for example.
    return undefined;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

type LineEnd = '\n' | '\r\n' | 'mixed';

function lineEndOf(text: string): LineEnd {
  const [all, windows] = [text.split('\n').length - 1, text.split('\r\n').length - 1];
  return windows === 0 ? '\n' : windows === all ? '\r\n' : 'mixed';
}

/** Merges lines. When one side converted the line ends of all lines, that changes no line. */
export async function mergeLines(git: Git, sides: Sides): Promise<MergedText | undefined> {
  const ends = { base: lineEndOf(sides.base), mine: lineEndOf(sides.mine), theirs: lineEndOf(sides.theirs) };
  const kinds = new Set(Object.values(ends));
  if (kinds.size === 1 || kinds.has('mixed')) return mergeExactLines(git, sides);
  const plain = (text: string): string => text.replaceAll('\r\n', '\n');
  const merged = await mergeExactLines(git, {
    base: plain(sides.base),
    mine: plain(sides.mine),
    theirs: plain(sides.theirs),
  });
  const end = ends.mine === ends.base ? ends.theirs : ends.mine;
  return merged && { ...merged, text: merged.text.replaceAll('\n', end) };
}

function isAsset(text: string, key: AssetKey): boolean {
  try {
    parseAsset(text, { key });
    return true;
  } catch {
    return false;
  }
}

/**
 * Merges two versions of an asset with the version that both had last.
 *
 * @returns a text that is a valid asset when it is clean; `undefined` when git cannot merge them.
 */
export async function mergeTexts(git: Git, sides: Sides, key: AssetKey): Promise<MergedText | undefined> {
  const whole = await mergeLines(git, sides);
  if (whole?.isClean === true && isAsset(whole.text, key)) return whole;
  const head = mergeFields(sides);
  if (head !== undefined) {
    const bodyOf = (text: string): string => splitFrontMatter(text, {}).body;
    const bodies = { base: bodyOf(sides.base), mine: bodyOf(sides.mine), theirs: bodyOf(sides.theirs) };
    const body = await mergeLines(git, bodies);
    const text = body && `${head}${body.text}`;
    if (text !== undefined && (!body?.isClean || isAsset(text, key))) return { text, isClean: body?.isClean === true };
  }
  // A clean merge that is not a valid asset is rejected.
  return whole?.isClean === true ? undefined : whole;
}
