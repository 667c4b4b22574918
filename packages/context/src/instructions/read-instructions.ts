import { startOf } from '@cairn/tool/internal';
import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { truncateLine } from '@cairn/tool/prompt';
import { quotePath } from '@cairn/tool/paths';
import { realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isInside, readTextFile } from '../definitions/read-text-file.ts';

const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;
const DEFAULT_MAX_CHARACTERS = 8000;
/** Far more than is ever shown. The number of characters in the report of a cut is exact up to it. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** A part of a file that is shorter says too little. */
const MIN_PART = 200;
/** The room for the names of files that are not shown, and that of the note in it that names are missing. */
const MAX_NOTES = 800;
const NOTE_OF_CUT = 40;

const en = {
  heading: '# Project instructions\n\nFrom files of the project. Where they differ, the later one applies.',
  source: (name: string): string => `## ${name}`,
  cut: (name: string, characters: number): string =>
    `[${characters} more characters of ${name} are not shown; read the file for them]`,
  omitted: (name: string, characters: number): string =>
    `[${name} is not shown: ${characters} characters; read the file]`,
  unreadable: (name: string, problem: string): string => `[${name} could not be read: it ${problem}]`,
};

const zh: typeof en = {
  heading: '# 项目说明\n\n来自项目中的文件。如有冲突，以后出现的为准。',
  source: (name) => `## ${name}`,
  cut: (name, characters) => `[${name} 还有 ${characters} 个字符未显示；需要时请读取该文件]`,
  omitted: (name, characters) => `[未显示 ${name}：共 ${characters} 个字符；需要时请读取该文件]`,
  unreadable: (name, problem) => `[无法读取 ${name}：${problem}]`,
};

const instructionTexts: Readonly<Record<Language, typeof en>> = { en, zh };

export interface ReadInstructionsOptions {
  /** The root of the project: no directory above it is read. */
  readonly root: string;
  /** Where the agent works. @default root */
  readonly directory?: string | undefined;
  /** Of the whole text, headings included. @default 8000 */
  readonly maxCharacters?: number | undefined;
  /** @default 'en' */
  readonly language?: Language | undefined;
}

/** A file whose text is not shown, or not all of it. */
export interface LeftOutInstructions {
  /** Relative to the root. */
  readonly source: string;
  readonly reason: 'cut' | 'budget' | 'unreadable';
  /** The characters that are not shown. Absent for a file that could not be read. */
  readonly characters?: number;
  /** Why the file could not be read. */
  readonly problem?: string;
}

/** The project instructions for a system prompt. */
export interface ProjectInstructions {
  /** Empty when there are none. */
  readonly text: string;
  /** The files that are shown, relative to the root, in the order of the text: the nearest last. */
  readonly sources: readonly string[];
  readonly leftOut: readonly LeftOutInstructions[];
  /** The omissions of `leftOut`, in sentences for the user. */
  readonly notices: readonly string[];
}

