import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MODES } from '../modes/mode.ts';
import type { ContextMode } from '../modes/mode.ts';
import type { AgentDefinition } from './definition.ts';
import { formatDefinition } from './create-definition-file.ts';
import { parseDefinition } from './parse-definition.ts';
import type { ParsedDefinition } from './parse-definition.ts';

const path = '/p/.cairn/agents/reviewer.md';
const tools: Readonly<Record<string, string>> = {
  Read: 'read',
  read: 'read',
  Grep: 'grep',
  grep: 'grep',
  Edit: 'edit',
};

function parse(text: string, source: AgentDefinition['source'] = 'project'): ParsedDefinition {
  return parseDefinition(text, { path, source, toolNameOf: (name) => tools[name] });
}

function problemsOf(text: string, source?: AgentDefinition['source']): string[] {
  return parse(text, source).problems.map(
    ({ severity, line, field, message }) => `${severity} ${line ?? '-'} ${field ?? '-'}: ${message}`,
  );
}

const complete = `---
name: reviewer
description: "Reviews changes: briefly"
contextMode: selective
contextWindow: 10
sharePatterns:
  - project uses *
  - "tech stack: *"
summarizeAfter: 30
model: some/model-1
tools: [Read, grep]
maxSteps: 7
timeout: 90.5
maxTokens: 100000
shows: [facts, tree]
permissions: plan
---

You review.

---

# More

- a
`;

const definition: AgentDefinition = {
  name: 'reviewer',
  description: 'Reviews changes: briefly',
  contextMode: 'selective',
  contextWindow: 10,
  sharePatterns: ['project uses *', 'tech stack: *'],
  summarizeAfter: 30,
  model: 'some/model-1',
  tools: ['read', 'grep'],
  maxSteps: 7,
  timeout: 90.5,
  maxTokens: 100_000,
  shows: ['facts', 'tree'],
  permissions: 'plan',
  systemPrompt: 'You review.\n\n---\n\n# More\n\n- a',
  source: 'project',
  path,
};

test('reads every field and the body', () => {
  expect(parse(complete)).toEqual({ agent: 'reviewer', definition, problems: [] });
});

test('the name of the file is the name where no other is given', () => {
  expect(parse('---\ndescription: d\n---\nb').definition?.name).toBe('reviewer');
});

test('the names of tools become ours, once each', () => {
  expect(parse('---\ndescription: d\ntools: [Read, read, Edit]\n---\nb').definition?.tools).toEqual(['read', 'edit']);
  expect(parse('---\ndescription: d\ntools: []\n---\nb').definition?.tools).toEqual([]);
});

