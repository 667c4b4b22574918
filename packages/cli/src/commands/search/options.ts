import type { Readable } from 'node:stream';
import type { FileType } from '@cairn/natives';
import { UsageError } from '../../terminal/errors.ts';
import { foreignKinds } from '../../terminal/foreign-options.ts';
import type { CommandContext } from '../../terminal/command-context.ts';
import { chooseInput, openStandardInput, STANDARD_INPUT } from '../../terminal/standard-input.ts';
import { answerOptions, pathParser, repeated, wholeNumber } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';

export type ListingFlags = FlagsOf<ReturnType<typeof listingOptions>>;

const PATH_FIX = "use a path, or '.' for the current directory";

/** Returns where to search: `--path`, then the arguments; the current directory by default. `-` is standard input. */
export function rootsOf(
  { path = [] }: { readonly path?: readonly string[] | undefined },
  args: readonly string[] = [],
): readonly string[] {
  const roots = [...path, ...args.map(pathParser('the path', PATH_FIX))];
  return roots.length === 0 ? ['.'] : roots;
}

/** Where a command searches, and notices about that choice. */
export interface Places {
  readonly roots: readonly string[];
  /** What the root `-` stands for. */
  readonly input?: Readable | undefined;
  readonly notices: readonly string[];
}

/** Chooses the given paths, or else standard input or the current directory. `instead` is how to search files, for a notice. */
export async function choosePlaces(
  { path }: Pick<ListingFlags, 'path'>,
  args: readonly string[],
  { context, instead }: { readonly context: CommandContext; readonly instead: string },
): Promise<Places> {
  const roots = rootsOf({ path }, args);
  if (path === undefined && args.length === 0) {
    const { input, notices } = await chooseInput(context, instead);
    return { roots: input ? [STANDARD_INPUT] : roots, input, notices };
  }
  if (!roots.includes(STANDARD_INPUT)) return { roots, notices: [] };
  const { input } = await openStandardInput(context, instead);
  // The second time, it has nothing left.
  const once = roots.filter((root, index) => root !== STANDARD_INPUT || roots.indexOf(root) === index);
  return { roots: once, input, notices: [] };
}

export function checkListing({ null: endsWithNull, json }: Pick<ListingFlags, 'null' | 'json'>): void {
  if (endsWithNull === true && json === true) {
    throw new UsageError('--null and --json exclude each other', 'use one of them; --json has names as they are, too');
  }
}

/** Returns the options that state where to search. `root` is what `--path` may be. */
export function rootOptions(root: string, { searchesHidden }: { readonly searchesHidden: boolean }) {
  const byDefault = (is: boolean): string => (is ? ' (default)' : '');
  return [
    [
      '--path <path>',
      `where to search: ${root} (default: the current directory)`,
      repeated((name) => pathParser(name, PATH_FIX)),
    ],
    ['--hidden', `search names that start with a dot${byDefault(searchesHidden)}`],
    ['--no-hidden', `skip names that start with a dot${byDefault(!searchesHidden)}`],
    ['--no-ignore', 'do not apply .gitignore, .ignore and other ignore files'],
  ] as const;
}

/** Returns the options that find, glob and grep share, after those about places. `limit` is what `--limit` counts. */
export function limitOptions(limit: string) {
  return [
    ['--limit <n>', limit, wholeNumber()],
    [
      '--timeout <ms>',
      'stop after N milliseconds, print the matches so far and exit with 2',
      wholeNumber({ unit: 'milliseconds' }),
    ],
    ...answerOptions,
  ] as const;
}

export const nullOption = [
  '-0, --null',
  "end each path with a NUL and print names as they are, for 'xargs -0'",
] as const;

export function listingOptions(limit: string) {
  return [...rootOptions('a directory', { searchesHidden: false }), ...limitOptions(limit), nullOption] as const;
}

/** The kinds of entries, by their names in the addon, with the words for them, including those of fd and find. */
const kindNames = { file: 'File', dir: 'Dir', symlink: 'Symlink' } as const;
const kindWords = { file: ['f', 'file'], dir: ['d', 'dir', 'directory'], symlink: ['l', 'symlink'] };

export type Kind = keyof typeof kindNames;

export async function fileTypeOf<Chosen extends Kind>(
  kind: Chosen | undefined,
): Promise<(typeof FileType)[(typeof kindNames)[Chosen]] | undefined> {
  return kind && (await import('@cairn/natives')).FileType[kindNames[kind]];
}

export function kindOption<Chosen extends Kind>(kinds: readonly Chosen[], description: string) {
  const wanted = kinds.map((kind) => `${kindWords[kind][0] ?? ''} (${kind})`);
  const fix = `use ${wanted.slice(0, -1).join(', ')} or ${wanted.at(-1) ?? ''}`;
  const parse = (value: string, previous?: Chosen): Chosen => {
    const kind = kinds.find((one) => kindWords[one].includes(value));
    if (kind === undefined) {
      const instead = foreignKinds.find(([, words]) => words.includes(value))?.[0];
      throw new UsageError(`invalid --type "${value}"`, instead === undefined ? fix : `${fix}; ${instead}`);
    }
    if (previous !== undefined && previous !== kind) {
      throw new UsageError('--type is given twice', 'leave it out for every kind');
    }
    return kind;
  };
  return ['-t, --type <kind>', description, () => parse] as const;
}

function extensionOf(value: string): string {
  const extension = value.replace(/^\.+/u, '');
  // Names hardly ever have operators of globs there, or the comma of a list.
  if (extension === '' || /[/\0*?,{}]/u.test(extension)) {
    const fix = "use the end of a name, such as 'ts' or 'tar.gz', and repeat -e for several";
    throw new UsageError(`invalid --extension "${value}"`, fix);
  }
  return extension;
}

export const extensionOption = [
  '-e, --extension <ext>',
  'only names with this extension, in any case; may be repeated',
  repeated(() => extensionOf),
] as const;
