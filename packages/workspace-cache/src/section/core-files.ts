import { glob } from '@cairn/natives';
import type { FileHead } from '../content/types.ts';
import type { CoreFile } from './section.ts';

const CORE_FILES =
  '{[Rr][Ee][Aa][Dd][Mm][Ee],[Rr][Ee][Aa][Dd][Mm][Ee].*,AGENTS.md,package.json,pyproject.toml,requirements.txt,setup.py,Cargo.toml,go.mod,pom.xml,build.gradle,build.gradle.kts,composer.json,Gemfile,*.csproj,mix.exs,deno.json}';

/** The length of all heads together, in UTF-16 code units. */
export const MAX_LENGTH = 4000;

/** How many bytes of a file that is too large to keep are read: no character of the heads takes more than four. */
const MAX_BYTES = 4 * MAX_LENGTH;

const MAX_FILES = 16;

/** Translations of READMEs and manifests of any name: a root may have many, which must not push out the others. */
const MANY = /^readme\..+\.|\.csproj$/iu;

/** Returns the start of a string, up to a line end when one is near, never half of a surrogate pair. */
export function headOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const lineEnd = text.lastIndexOf('\n', maxLength);
  if (lineEnd > maxLength / 2) return text.slice(0, lineEnd);
  const code = text.charCodeAt(maxLength - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? maxLength - 1 : maxLength);
}

/** Divides a length: each text gets what it needs, the long ones equal parts of what is left. */
export function shareLength(lengths: readonly number[], total: number): number[] {
  const shares = lengths.map(() => 0);
  let left = total;
  const ascending = [...lengths.keys()].toSorted((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  for (const [done, index] of ascending.entries()) {
    const share = Math.min(lengths[index] ?? 0, Math.floor(left / (lengths.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

interface CoreFileOptions {
  /** Reads the beginning of a file of the root; `undefined` when prompts may not show it. Rejects when it cannot be read. */
  readonly read: (name: string, maxBytes: number) => Promise<FileHead | undefined>;
  readonly gitignore: boolean;
  /** Of all heads together, in UTF-16 code units. */
  readonly maxLength: number;
}

export async function coreFilesOf(root: string, { read, gitignore, maxLength }: CoreFileOptions): Promise<CoreFile[]> {
  const { matches } = await glob({
    path: root,
    pattern: CORE_FILES,
    recursive: false,
    gitignore,
    cache: true,
  });
  const names = matches.flatMap(({ path, lossyPath }) => (lossyPath === true ? [] : [path]));
  const chosen = names.toSorted((a, b) => Number(MANY.test(a)) - Number(MANY.test(b))).slice(0, MAX_FILES);
  const texts: (FileHead & { readonly name: string })[] = [];
  for (const name of chosen.toSorted()) {
    const head = await read(name, MAX_BYTES).catch(() => undefined);
    if (head !== undefined && head.text.trim() !== '') texts.push({ ...head, name, text: head.text.trimEnd() });
  }
  const shares = shareLength(
    texts.map(({ text }) => text.length),
    maxLength,
  );
  return texts.map(({ name, text, size, isWhole }, index) => {
    const head = headOf(text, shares[index] ?? 0);
    if (isWhole) return { name, text: head, more: text.length - head.length, unit: 'characters' };
    return { name, text: head, more: size - Buffer.byteLength(head), unit: 'bytes' };
  });
}
