import { createApplyPatchTool, createCodingTools, createMemoryTool, createTextEditorTool } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { NamingProfile } from '@cairn/coding-agent';
import type { Tools } from '@cairn/tool';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { symlink, temporaryDirectory } from '../support/tree.ts';
import { call, createBench, details, failure } from './support.ts';

const profiles: Readonly<Record<Exclude<NamingProfile, 'default'>, Readonly<Record<string, string>>>> = {
  claude: {
    Read: 'file_path, offset?, limit?',
    Write: 'file_path, content',
    Edit: 'file_path, old_string, new_string, replace_all?',
    MultiEdit: 'file_path, edits',
    Glob: 'pattern, path?',
    Grep: 'pattern, path?, glob?, type?, -i?, multiline?, offset?, output_mode?, -A?, -B?, -C?, context?, -n?, head_limit?',
    LS: 'path?',
    patch: 'patch',
    delete: 'path, recursive?',
    rename: 'from, to, overwrite?',
  },
  pi: {
    read: 'path, offset?, limit?',
    write: 'path, content',
    edit: 'path, edits',
    grep: 'pattern, path?, glob?, ignoreCase?, literal?, context?, limit?',
    find: 'pattern, path?, limit?',
    ls: 'path?, limit?',
    patch: 'patch',
    delete: 'path, recursive?',
    rename: 'from, to, overwrite?',
  },
  gemini: {
    read_file: 'file_path, start_line?, end_line?',
    write_file: 'file_path, content',
    replace: 'file_path, instruction?, old_string, new_string, allow_multiple?',
    glob: 'pattern, dir_path?, respect_git_ignore?',
    grep_search:
      'pattern, dir_path?, include_pattern?, fixed_strings?, context?, no_ignore?, total_max_matches?, names_only?, case_sensitive?',
    list_directory: 'dir_path?',
    patch: 'patch',
    delete: 'path, recursive?',
    rename: 'from, to, overwrite?',
  },
  codex: {
    apply_patch: 'input',
    read_file: 'file_path, offset?, limit?',
    view_image: 'path',
    list_dir: 'dir_path?, limit?, depth?',
    grep_files: 'pattern, include?, path?, limit?',
    write: 'path, content',
    edit: 'path, edits',
    delete: 'path, recursive?',
    rename: 'from, to, overwrite?',
    glob: 'pattern, path?, hidden?, ignored?, limit?, skip?',
  },
  'mcp-fs': {
    read_text_file: 'path, offset?, limit?, head?',
    read_media_file: 'path',
    write_file: 'path, content',
    edit_file: 'path, edits, dryRun?',
    move_file: 'source, destination',
    search_files: 'path?, pattern',
    list_directory: 'path?',
    directory_tree: 'path?',
    patch: 'patch',
    delete: 'path, recursive?',
    grep: 'pattern, path?, glob?, type?, mode?, context?, ignore_case?, literal?, multiline?, ignored?, limit?, skip?',
  },
};

function parameters(tool: { readonly inputSchema: z.ZodType }): string {
  const schema = z.toJSONSchema(tool.inputSchema, { io: 'input' });
  const required = schema.required ?? [];
  return Object.keys(schema.properties ?? {})
    .map((name) => `${name}${required.includes(name) ? '' : '?'}`)
    .join(', ');
}

function named(root: string, naming: NamingProfile): Tools {
  return createCodingTools({ root, naming, stateDirectory: temporaryDirectory() });
}

test.each(Object.entries(profiles))('%s has these names and parameters', (naming, expected) => {
  const tools = named('/nowhere', naming as NamingProfile);
  expect(Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, parameters(tool)]))).toEqual(expected);
  for (const [name, tool] of Object.entries(tools)) expect(tool.name).toBe(name);
});

test('an unknown profile is rejected', () => {
  expect(() => createCodingTools({ root: '/', naming: 'emacs' as NamingProfile })).toThrow(
    /naming must be one of default, claude/u,
  );
});

type Step = readonly [tool: string, input: object, says: RegExp];

