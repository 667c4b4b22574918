/**
 * The operations of the kill test, one slot per kind of file. A slot has a version that each operation raises by one, and
 * contents that reveal a mixture of two versions.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CodingTools } from '@cairn/coding-agent';
import type { ToolResult } from '@cairn/tool';

export interface Slot {
  readonly name: string;
  /** Makes version 0. */
  create(root: string): void;
  /** Takes the slot from a version to the next one. */
  advance(tools: CodingTools, version: number): Promise<readonly ToolResult[]>;
  /** Returns the version on the disk; throws when the content is a mixture of versions or missing. */
  versionIn(root: string): number;
  /** Files that are written in place, or several ones, so that only the next start makes them whole. */
  readonly needsRecovery?: boolean;
  /** Versions with this difference have equal content. */
  readonly period?: number;
}

/** How much a file differs in length from one version to the next. */
const GROWTH = 70;

/**
 * Returns a content that names its version at the beginning, in the middle and at the end, and whose length changes with the
 * version when it `grows`. The filler between is constant, so the tools have little to compare.
 */
function content(name: string, version: number, { fillers, grows }: Size): string {
  const filler = `${'.'.repeat(90)}\n`;
  const mark = `${name} v${version}\n`;
  const more = filler.repeat(grows ? (version % 3) * GROWTH : 0);
  return `head ${mark}${filler.repeat(fillers)}middle ${mark}${filler.repeat(fillers)}${more}tail ${mark}`;
}

interface Size {
  /** How many lines make up each half. */
  readonly fillers: number;
  readonly grows: boolean;
}

const small: Size = { fillers: 20, grows: false };
const large: Size = { fillers: 4000, grows: true };

function contentVersion(path: string, name: string, size: Size): number {
  const text = readFileSync(path, 'utf8');
  const version = Number(/^head \S+ v(\d+)\n/u.exec(text)?.[1] ?? Number.NaN);
  if (text === content(name, version, size)) return version;
  const marks = text.match(/\w+ \S+ v\d+/gu)?.join(', ');
  throw new Error(`${path} is neither old nor new: ${text.length} characters with ${marks}`);
}

function makeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Takes a file from a version to the next one. */
type Advance = (tools: CodingTools, path: string, name: string, version: number) => Promise<ToolResult>;

const write: Advance = (tools, path, name, version) =>
  tools.write.execute({ path, content: content(name, version + 1, large) });

const edit: Advance = (tools, path, name, version) =>
  tools.edit.execute({
    path,
    edits: [{ old_text: `${name} v${version}\n`, new_text: `${name} v${version + 1}\n`, replace_all: true }],
  });

/** A file that is written or edited, by its name or by another one. */
function fileSlot(name: string, path: string, { size = small, advance = edit, link }: FileSlotOptions = {}): Slot {
  const as = link?.path ?? path;
  return {
    name,
    create: (root) => {
      makeFile(join(root, path), content(name, 0, size));
      if (!link) return;
      mkdirSync(dirname(join(root, link.path)), { recursive: true });
      symlinkSync(link.target, join(root, link.path));
    },
    advance: async (tools, version) => [
      await tools.read.execute({ path: as }),
      await advance(tools, as, name, version),
    ],
    versionIn: (root) => contentVersion(join(root, path), name, size),
  };
}

interface FileSlotOptions {
  readonly size?: Size;
  readonly advance?: Advance;
  readonly link?: { readonly path: string; readonly target: string };
}

/** Two names of one file, changed by either. */
function hardLinked(name: string, size: Size, advance: Advance): Slot {
  const names = ['one.txt', 'two.txt'].map((own) => `${name}/${own}`);
  const [first = '', second = ''] = names;
  return {
    name,
    needsRecovery: true,
    create: (root) => {
      makeFile(join(root, first), content(name, 0, size));
      linkSync(join(root, first), join(root, second));
    },
    advance: async (tools, version) => {
      const path = version % 2 === 0 ? first : second;
      return [await tools.read.execute({ path }), await advance(tools, path, name, version)];
    },
    versionIn: (root) => {
      const [one, two] = names.map((path) => contentVersion(join(root, path), name, size));
      if (one === undefined || one !== two) throw new Error(`the names of ${name} show versions ${one} and ${two}`);
      return one;
    },
  };
}

/** One of the files that patches change together. */
function patchedPath(half: number): string {
  return `patched/${half === 0 ? 'left' : 'right/below'}.txt`;
}

function patchOf(name: string, version: number): string {
  const change = (part: string): string => `@@\n-${part} ${name} v${version}\n+${part} ${name} v${version + 1}\n`;
  const update = (half: number): string =>
    `*** Update File: ${patchedPath(half)}\n${['head', 'middle', 'tail'].map(change).join('')}`;
  return `*** Begin Patch\n${update(0)}${update(1)}*** End Patch\n`;
}

/**
 * Two files that patches change together. After the next start both have the same version.
 */
const patched: Slot = {
  name: 'patched',
  create: (root) => {
    for (const half of [0, 1]) makeFile(join(root, patchedPath(half)), content('patched', 0, small));
  },
  advance: async (tools, version) => {
    const read = await Promise.all([0, 1].map((half) => tools.read.execute({ path: patchedPath(half) })));
    return [...read, await tools.patch.execute({ patch: patchOf('patched', version) })];
  },
  needsRecovery: true,
  versionIn: (root) => {
    const [left, right] = [0, 1].map((half) => contentVersion(join(root, patchedPath(half)), 'patched', small));
    if (left === undefined || left !== right)
      throw new Error(`the patched files have the versions ${left} and ${right}`);
    return left;
  },
};

/** A file that moves from directory to directory: its version is where it is. */
const moved: Slot = {
  name: 'moved',
  create: (root) => makeFile(join(root, 'moved/at-0/file.txt'), content('moved', 0, small)),
  advance: async (tools, version) => [
    await tools.rename.execute({ from: `moved/at-${version}/file.txt`, to: `moved/at-${version + 1}/file.txt` }),
    await tools.delete.execute({ path: `moved/at-${version}`, recursive: true }),
  ],
  versionIn: (root) => {
    const places = readdirSync(join(root, 'moved')).filter((place) =>
      existsSync(join(root, 'moved', place, 'file.txt')),
    );
    const [place] = places;
    if (place === undefined || places.length !== 1) throw new Error(`the moved file is at ${places.join(' and ')}`);
    contentVersion(join(root, 'moved', place, 'file.txt'), 'moved', small);
    return Number(place.slice('at-'.length));
  },
};

/** A file that is made with its directories, and removed again. */
const comesAndGoes: Slot = {
  name: 'comes-and-goes',
  create: () => undefined,
  advance: async (tools, version) => {
    if (version % 2 === 1) return [await tools.delete.execute({ path: 'coming/and', recursive: true })];
    return [await tools.write.execute({ path: 'coming/and/going.txt', content: content('comes-and-goes', 1, small) })];
  },
  period: 2,
  versionIn: (root) => {
    const path = join(root, 'coming/and/going.txt');
    return existsSync(path) ? contentVersion(path, 'comes-and-goes', small) : 0;
  },
};

export const slots: readonly Slot[] = [
  fileSlot('plain', 'plain.txt'),
  fileSlot('large', 'large.txt', { size: large, advance: write }),
  fileSlot('linked', 'deep/below/target.txt', {
    link: { path: 'links/link.txt', target: '../deep/below/target.txt' },
  }),
  hardLinked('hard', small, edit),
  hardLinked('large-hard', large, write),
  patched,
  moved,
  comesAndGoes,
];