interface Source {
  /** Relative to the root. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** Returns the directories from the working directory up to the root, the nearest first. */
function directoriesUp(directory: string, root: string): string[] {
  if (!isInside(directory, root)) return [root];
  const found = [directory];
  for (let path = directory; path !== root;) {
    path = dirname(path);
    found.push(path);
  }
  return found;
}

/** Reads one file. A link that leads out of the project is not followed: what it leads to would be sent to the model's server. */
async function readSource(path: string, root: string): Promise<Source | LeftOutInstructions | undefined> {
  const name = relative(root, path).split(sep).join('/');
  // The read below finds the reason.
  const real = await realpath(path).catch(() => path);
  const leftOut = (problem: string): LeftOutInstructions => ({ source: name, reason: 'unreadable', problem });
  if (!isInside(real, root)) return leftOut('is a link out of the project; put the text into the project');
  const file = await readTextFile(real, { maxBytes: MAX_FILE_BYTES, followLinks: real === path });
  if ('problem' in file) return file.isMissing === true ? undefined : leftOut(file.problem);
  const text = file.text.trim();
  return text === '' ? undefined : { name, path, text };
}

/** Removes the lines that import a file that is shown itself, such as `@AGENTS.md`. */
function withoutImports({ text, path: importing }: Source, shown: ReadonlySet<string>): string {
  return text
    .split('\n')
    .filter((line) => {
      const [, path] = /^\s*(?:[-*]\s+)?@(\S+)\s*$/u.exec(line) ?? [];
      return path === undefined || !shown.has(resolve(dirname(importing), path));
    })
    .join('\n')
    .trim();
}

/** Returns the start of a string, cut at the end of a line where one is near. */
function startWithLines(text: string, length: number): string {
  if (length <= 0) return '';
  const lineEnd = text.lastIndexOf('\n', length);
  return startOf(text, lineEnd > length / 2 ? lineEnd : length);
}

/** Removes imports of other sources, and sources whose content a nearer one has. */
function distinct(sources: readonly Source[]): Source[] {
  const paths = new Set(sources.map(({ path }) => path));
  const texts = new Set(['']);
  return sources.flatMap((source) => {
    const text = withoutImports(source, paths);
    if (texts.has(text)) return [];
    texts.add(text);
    return [{ ...source, text }];
  });
}

function noticeOf({ source, problem, characters = 0 }: LeftOutInstructions, maxCharacters: number): string {
  const what = 'The project instructions leave out';
  const name = quotePath(source);
  if (problem !== undefined) return `${what} ${name}: it ${problem}`;
  return `${what} ${characters} characters of ${name}; all files together may have ${maxCharacters}`;
}

/**
 * Reads the project instructions: AGENTS.md and CLAUDE.md of each directory from the working directory up to the root. The nearest
 * file is the last of the text, which states that it decides, and the last to be cut; in a directory that is AGENTS.md. A text that two files have is shown once, also
 * where one imports the other (`@AGENTS.md`).
 */
export async function readProjectInstructions(options: ReadInstructionsOptions): Promise<ProjectInstructions> {
  checkArguments.options('readProjectInstructions', options, {
    root: 'required',
    directory: 'optional',
    maxCharacters: 'optional',
    language: 'optional',
  });
  const { maxCharacters = DEFAULT_MAX_CHARACTERS, language = 'en' } = options;
  const texts = instructionTexts[language];
  const root = await realpath(options.root).catch(() => resolve(options.root));
  const directory = await realpath(options.directory ?? root).catch(() => resolve(options.directory ?? root));

  const paths = directoriesUp(directory, root).flatMap((path) => NAMES.map((name) => join(path, name)));
  const read = await Promise.all(paths.map((path) => readSource(path, root)));
  const leftOut: LeftOutInstructions[] = read.flatMap((file) => (file && 'reason' in file ? [file] : []));
  const sources = distinct(read.flatMap((file) => (file && 'text' in file ? [file] : [])));
  const notes = leftOut.map(({ source, problem = '' }) => texts.unreadable(quotePath(source), problem));

  const blockOf = (name: string, text: string): string => `\n\n${texts.source(quotePath(name))}\n\n${text}`;
  const total = sources.reduce((sum, { name, text }) => sum + blockOf(name, text).length, texts.heading.length);
  const maxNotes =
    notes.length === 0 && total <= maxCharacters ? 0 : Math.min(MAX_NOTES, Math.floor(maxCharacters / 4));
  let room = maxCharacters - texts.heading.length - maxNotes;
  const shown: { readonly name: string; readonly block: string }[] = [];
  for (const { name, text } of sources) {
    let block = blockOf(name, text);
    if (block.length > room) {
      const part = startWithLines(text, room - blockOf(name, texts.cut(quotePath(name), text.length)).length - 1);
      if (part.length < MIN_PART) {
        leftOut.push({ source: name, reason: 'budget', characters: text.length });
        notes.push(texts.omitted(quotePath(name), text.length));
        continue;
      }
      const missing = text.length - part.length;
      leftOut.push({ source: name, reason: 'cut', characters: missing });
      block = blockOf(name, `${part}\n${texts.cut(quotePath(name), missing)}`);
    }
    shown.unshift({ name, block });
    room -= block.length;
  }
  const notices = leftOut.map((file) => noticeOf(file, maxCharacters));
  if (shown.length === 0 && notes.length === 0) return { text: '', sources: [], leftOut, notices };
  const blocks = shown.map(({ block }) => block).join('');
  const noted = notes.length === 0 ? '' : truncateLine(`\n\n${notes.join('\n')}`, maxNotes - NOTE_OF_CUT);
  return {
    text: `${texts.heading}${blocks}${noted}`,
    sources: shown.map(({ name }) => name),
    leftOut,
    notices,
  };
}