/** Read, edit, search, list, write, as each host's models do it. */
const sessions: Readonly<Record<Exclude<NamingProfile, 'default'>, readonly Step[]>> = {
  claude: [
    [
      'Read',
      { file_path: 'a.txt', offset: 2, limit: 1 },
      /\ntwo\n\[cut by the number of lines: 1 more line; continue with offset=3\]/u,
    ],
    ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }, /^Edited a\.txt/u],
    ['MultiEdit', { file_path: 'a.txt', edits: [{ old_string: 'one', new_string: 'ONE' }] }, /^Edited a\.txt/u],
    ['Grep', { pattern: 'TWO' }, /^\[1 file\]\na\.txt$/u],
    ['Grep', { pattern: 'two', '-i': true, '-A': 1, output_mode: 'content', '-n': true }, /2: TWO\n3- three$/u],
    ['Grep', { pattern: 'ONE.TWO', multiline: true, output_mode: 'count' }, /a\.txt: 2$/u],
    ['Glob', { pattern: '*.txt' }, /\na\.txt$/u],
    ['LS', { path: '.' }, /\na\.txt$/u],
    ['Write', { file_path: 'b.txt', content: 'x' }, /^Created b\.txt/u],
    ['Read', { path: 'b.txt' }, /\nx$/u],
    [
      'Read',
      { lines: 1 },
      /missing parameter file_path; unknown parameter lines \(parameters: file_path, offset\?, limit\?\)/u,
    ],
    ['Grep', { pattern: 'x', '-C': 900 }, /context/u],
  ],
  pi: [
    ['read', { path: 'a.txt' }, /\none\ntwo\nthree$/u],
    ['edit', { path: 'a.txt', edits: [{ oldText: 'two', newText: 'TWO' }] }, /^Edited a\.txt/u],
    ['grep', { pattern: 'two', ignoreCase: true }, /\n2: TWO$/u],
    ['find', { pattern: '*.txt' }, /\na\.txt$/u],
    ['ls', {}, /\na\.txt$/u],
  ],
  gemini: [
    ['read_file', { file_path: 'a.txt', start_line: 2, end_line: 2 }, /\ntwo\n\[cut.*continue with start_line=3\]/u],
    ['replace', { file_path: 'a.txt', instruction: 'shout', old_string: 'two', new_string: 'TWO' }, /^Edited a\.txt/u],
    ['grep_search', { pattern: 'two', include_pattern: '*.txt' }, /\n2: TWO$/u],
    ['grep_search', { pattern: 'two', case_sensitive: true }, /^\[no match\]/u],
    ['grep_search', { pattern: 'TWO', names_only: true }, /^\[1 file\]\na\.txt$/u],
    ['glob', { pattern: '*.txt', dir_path: '.' }, /\na\.txt$/u],
    ['list_directory', { dir_path: '.' }, /\na\.txt$/u],
    ['write_file', { file_path: 'b.txt', content: 'x' }, /^Created b\.txt/u],
  ],
  codex: [
    ['read_file', { file_path: 'a.txt' }, /\none\ntwo\nthree$/u],
    ['apply_patch', { input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** End Patch' }, /\nM a\.txt/u],
    ['grep_files', { pattern: 'TWO', include: '*.txt' }, /^\[1 file\]\na\.txt$/u],
    ['list_dir', { dir_path: '.' }, /\na\.txt$/u],
  ],
  'mcp-fs': [
    [
      'read_text_file',
      { path: 'a.txt', head: 1 },
      /\none\n\[cut by the number of lines: 2 more lines; continue with offset=2\]/u,
    ],
    ['edit_file', { path: 'a.txt', edits: [{ oldText: 'two', newText: 'TWO' }], dryRun: true }, /^Would have edited/u],
    ['edit_file', { path: 'a.txt', edits: [{ oldText: 'two', newText: 'TWO' }] }, /^Edited/u],
    ['search_files', { path: '.', pattern: '*.txt' }, /\na\.txt$/u],
    ['move_file', { source: 'a.txt', destination: 'd/b.txt' }, /^Renamed a\.txt to d\/b\.txt/u],
    ['directory_tree', { path: '.' }, /\nd\/\nd\/b\.txt$/u],
    ['list_directory', { path: 'd' }, /\nb\.txt$/u],
  ],
};

test.each(Object.entries(sessions))('%s: a session as its models have it', async (naming, steps) => {
  const { root } = createBench({ 'a.txt': 'one\ntwo\nthree\n' });
  const tools = named(root, naming as NamingProfile);
  for (const [name, input, says] of steps) {
    const tool = tools[name];
    if (!tool) throw new Error(`no ${name}`);
    expect(textOf(await call(tool, input)), name).toMatch(says);
  }
});

/** What an answer shows: its lines but headers and notices. */
function shownIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('['));
}