test.each([
  ['anchors and aliases', '---\ndescription: &d text\nmodel: *d\n---\nb', { description: 'text', model: 'text' }],
  ['a comment', '---\n# c\ndescription: d # e\n---\nb', { description: 'd' }],
  ['a folded description', '---\ndescription: >\n  a\n  b\n---\nb', { description: 'a b' }],
  ['spaces after the fences', '---  \ndescription: d\n---\t\nb', { description: 'd', systemPrompt: 'b' }],
  ['the model of the caller', '---\ndescription: d\nmodel: inherit\n---\nb', { systemPrompt: 'b' }],
  ['a rule in the body', '---\ndescription: d\n---\na\n---\nb', { systemPrompt: 'a\n---\nb' }],
  ['a value that looks like a fence', '---\ndescription: |\n  ---\n---\nb', { description: '---' }],
  ['names in other scripts', '---\nname: 审查员\ndescription: d\n---\nb', { name: '审查员' }],
])('accepts %s', (_, text, expected) => {
  const parsed = parse(text);
  expect(parsed.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(parsed.definition).toMatchObject(expected);
});

const MODES_LIST = Object.keys(MODES).join(', ');

/** The front matter without its fences, and what is reported. */
const invalid: readonly (readonly [reason: string, front: string, expected: string])[] = [
  ['a mode that does not exist', 'contextMode: open', `2 contextMode: invalid value "open"; use ${MODES_LIST}`],
  ['a mode in capitals', 'contextMode: Shared', `2 contextMode: invalid value "Shared"; use ${MODES_LIST}`],
  [
    'an inherited property as a mode',
    'contextMode: toString',
    `2 contextMode: invalid value "toString"; use ${MODES_LIST}`,
  ],
  ['no messages at all', 'contextWindow: 0', '2 contextWindow: invalid value 0; use a whole number from 1 to 100000'],
  [
    'a part of a message',
    'contextWindow: 1.5',
    '2 contextWindow: invalid value 1.5; use a whole number from 1 to 100000',
  ],
  [
    'a number as text',
    'contextWindow: "10"',
    '2 contextWindow: invalid value "10"; use a whole number from 1 to 100000',
  ],
  [
    'a number that YAML reads as text',
    'maxTokens: 1_000',
    '2 maxTokens: invalid value "1_000"; use a whole number from 1 to 1000000000',
  ],
  [
    'a limit that is not a number',
    'maxSteps: .nan',
    '2 maxSteps: invalid value NaN; use a whole number from 1 to 1000',
  ],
  ['steps without end', 'maxSteps: .inf', '2 maxSteps: invalid value Infinity; use a whole number from 1 to 1000'],
  ['no time', 'timeout: 0', '2 timeout: invalid value 0; use a number of seconds from above 0 to 86400'],
  [
    'a time with a unit',
    'timeout: 10m',
    '2 timeout: invalid value "10m"; use a number of seconds from above 0 to 86400',
  ],
  [
    'a part that does not exist',
    'shows: [facts, memory]',
    '2 shows: invalid value ["facts","memory"]; use a list of facts, knowledge, tree, instructions, or [] for none of them',
  ],
  [
    'a part without a list',
    'shows: facts',
    '2 shows: invalid value "facts"; use a list of facts, knowledge, tree, instructions, or [] for none of them',
  ],
  [
    'unknown permissions',
    'permissions: asks',
    '2 permissions: invalid value "asks"; use plan, ask, acceptEdits, bypassPermissions; to leave out single tools, list the others in tools',
  ],
  [
    'rules as permissions',
    'permissions: { deny: [write] }',
    '2 permissions: invalid value {"deny":["write"]}; use plan, ask, acceptEdits, bypassPermissions; to leave out single tools, list the others in tools',
  ],
  [
    'a summary of one message',
    'summarizeAfter: 1',
    '2 summarizeAfter: invalid value 1; use a whole number from 2 to 100000',
  ],
  [
    'one pattern without a list',
    'sharePatterns: a *',
    '2 sharePatterns: invalid value "a *"; use a list of at most 100 texts, each of at most 500 characters, such as [one, two]',
  ],
  [
    'a pattern without words',
    'sharePatterns: [project uses *, "*"]',
    '2 sharePatterns: invalid value ["project uses *","*"]; use patterns with words, such as "project uses *", or contextMode: fork to share the whole conversation',
  ],
  [
    'a number in a list',
    'sharePatterns: [1]',
    '2 sharePatterns: invalid value [1]; use a list of at most 100 texts, each of at most 500 characters, such as [one, two]',
  ],
  [
    'a comma list in a file of Cairn',
    'tools: read, grep',
    '2 tools: invalid value "read, grep"; use a list of at most 500 texts, each of at most 200 characters, such as [one, two]',
  ],
  ['an unknown tool', 'model: m\ntools: [read, bash]', '3 tools: unknown tool "bash"; correct the name, or remove it'],
  ['an unknown field', 'context-mode: shared', '2 context-mode: unknown field; did you mean contextMode?'],
  ['a field without a value', 'model:', '2 model: has no value; remove the line, or write the value after the colon'],
  [
    'a model that is a number',
    'model: 4.5',
    '2 model: invalid value 4.5; use text, in quotes where YAML would read it as something else',
  ],
  ['a name that is a flag', 'name: yes\ncontextMode: true', `3 contextMode: invalid value true; use ${MODES_LIST}`],
  ['an empty name', 'name: ""', '2 name: invalid value ""; use text that is not empty, or remove the field'],
  ['the name of main', 'name: __main__', '2 name: __main__ is the main session; choose another name'],
  [
    'a path as a name',
    'name: ../x',
    '2 name: invalid agent name "../x"; use at most 64 letters, digits, "-", "_" and ".", and begin with a letter or a digit',
  ],
  [
    'a name that is longer than a key',
    `name: ${'漢'.repeat(41)}`,
    `2 name: invalid agent name "${'漢'.repeat(41)}"; use at most 64 letters, digits, "-", "_" and ".", and begin with a letter or a digit`,
  ],
  [
    'a name with an escape sequence',
    String.raw`name: "a\u001b[31m"`,
    String.raw`2 name: invalid agent name "a\u001b[31m"; use at most 64 letters, digits, "-", "_" and ".", and begin with a letter or a digit`,
  ],
  ['a duplicate field', 'model: a\nmodel: b', '3 -: invalid YAML: Map keys must be unique; correct the YAML'],
  ['a tab', 'tools:\n\t- read', '3 -: invalid YAML: Tabs are not allowed as indentation; indent with spaces'],
  [
    'a colon in plain text',
    'model: m\ndescription: Use it when: often',
    '3 -: invalid YAML: Nested mappings are not allowed in compact mappings; put a value that contains ": " in quotes',
  ],
  ['an open quote', 'description: "d', '2 -: invalid YAML: Missing closing "quote; correct the YAML'],
  [
    'an unknown type',
    'description: !!js/function x',
    '2 -: invalid YAML: Unresolved tag: tag:yaml.org,2002:js/function; correct the YAML',
  ],
  ['an unknown alias', 'model: m\ndescription: *d', '3 description: invalid YAML alias; write the value out'],
  ['a list', '- a', '2 -: the front matter is not a list of fields; write `name: value` lines'],
  ['a text', 'hello', '2 -: the front matter is not a list of fields; write `name: value` lines'],
];

test.each(invalid)('reports %s with its line and field', (_, front, expected) => {
  const text = `---\n${front}\n---\nbody\n`;
  expect(problemsOf(text).filter((line) => line.startsWith('error'))).toEqual([`error ${expected}`]);
  expect(parse(text).definition).toBeUndefined();
});

test('names the tools when one is unknown', () => {
  const read = (name: string): string | undefined => {
    const text = `---\ndescription: d\ntools: [${name}]\n---\nb`;
    const options = { path, source: 'project', toolNameOf: () => undefined, toolNames: ['read', 'grep'] } as const;
    return parseDefinition(text, options).problems[0]?.message;
  };
  expect(read('reed')).toBe('unknown tool "reed"; did you mean read?');
  expect(read('bash')).toBe('unknown tool "bash"; the tools are read, grep');
});

test('reports every invalid value of a file, in the order of the lines', () => {
  const text = '---\nmaxSteps: 0\ncontextMode: open\nmaxTokens: -1\n---\nb';
  expect(parse(text).problems.map(({ line, field }) => [line, field])).toEqual([
    [2, 'maxSteps'],
    [3, 'contextMode'],
    [4, 'maxTokens'],
  ]);
});

test.each([
  ['an empty file', ''],
  ['text alone', 'You review.\n'],
  ['a blank line first', '\n---\nname: a\n---\n'],
  ['a longer rule', '----\nname: a\n----\n'],
])('reports a file without front matter: %s', (_, text) => {
  expect(problemsOf(text)).toEqual([
    'error 1 -: no front matter; begin the file with a line `---`, fields such as `name: reviewer`, and a line `---`',
  ]);
});

test('reports front matter that does not end', () => {
  expect(problemsOf('---\nname: a\n')).toEqual([
    'error 1 -: the front matter does not end; put a line `---` after its last field',
  ]);
});

test('aliases that expand to a huge value are rejected', () => {
  const levels = Array.from(
    { length: 12 },
    (_, level) => `a${level}: &a${level} [${level === 0 ? 'x' : `${`*a${level - 1}, `.repeat(9)}`}]`,
  );
  const { definition: built, problems } = parse(`---\n${levels.join('\n')}\n---\nb`);
  expect(built).toBeUndefined();
  expect(problems.some(({ message }) => message.startsWith('invalid YAML alias'))).toBe(true);
});

test('a broken file keeps its name: that of the front matter, else that of the file', () => {
  expect(parse('---\nname: other\nmaxSteps: 0\n---\n').agent).toBe('other');
  expect(parse('---\nname: other\ntools: "a\n---\n').agent).toBe('other');
  expect(parse('---\nname: a b\n---\n').agent).toBe('reviewer');
  expect(parse('no front matter').agent).toBe('reviewer');
});

test('warns about what makes a valid file less useful', () => {
  expect(problemsOf('---\nname: other\ncontextMode: selective\n---\n')).toEqual([
    'warning 2 name: the agent is named "other", its file "reviewer"; give both the same name',
    'warning 3 contextMode: selective shows nothing of the main conversation without sharePatterns; add sharePatterns',
    'warning - description: no description; state in one sentence when to use the agent, for those who choose one',
    'warning - -: no text after the front matter; write there what the agent is to do',
  ]);
});

describe('a file of Claude Code', () => {
  const claude = (text: string): ParsedDefinition => parse(text, 'claude-project');

  test('unknown fields, tools and models are warnings', () => {
    const text =
      '---\nname: fixer\ndescription: Fixes.\ntools: Read, Bash(git add:*, git log:*), Grep\nmodel: sonnet\ncolor: red\n---\nFix.\n';
    expect(claude(text).definition).toEqual({
      name: 'fixer',
      description: 'Fixes.',
      tools: ['read', 'grep'],
      systemPrompt: 'Fix.',
      source: 'claude-project',
      path,
    });
    expect(problemsOf(text, 'claude-project')).toEqual([
      'warning 4 tools: Cairn has no tool "Bash(git add:*, git log:*)"; the agent works without it',
      'warning 5 model: the model "sonnet" of Claude Code is not used; the agent uses the model of its caller',
      'warning 6 color: Cairn has no such field; it is ignored',
    ]);
  });

  test('`inherit` is the model of the caller', () => {
    expect(problemsOf('---\nname: a\ndescription: d\nmodel: inherit\n---\nb', 'claude-user')).toEqual([]);
  });

  test('a list without a known tool allows none', () => {
    expect(claude('---\ndescription: d\ntools: Bash\n---\nb').definition?.tools).toEqual([]);
  });

  test('`*` allows every tool', () => {
    expect(claude('---\ndescription: d\ntools: "*"\n---\nb').definition).not.toHaveProperty('tools');
  });

  test('disallowed tools are taken from the list, and a warning states that there is none', () => {
    expect(claude('---\ndescription: d\ndisallowedTools: Grep\ntools: [Read, Grep]\n---\nb').definition?.tools).toEqual(
      ['read'],
    );
    expect(problemsOf('---\ndescription: d\ndisallowedTools: Edit\n---\nb', 'claude-user')).toEqual([
      'warning 3 disallowedTools: this list is not enforced without `tools`; list in `tools` what the agent may use',
    ]);
  });

  test.each([
    ['[edit]', '[Read, Edit]', ['read']],
    ['Edit(/etc/*), Read(secret)', 'Read, Edit, Grep', ['grep']],
    ['"*"', 'Read, Edit', []],
  ])('what %s disallows is not among %s, under any name and as a whole', (disallowed, tools, left) => {
    const text = `---\ndescription: d\ntools: ${tools}\ndisallowedTools: ${disallowed}\n---\nb`;
    expect(claude(text).definition?.tools).toEqual(left);
  });

  test('a list of disallowed tools is never passed over', () => {
    const warnings = (tools: string, disallowed: string): string[] =>
      problemsOf(`---\ndescription: d\ntools: ${tools}\ndisallowedTools: ${disallowed}\n---\nb`, 'claude-user');
    expect(warnings('"*"', 'Edit')).toEqual([
      'warning 4 disallowedTools: this list is not enforced without `tools`; list in `tools` what the agent may use',
    ]);
    expect(warnings('Read', '{ a: 1 }')).toEqual([
      'warning 4 disallowedTools: invalid value {"a":1}; use a list of tools',
    ]);
    expect(warnings('Read, Edit', 'Edit(/etc/*)')).toEqual([
      'warning 4 disallowedTools: Cairn does not disallow a part of a tool, as "Edit(/etc/*)" does; the whole tool is left out',
    ]);
  });

  test('the permission modes that Cairn knows are permissions, and another one is a warning', () => {
    const withMode = (mode: string): string => `---\ndescription: d\npermissionMode: ${mode}\n---\nb`;
    expect(claude(withMode('plan'))).toMatchObject({ definition: { permissions: 'plan' }, problems: [] });
    expect(claude(withMode('default')).definition).not.toHaveProperty('permissions');
    expect(problemsOf(withMode('default'), 'claude-user')).toEqual([]);
    expect(claude(withMode('bypassPermissions'))).toMatchObject({ definition: { permissions: 'bypassPermissions' } });
    expect(claude(withMode('dontAsk')).definition).not.toHaveProperty('permissions');
    expect(problemsOf(withMode('dontAsk'), 'claude-user')).toEqual([
      'warning 3 permissionMode: Cairn does not use the permission mode "dontAsk"; it knows plan, acceptEdits, bypassPermissions',
    ]);
  });

  test('a description with colons is read as text, with a warning', () => {
    const text = '---\nname: a\ndescription: Use it when: <example>user: "x"\\n</example>\n---\nb';
    expect(claude(text).definition?.description).toBe('Use it when: <example>user: "x"\\n</example>');
    expect(problemsOf(text, 'claude-user')).toEqual([
      'warning 3 -: invalid YAML: Nested mappings are not allowed in compact mappings; put a value that contains ": " in quotes',
    ]);
  });

  test('a file without front matter is ignored with a warning', () => {
    expect(claude('# About these agents\n').definition).toBeUndefined();
    expect(problemsOf('# About these agents\n', 'claude-user')).toEqual([
      'warning - -: no front matter, so it defines no agent; it is ignored',
    ]);
  });

  test('an invalid value of a field of ours is an error there too', () => {
    expect(problemsOf('---\nname: a b\ndescription: d\ncontextMode: x\n---\nb', 'claude-user')).toHaveLength(2);
  });
});

test('a definition is the same after it was written and read', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .map((value) => `x${value}y`.normalize('NFC'));
  const definitions = fc.record(
    {
      name: fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/u),
      description: text,
      systemPrompt: fc
        .array(fc.oneof(text, fc.constantFrom('---', '', '# a', '\tb', '- x: y')))
        .map((lines) => ['x', ...lines, 'y'].join('\n')),
      contextMode: fc.constantFrom(...(Object.keys(MODES) as ContextMode[])),
      contextWindow: fc.integer({ min: 1, max: 1000 }),
      sharePatterns: fc.array(text.filter((pattern) => !/^[*\s]*$/u.test(pattern.normalize('NFKC')))),
      model: text.filter((model) => model !== 'inherit'),
      tools: fc.uniqueArray(text),
      timeout: fc.double({ min: 0.001, max: 86_400, noNaN: true }),
    },
    { requiredKeys: ['name', 'description', 'systemPrompt'] },
  );
  fc.assert(
    fc.property(definitions, (given) => {
      const read = parseDefinition(formatDefinition(given), { path: `/${given.name}.md`, source: 'project' });
      expect(read.definition).toEqual({ ...given, source: 'project', path: `/${given.name}.md` });
    }),
    { numRuns: 300 },
  );
});

test('no text makes the reader throw, and a file without errors is a definition', () => {
  const piece = fc.constantFrom(
    '---\n',
    'name: a\n',
    'tools: ',
    '[',
    '"',
    '\t',
    '&a ',
    '*a',
    ': ',
    '\n',
    '- ',
    '{',
    '!!x ',
    '? ',
    '|',
    'x',
    '\u0000',
    '%',
  );
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom('project', 'claude-user'), (pieces, source) => {
      const parsed = parseDefinition(`---\n${pieces.join('')}`, { path, source: source as 'project' });
      expect(parsed.definition === undefined).toBe(parsed.problems.some(({ severity }) => severity === 'error'));
    }),
    { numRuns: 1000 },
  );
});
