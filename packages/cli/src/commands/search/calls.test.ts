import * as natives from '@cairn/natives';
import { beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../run.ts';
import { noLines, noPaths } from '../../testing/searches.ts';
import { recordedContext } from '../../testing/context.ts';

vi.mock(import('@cairn/natives'), { spy: true });

beforeEach(() => {
  vi.mocked(natives.fuzzyFind).mockReset().mockResolvedValue(noPaths);
  vi.mocked(natives.glob).mockReset().mockResolvedValue(noPaths);
  vi.mocked(natives.grepStream).mockReset().mockResolvedValue(noLines);
});

/** The options of the only search that a command line makes, those that were given. */
async function optionsOf(args: readonly string[], signal: AbortSignal): Promise<object> {
  await run(args, recordedContext({ signal }).context);
  const calls: readonly object[] = [
    ...vi.mocked(natives.fuzzyFind).mock.calls.map(([options]) => options),
    ...vi.mocked(natives.glob).mock.calls.map(([options]) => options),
    ...vi.mocked(natives.grepStream).mock.calls.map(([options]) => options),
  ];
  expect(calls).toHaveLength(1);
  return Object.fromEntries(Object.entries(calls[0] ?? {}).filter(([, value]) => value !== undefined));
}

const findDefaults = {
  syntax: 'fzf',
  query: 'x',
  path: '.',
  gitignore: true,
  maxResults: 100,
  includePositions: false,
  onTimeout: 'partial',
};
const globDefaults = { pattern: ['x'], path: '.', gitignore: true, recursive: true, onTimeout: 'partial' };
const grepDefaults = {
  pattern: 'x',
  path: '.',
  gitignore: true,
  crlf: true,
  submatches: false,
  mode: 'content',
  onTimeout: 'partial',
};

const cases: readonly (readonly [args: string, options: object])[] = [
  ['find x', findDefaults],
  ['find x --path src --hidden --no-ignore', { ...findDefaults, path: 'src', hidden: true, gitignore: false }],
  ['find x --limit 5 --timeout 100', { ...findDefaults, maxResults: 5, timeoutMs: 100 }],
  ['find x src', { ...findDefaults, path: 'src' }],
  ['find x -t f', { ...findDefaults, fileType: 1 }],
  ['find x --type dir -e ts -e .tar.gz', { ...findDefaults, fileType: 2, extensions: ['ts', 'tar.gz'] }],
  ['find', { ...findDefaults, query: '', maxResults: 4_294_967_295 }],
  ['find --limit 5', { ...findDefaults, query: '', maxResults: 5 }],
  ['find x --json', { ...findDefaults, includePositions: true }],
  ['find x --color always', { ...findDefaults, includePositions: true }],
  ['glob x', globDefaults],
  ['glob x !y z', { ...globDefaults, pattern: ['x', '!y', 'z'] }],
  ['glob x -t f', { ...globDefaults, fileType: 1 }],
  ['glob x -t directory', { ...globDefaults, fileType: 2 }],
  ['glob x -tl', { ...globDefaults, fileType: 3 }],
  ['glob x --no-hidden --limit 0', { ...globDefaults, hidden: false, maxResults: 0 }],
  ['glob x --type file', { ...globDefaults, fileType: 1 }],
  ['glob x --type dir', { ...globDefaults, fileType: 2 }],
  ['glob x --type symlink', { ...globDefaults, fileType: 3 }],
  ['glob x --no-recursive --sort-mtime', { ...globDefaults, recursive: false, sortByMtime: true }],
  ['glob x -d 2 -L', { ...globDefaults, maxDepth: 2, followLinks: true }],
  ['glob x --max-depth 2 -L --no-follow', { ...globDefaults, maxDepth: 2, followLinks: false }],
  ['glob x --include-node-modules', { ...globDefaults, includeNodeModules: true }],
  ['grep x', grepDefaults],
  ['grep x --no-hidden --no-ignore', { ...grepDefaults, hidden: false, gitignore: false }],
  ['grep x -i -F -U', { ...grepDefaults, ignoreCase: true, literal: true, multiline: true }],
  ['grep x -g *.ts -t rust', { ...grepDefaults, glob: ['*.ts'], type: ['rust'] }],
  ['grep x -g a -g !b -t ts -t py -T c', { ...grepDefaults, glob: ['a', '!b'], type: ['ts', 'py'], typeNot: ['c'] }],
  ['grep -e x -e y src', { ...grepDefaults, pattern: ['x', 'y'], path: 'src' }],
  ['grep -e x', grepDefaults],
  ['grep x -w -v', { ...grepDefaults, wholeWord: true, invert: true }],
  ['grep x -w -x', { ...grepDefaults, wholeLine: true }],
  ['grep x -x -w', { ...grepDefaults, wholeWord: true }],
  ['grep x -i -S', { ...grepDefaults, smartCase: true }],
  ['grep x -S -i', { ...grepDefaults, ignoreCase: true }],
  ['grep x -i -s', grepDefaults],
  ['grep x -u', { ...grepDefaults, gitignore: false }],
  ['grep x -uu --no-hidden', { ...grepDefaults, gitignore: false, hidden: true }],
  ['grep x -m 2', { ...grepDefaults, maxCountPerFile: 2 }],
  ['grep x -A 1 -B 2 -C 3', { ...grepDefaults, contextAfter: 1, contextBefore: 2, context: 3 }],
  ['grep x --mode count', { ...grepDefaults, mode: 'count', countUnit: 'spanning' }],
  ['grep x --mode files', { ...grepDefaults, mode: 'filesWithMatches' }],
  ['grep x -c', { ...grepDefaults, mode: 'count', countUnit: 'spanning' }],
  ['grep x -c -o', { ...grepDefaults, mode: 'count', countUnit: 'matches', submatches: true }],
  ['grep x -c --count-matches -l', { ...grepDefaults, mode: 'filesWithMatches' }],
  ['grep x -l', { ...grepDefaults, mode: 'filesWithMatches' }],
  ['grep x --limit 5 --offset 10', { ...grepDefaults, maxCount: 5, offset: 10 }],
  ['grep x --max-count-per-file 2', { ...grepDefaults, maxCountPerFile: 2 }],
  ['grep x --max-columns 80 --max-filesize 1K', { ...grepDefaults, maxColumns: 80, maxFileSize: 1024 }],
  ['grep x --max-columns 0', grepDefaults],
  ['grep x -o', { ...grepDefaults, submatches: true }],
  ['grep x --column', { ...grepDefaults, submatches: true }],
  ['grep x --vimgrep', { ...grepDefaults, submatches: true }],
  ['grep x --color always', { ...grepDefaults, submatches: true }],
  ['grep x -r y', { ...grepDefaults, replacement: 'y' }],
];

test.each(cases)('cairn %s', async (args, options) => {
  const { signal } = new AbortController();
  expect(await optionsOf(args.split(' '), signal)).toEqual({ ...options, signal });
});