const searchers: Readonly<Record<NamingProfile, Readonly<Record<'glob' | 'ls' | 'read' | 'grep', string>>>> = {
  default: { glob: 'glob', ls: 'ls', read: 'read', grep: 'grep' },
  claude: { glob: 'Glob', ls: 'LS', read: 'Read', grep: 'Grep' },
  pi: { glob: 'find', ls: 'ls', read: 'read', grep: 'grep' },
  gemini: { glob: 'glob', ls: 'list_directory', read: 'read_file', grep: 'grep_search' },
  codex: { glob: 'glob', ls: 'list_dir', read: 'read_file', grep: 'grep_files' },
  'mcp-fs': { glob: 'search_files', ls: 'list_directory', read: 'read_text_file', grep: 'grep' },
};

describe.each(Object.entries(searchers))(
  '%s: the next call that a notice names',
  (naming, { glob, ls, read, grep }) => {
    const tree = {
      '.gitignore': 'out\n',
      out: { 'i.y': 'needle\n' },
      '.dot': { 'h.y': '' },
      many: Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${1000 + index}.x`, 'x\n'])),
      long: 'q\n'.repeat(2500),
      some: 'k\n'.repeat(50),
    };
    const contentMode = naming === 'claude' ? { output_mode: 'content' } : {};

    /** Calls a tool, and then as its notice says: the same call with that parameter, or another tool when it names one. */
    async function follow(
      name: string,
      input: object,
      notice: RegExp,
    ): Promise<readonly [first: string, next: string]> {
      const tools = named(createBench(tree).root, naming as NamingProfile);
      const ask = async (tool: string, given: object): Promise<string> => {
        const found = tools[tool];
        if (!found) throw new Error(`no ${tool}`);
        const answer = await call(found, given);
        details(answer);
        return textOf(answer);
      };
      const first = await ask(name, input);
      const { tool = name, settings = '' } = notice.exec(first)?.groups ?? {};
      expect(settings, first).not.toBe('');
      const set = settings.split(' ').map((setting): readonly [string, unknown] => {
        const [parameter = '', value = ''] = setting.split('=');
        return [parameter, /^\d+$|^true$|^false$/u.test(value) ? JSON.parse(value) : value];
      });
      return [first, await ask(tool, { ...input, ...Object.fromEntries(set) })];
    }

    const goOn = /continue with (?:(?<tool>\w+) )?(?<settings>\w+=\d+)\]/u;
    const trees = naming === 'mcp-fs' ? [['directory_tree', { path: 'many' }, 600, 600] as const] : [];
    test.each<readonly [tool: string, input: object, total: number, names: number]>([
      [glob, { pattern: '*.x' }, 400, 400],
      [ls, { path: 'many' }, 600, 600],
      [read, { path: 'many' }, 600, 600],
      [grep, { pattern: 'x', path: 'many', ...contentMode }, naming === 'codex' ? 200 : 400, 200],
      [read, { path: 'long' }, 2500, 0],
      ...trees,
    ])('goes on where %s %o stopped', async (tool, input, total, names) => {
      const shown = (await follow(tool, input, goOn)).flatMap(shownIn);
      expect(shown).toHaveLength(total);
      // Names come once; the lines of the one file, and those below the names that grep shows, are all the same.
      expect(new Set(shown.filter((line) => !/^(?:1: )?[qx]$/u.test(line))).size).toBe(names);
    });

    test('finds what is hidden and what is ignored', async () => {
      const search = { pattern: '*.y' };
      const [, hidden] = await follow(glob, search, /hidden files: (?<settings>\w+=\w+)/u);
      expect(shownIn(hidden)).toEqual(['.dot/h.y']);
      const [, ignored] = await follow(glob, search, /ignored files: (?<settings>\w+=\w+)/u);
      expect(shownIn(ignored)).toEqual(['out/i.y']);
      const [, inIgnored] = await follow(grep, { pattern: 'needle' }, /ignored files: (?<settings>\w+=\w+)/u);
      expect(shownIn(inIgnored)[0]).toBe('out/i.y');
    });

    test.skipIf(naming === 'codex')('shows the rest of a file, and counts all', async () => {
      const search = { pattern: 'k', ...contentMode };
      const [, rest] = await follow(grep, search, /of each file; continue with (?<settings>\w+=some \w+=20)\]/u);
      expect(shownIn(rest)).toEqual(['some', ...Array.from({ length: 30 }, (_, index) => `${21 + index}: k`)]);
      const past = { ...search, [naming === 'claude' ? 'offset' : 'skip']: 50 };
      const [, counts] = await follow(grep, past, /has more: (?<settings>\w+=\w+ \w+=0) counts them\]/u);
      expect(shownIn(counts)).toEqual(['some: 50']);
    });
  },
);

test.each([
  ['codex', 'view_image'],
  ['mcp-fs', 'read_media_file'],
] as const)('%s: %s takes the offset that it names for a text', async (naming, name) => {
  const tool = named(createBench({ long: 'x\n'.repeat(2001) }).root, naming)[name];
  if (!tool) throw new Error(`no ${name}`);
  expect(textOf(await call(tool, { path: 'long' }))).toMatch(/continue with offset=2001\]$/u);
  expect(textOf(await call(tool, { path: 'long', offset: 2001 }))).toMatch(/^\[long: lines 2001-2001 of 2001/u);
});

const edit = { path: 'twice', edits: [{ oldText: 'a', newText: 'b' }] };
const oneEdit = { file_path: 'twice', old_string: 'a', new_string: 'b' };
const twoEdits = { file_path: 'twice', edits: [{ old_string: 'a', new_string: 'b' }] };

test.each<readonly [naming: NamingProfile, tool: string, input: object, oldText: string, otherwise: string]>([
  ['default', 'edit', edit, 'old_text', ', or set replace_all.'],
  ['claude', 'Edit', oneEdit, 'old_string', ', or set replace_all.'],
  ['claude', 'MultiEdit', twoEdits, 'old_string', ', or set replace_all.'],
  ['pi', 'edit', edit, 'oldText', '.'],
  ['gemini', 'replace', oneEdit, 'old_string', ', or set allow_multiple.'],
  ['codex', 'edit', edit, 'old_text', ', or set replace_all.'],
  ['mcp-fs', 'edit_file', edit, 'oldText', '.'],
])('%s: messages of %s name its own parameters', async (naming, tool, input, oldText, otherwise) => {
  const { [tool]: found } = named(createBench({ twice: 'a\na\n' }).root, naming);
  if (!found) throw new Error(`no ${tool}`);
  const says = failure(await call(found, input));
  expect(says).toMatch(new RegExp(`^AMBIGUOUS: ${oldText} occurs 2 times`, 'u'));
  expect(says).toContain(` Add surrounding lines until it occurs once${otherwise}\n`);
});

test('the rejection of an ambiguous patch names no parameter that patch lacks', async () => {
  const { tools } = createBench({ twice: 'a\na\n' });
  const patch = '*** Begin Patch\n*** Update File: twice\n@@\n-a\n+b\n*** End Patch';
  expect(failure(await tools.patch.execute({ patch }))).toContain(' Add surrounding lines until it occurs once.\n');
});

test('the hint for a missing file names only tools of the host', async () => {
  const tools = named(createBench({}).root, 'claude');
  for (const [name, tool] of Object.entries(tools)) {
    const input = { path: 'qqq', pattern: 'x', content: 'x', from: 'qqq', to: 'b', old_string: 'a', new_string: 'b' };
    const fitting = Object.fromEntries(Object.entries(input).filter(([key]) => parameters(tool).includes(key)));
    const answer = await call(tool, fitting);
    expect(textOf(answer), name).not.toMatch(/\b(?:ls|glob)\b/u);
  }
});

describe('the text-editor tool of Anthropic', () => {
  test('views with line numbers, creates, replaces and inserts', async () => {
    const { root, text } = createBench({ d: { a: 'one\ntwo\nthree' } });
    const editor = createTextEditorTool({ root, stateDirectory: temporaryDirectory() });
    const path = `${root}/d/a`;
    expect(textOf(await call(editor, { command: 'view', path, view_range: [2, 3] }))).toMatch(
      /\]\n {5}2\ttwo\n {5}3\tthree$/u,
    );
    expect(textOf(await call(editor, { command: 'view', path: root }))).toMatch(/\nd\/\nd\/a$/u);
    details(await call(editor, { command: 'str_replace', path, old_str: 'two', new_str: '2' }));
    details(await call(editor, { command: 'insert', path, insert_line: 0, insert_text: 'zero\n' }));
    details(await call(editor, { command: 'insert', path, insert_line: 4, insert_text: 'four' }));
    details(await call(editor, { command: 'str_replace', path, old_str: 'one\n' }));
    expect(text('d/a')).toBe('zero\n2\nthree\nfour');
    expect(failure(await call(editor, { command: 'insert', path, insert_line: 9, insert_text: 'x' }))).toMatch(
      /^NO_MATCH: .* has 4 lines/u,
    );
    details(await call(editor, { command: 'create', path: 'new', file_text: 'x' }));
    expect(text('new')).toBe('x');
    expect(failure(await call(editor, { command: 'create', path }))).toMatch(
      /^INVALID_INPUT: create needs the parameter file_text/u,
    );
    expect(failure(await call(editor, { command: 'undo_edit', path }))).toMatch(
      /^INVALID_INPUT: .*invalid parameter command/u,
    );
    expect(failure(await call(editor, { command: 'view', path, view_range: [3, 1] }))).toMatch(/^INVALID_INPUT/u);
  });
});

test('the hosted editors go on in a directory by their own parameter', async () => {
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`${1000 + index}`, '']));
  const { root } = createBench({ many: { ...files, 'skip=1': '' } });
  const editor = createTextEditorTool({ root, stateDirectory: temporaryDirectory() });
  expect(textOf(await call(editor, { command: 'view', path: 'many' }))).toMatch(
    /\n\[cut by the limit of 500 entries; continue with view view_range=\[501, -1\]\]$/u,
  );
  const next = textOf(await call(editor, { command: 'view', path: 'many', view_range: [501, -1] }));
  expect(next).toMatch(/^\[many: entries 501-601 of 601 entries\]\n1500\n[^]*\n1599\nskip=1$/u);
});

test('the hosted editors speak of their own parameters', async () => {
  const { root } = createBench({ long: 'x\n'.repeat(2500), twice: 'a\na\n' });
  const editor = createTextEditorTool({ root, stateDirectory: temporaryDirectory() });
  expect(textOf(await call(editor, { command: 'view', path: 'long' }))).toMatch(
    /continue with view_range=\[2001, -1\]\]$/u,
  );
  const next = textOf(await call(editor, { command: 'view', path: 'long', view_range: [2001, -1] }));
  expect(next).toMatch(/\]\n {2}2001\tx\n[^]*\n {2}2500\tx$/u);
  expect(failure(await call(editor, { command: 'str_replace', path: 'twice', old_str: 'a' }))).toContain(
    'old_str occurs 2 times',
  );
});

describe('the memory tool of Anthropic', () => {
  test('keeps notes below /memories, and nowhere else', async () => {
    const { root, paths, text } = createBench({ link: symlink('/etc') });
    const memory = createMemoryTool({ root, stateDirectory: temporaryDirectory() });
    details(await call(memory, { command: 'create', path: '/memories/n/a.md', file_text: 'one\n' }));
    details(await call(memory, { command: 'insert', path: '/memories/n/a.md', insert_line: 1, insert_text: 'two' }));
    details(await call(memory, { command: 'str_replace', path: '/memories/n/a.md', old_str: 'one', new_str: '1' }));
    details(await call(memory, { command: 'rename', old_path: '/memories/n/a.md', new_path: '/memories/b.md' }));
    expect(text('b.md')).toBe('1\ntwo\n');
    expect(textOf(await call(memory, { command: 'view', path: '/memories' }))).toContain('\nb.md');
    details(await call(memory, { command: 'delete', path: '/memories/n' }));
    expect(paths()).toEqual(['b.md', 'link']);
    for (const path of ['/etc/passwd', '/memories/../../etc/passwd', '/memories/link/passwd', '/memoriesX', 'b.md']) {
      expect(failure(await call(memory, { command: 'view', path })), path).toMatch(/^OUTSIDE_ROOT/u);
    }
    expect(failure(await call(memory, { command: 'delete', path: '/memories' }))).toMatch(/^PROTECTED|^OUTSIDE_ROOT/u);
  });

  test('every answer names paths as the model does', async () => {
    const { root } = createBench({ link: symlink('/etc') });
    const memory = createMemoryTool({ root, stateDirectory: temporaryDirectory() });
    const path = '/memories/n/a.md';
    const steps: readonly (readonly [input: object, says: string])[] = [
      [{ command: 'view', path: '/memories/' }, '[/memories: 1 entry]'],
      [{ command: 'create', path, file_text: 'one\n' }, `Created ${path} `],
      [{ command: 'view', path }, `[${path}: lines 1-1 of 1`],
      [{ command: 'insert', path, insert_line: 1, insert_text: 'two' }, `\nM ${path} `],
      [{ command: 'str_replace', path, old_str: 'one', new_str: '1' }, `Edited ${path}:`],
      [{ command: 'str_replace', path, old_str: 'nine', new_str: '9' }, `was not found in ${path}`],
      [{ command: 'view', path: '/memories/n' }, '[/memories/n: 1 entry]'],
      [
        { command: 'view', path: '/memories/n/b.md' },
        `/memories/n/b.md does not exist. Nothing was changed. Did you mean ${path}?`,
      ],
      [{ command: 'view', path: '/memories/m/a.md' }, `Did you mean ${path}?`],
      [{ command: 'view', path: '/memories/link/passwd' }, '/memories/link/passwd is outside the root'],
      [{ command: 'rename', old_path: path, new_path: '/memories/b.md' }, `Renamed ${path} to /memories/b.md`],
      [{ command: 'delete', path: '/memories/n' }, 'Deleted /memories/n'],
    ];
    for (const [input, says] of steps) expect(textOf(await call(memory, input))).toContain(says);
  });

  test('a root that does not exist yet is empty, and is made by the first note', async () => {
    const { root, text } = createBench({});
    const memory = createMemoryTool({ root: `${root}/new/root`, stateDirectory: temporaryDirectory() });
    for (const path of ['/memories', '/memories/']) {
      expect(textOf(await call(memory, { command: 'view', path }))).toBe('[/memories: empty directory]');
    }
    expect(failure(await call(memory, { command: 'view', path: '/memories/a' }))).toMatch(
      /^NOT_FOUND: \/memories\/a /u,
    );
    details(await call(memory, { command: 'create', path: '/memories/a', file_text: 'x' }));
    expect(text('new/root/a')).toBe('x');
  });
});

describe('the apply_patch operations of OpenAI', () => {
  test('create, update and delete', async () => {
    const { root, paths, text } = createBench({ a: 'one\ntwo\n', b: '' });
    const apply = createApplyPatchTool({ root, stateDirectory: temporaryDirectory() });
    details(await call(apply, { type: 'create_file', path: 'c', diff: '+x\n+y\n' }));
    details(await call(apply, { operation: { type: 'update_file', path: 'a', diff: '@@\n one\n-two\n+2\n' } }));
    details(await call(apply, { type: 'delete_file', path: 'b' }));
    expect([paths(), text('a'), text('c')]).toEqual([['a', 'c'], 'one\n2\n', 'x\ny\n']);
    expect(failure(await call(apply, { type: 'update_file', path: 'a', diff: '@@\n-nine\n+9' }))).toMatch(/^NO_MATCH/u);
    const hidden = '@@\n-2\n+3\n*** Delete File: c';
    expect(failure(await call(apply, { type: 'update_file', path: 'a', diff: hidden }))).toMatch(/^INVALID_PATCH/u);
  });

  test.each([
    ['update_file', '*** Move to: elsewhere\n@@\n-one\n+1\n', /moves the file/u],
    ['update_file', '@@\n-one\n+1\n*** End Patch\n@@\n-two\n+2\n', /continues after/u],
    ['update_file', '@@\r\n-one\r\n+1\r\n*** End Patch \r\n\r\n-two\r\n', /continues after/u],
    ['create_file', '+x\n*** End Patch\n+y\n', /continues after/u],
    ['delete_file', '-one\n', /delete_file has a diff, .* Leave out the diff\./u],
    ['update_file', '```\n@@\n-one\n+1\n', /Line 1 of the diff: .* Start each hunk of the diff with '@@'/u],
    ['update_file', '@@\n-one\n+1\n@@\n a\n', /Line 4 of the diff: a hunk of 'a' changes nothing/u],
    ['create_file', '+x\ny\n', /Line 2 of the diff: .* Start each line of the diff with '\+'\.$/u],
  ])('%s rejects what is not about its file, or would be passed over: %j', async (type, diff, says) => {
    const { root, paths, text } = createBench({ a: 'one\ntwo\n' });
    const apply = createApplyPatchTool({ root, stateDirectory: temporaryDirectory() });
    const path = type === 'create_file' ? 'new' : 'a';
    const answer = failure(await call(apply, { type, path, diff }));
    expect(answer).toMatch(/^INVALID_PATCH/u);
    expect(answer).toMatch(says);
    expect([paths(), text('a')]).toEqual([['a'], 'one\ntwo\n']);
  });

  test('a diff may end with the end of a patch', async () => {
    const { root, text } = createBench({ a: 'one\n*** End Patch\ntwo\n' });
    const apply = createApplyPatchTool({ root, stateDirectory: temporaryDirectory() });
    const diff = '@@\n-one\n+1\n *** End Patch\n two\n*** End Patch\n\n';
    details(await call(apply, { type: 'update_file', path: 'a', diff }));
    expect(text('a')).toBe('1\n*** End Patch\ntwo\n');
  });
});

test('the nine schemas together stay under 6 KB of JSON', () => {
  const tools = Object.values(createCodingTools({ root: '/nowhere' }));
  const described = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(inputSchema, { io: 'input' }),
  }));
  expect(tools).toHaveLength(9);
  expect(JSON.stringify(described).length).toBeLessThan(6 * 1024);
});

test('what models are shown has one name for each parameter', () => {
  const tools = createCodingTools({ root: '/nowhere' });
  const shown = Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, parameters(tool)]));
  expect(shown).toEqual({
    read: 'path, offset?, limit?, encoding?',
    write: 'path, content',
    edit: 'path, edits',
    patch: 'patch',
    delete: 'path, recursive?',
    rename: 'from, to, overwrite?',
    glob: 'pattern, path?, hidden?, ignored?, limit?, skip?',
    grep: 'pattern, path?, glob?, type?, mode?, context?, ignore_case?, literal?, multiline?, ignored?, limit?, skip?',
    ls: 'path?, depth?, limit?, skip?',
  });
});

test('gemini: a range that ends before it begins shows nothing', async () => {
  const { read_file: read } = named(createBench({ a: '1\n2\n3\n' }).root, 'gemini');
  if (!read) throw new Error('no read_file');
  expect(failure(await call(read, { file_path: 'a', start_line: 3, end_line: 2 }))).toMatch(
    /^INVALID_INPUT: end_line 2 is before start_line 3/u,
  );
});
