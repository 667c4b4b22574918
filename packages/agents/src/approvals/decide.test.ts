import { describe, expect, test } from 'vitest';
import { decide, type CallAction, type RuleScope } from './decide.ts';
import { readRules, type RuleLists } from './rule.ts';

const scope: RuleScope = {
  roots: ['/work/app', '/home/me/app'],
  places: [
    { path: '/work/app/config/agents', name: '.claude/agents' },
    { path: '/home/me/.config/cairn', name: '/home/me/.config/cairn' },
  ],
};

function verdictOf(rules: RuleLists, action: CallAction): string {
  return decide(readRules([{ source: 'a test', ...rules }], ['deploy', 'edits']), action, scope).verdict;
}

function changing(tool: string, ...paths: readonly string[]): CallAction {
  return {
    tool,
    isReadOnly: false,
    paths: paths.map((path) => ({ path: `/work/app/${path}`, named: `/work/app/${path}` })),
  };
}

function running(command: string): CallAction {
  return { tool: 'shell', isReadOnly: false, command };
}

const reading: CallAction = { tool: 'read', isReadOnly: true };

describe('without a rule', () => {
  test.each<[string, CallAction, string]>([
    ['reading is allowed', reading, 'allow'],
    ['a change of a file asks', changing('write', 'a.txt'), 'ask'],
    ['a command asks', running('ls'), 'ask'],
    ['a function that may change something asks', { tool: 'deploy', isReadOnly: false }, 'ask'],
    [
      'a tool of another server asks, whatever it says about itself',
      { tool: 'mcp__files__read', isReadOnly: true },
      'ask',
    ],
  ])('%s', (_name, action, verdict) => {
    expect(verdictOf({}, action)).toBe(verdict);
  });
});

describe('a rule about a tool', () => {
  test.each<[string, RuleLists, CallAction, string]>([
    ['allows its calls', { allow: ['write'] }, changing('write', 'a.txt'), 'allow'],
    ['allows no other tool', { allow: ['write'] }, changing('edit', 'a.txt'), 'ask'],
    ['knows the names of other hosts', { allow: ['Write'] }, changing('write', 'a.txt'), 'allow'],
    ['denies before it allows', { allow: ['*'], deny: ['write'] }, changing('write', 'a.txt'), 'deny'],
    ['asks before it allows', { allow: ['*'], ask: ['write'] }, changing('write', 'a.txt'), 'ask'],
    ['denies before it asks', { ask: ['*'], deny: ['write'] }, changing('write', 'a.txt'), 'deny'],
    ['of all tools leaves reading alone', { ask: ['*'] }, reading, 'allow'],
    ['of all tools does not deny reading', { deny: ['*'] }, reading, 'allow'],
    ['can ask about reading', { ask: ['read'] }, reading, 'ask'],
    [
      'can name the tools of a server',
      { allow: ['mcp__files__*'] },
      { tool: 'mcp__files__put', isReadOnly: false },
      'allow',
    ],
    [
      'of one server is not for another',
      { allow: ['mcp__files__*'] },
      { tool: 'mcp__file__put', isReadOnly: false },
      'ask',
    ],
  ])('%s', (_name, rules, action, verdict) => {
    expect(verdictOf(rules, action)).toBe(verdict);
  });
});

describe('a rule about paths', () => {
  test.each<[string, RuleLists, CallAction, string]>([
    ['allows a path that matches', { allow: ['edit(src/**)'] }, changing('edit', 'src/a/b.ts'), 'allow'],
    ['allows no other path', { allow: ['edit(src/**)'] }, changing('edit', 'srcs/b.ts'), 'ask'],
    [
      'allows a call only if each path matches',
      { allow: ['patch(src/**)'] },
      changing('patch', 'src/a', 'lib/b'),
      'ask',
    ],
    [
      'and another may allow different paths of a call',
      { allow: ['patch(src/**)', 'patch(lib/*)'] },
      changing('patch', 'src/a', 'lib/b'),
      'allow',
    ],
    [
      'denies a call if one path matches',
      { allow: ['*'], deny: ['*(lib/**)'] },
      changing('patch', 'src/a', 'lib/b'),
      'deny',
    ],
    ['denies without case', { allow: ['*'], deny: ['*(lib/**)'] }, changing('write', 'LIB/b'), 'deny'],
    [
      'denies without what a file system ignores',
      { allow: ['*'], deny: ['*(lib/**)'] },
      changing('write', 'li\u200bb/b'),
      'deny',
    ],
    ['allows with case only', { allow: ['write(lib/**)'] }, changing('write', 'LIB/b'), 'ask'],
    ['without a slash is about each directory', { deny: ['*(*.pem)'] }, changing('write', 'a/b/key.pem'), 'deny'],
    ['in quotes is one path', { allow: ['write("app/[id].ts")'] }, changing('write', 'app/[id].ts'), 'allow'],
    ['in quotes has no operators', { allow: ['write("a*.ts")'] }, changing('write', 'ab.ts'), 'ask'],
    [
      'can be absolute',
      { allow: ['write(/work/app/src/**)'] },
      { ...changing('write'), paths: [{ path: '/tmp/src/a', named: '/tmp/src/a' }] },
      'ask',
    ],
    [
      'of the project is not about other directories',
      { allow: ['write(**)'] },
      { ...changing('write'), paths: [{ path: '/etc/x', named: '/etc/x' }] },
      'ask',
    ],
    ['is not about a tool without paths', { allow: ['*(**)'] }, { tool: 'deploy', isReadOnly: false }, 'ask'],
    ['is not about a command', { allow: ['*(ls)'] }, running('ls'), 'ask'],
    [
      'denies by the name of a link, too',
      { allow: ['*'], deny: ['*(link/**)'] },
      { ...changing('write'), paths: [{ path: '/work/app/src/a', named: '/home/me/app/link/a' }] },
      'deny',
    ],
    [
      'allows only where a link leads',
      { allow: ['write(link/**)'] },
      { ...changing('write'), paths: [{ path: '/work/app/src/a', named: '/home/me/app/link/a' }] },
      'ask',
    ],
  ])('%s', (_name, rules, action, verdict) => {
    expect(verdictOf(rules, action)).toBe(verdict);
  });
});

describe('a change always asks', () => {
  test.each([
    '.git/config',
    '.GIT/hooks/pre-commit',
    'sub/.git/config',
    '.gi\u200ct/config',
    'GIT~1/config',
    '.cairn/agents/a.md',
    '.claude/settings.json',
    '.Claude/agents/a.md',
    '.claude./a',
    '.ｃlaude/a',
    '.codex/config.toml',
    '.mcp.json',
    '.MCP.json',
    '.mcp.json ',
    '.mcp.json:stream',
    'config/agents/a.md',
  ])('of %j', (path) => {
    expect(verdictOf({ allow: ['*', `write(${JSON.stringify(path)})`] }, changing('write', path))).toBe('ask');
  });

  test.each(['.gitignore', '.github/x', 'src/git/a', 'mcp.json', 'config/other'])('and not of %j', (path) => {
    expect(verdictOf({ allow: ['*'] }, changing('write', path))).toBe('allow');
  });

  test('of a place that only a link names, of a directory above one, and of what has other names', () => {
    const at = (path: string, named: string, unlisted?: 'names' | 'entries'): CallAction => ({
      ...changing('rename'),
      paths: [{ path, named, ...(unlisted && { unlisted }) }],
    });
    for (const action of [
      at('/work/app/data/x', '/work/app/.claude/x'),
      at('/home/me/.config/cairn/rules.json', '/home/me/.config/cairn/rules.json'),
      at('/home/me/.config', '/home/me/.config'),
      at('/work/app/a', '/work/app/a', 'names'),
      at('/work/app/a', '/work/app/a', 'entries'),
    ]) {
      expect(verdictOf({ allow: ['*'] }, action)).toBe('ask');
      expect(verdictOf({ allow: ['*'], deny: ['rename'] }, action)).toBe('deny');
    }
  });

  test('but the directories above the project do not count', () => {
    const above: RuleScope = { roots: ['/home/me/.claude/worktrees/app'], places: [] };
    const path = '/home/me/.claude/worktrees/app/a.txt';
    const action: CallAction = { tool: 'write', isReadOnly: false, paths: [{ path, named: path }] };
    expect(decide(readRules([{ source: 'a test', allow: ['write'] }]), action, above).verdict).toBe('allow');
  });
});

describe('a rule about a command', () => {
  test.each<[string, string, string]>([
    ['shell(npm test)', 'npm test', 'allow'],
    ['shell(npm test)', '  npm   test ', 'allow'],
    ['shell(npm test)', 'npm testx', 'ask'],
    ['shell(npm test)', 'npm test --watch', 'ask'],
    ['shell(npm test *)', 'npm test --watch a', 'allow'],
    ['shell(npm test *)', 'npm test', 'allow'],
    ['shell(npm test *)', 'npm tests', 'ask'],
    ['shell(*)', 'ls -la', 'allow'],
    ['shell(*)', 'ls; rm -rf .', 'ask'],
    ['shell(npm *)', 'npm test; rm x', 'ask'],
    ['shell(npm *)', 'npm test & rm x', 'ask'],
    ['shell(npm *)', 'npm test | sh', 'ask'],
    ['shell(npm *)', 'npm test > .mcp.json', 'ask'],
    ['shell(npm *)', 'npm test < x', 'ask'],
    ['shell(npm *)', 'npm test $(rm x)', 'ask'],
    ['shell(npm *)', 'npm test $HOME', 'ask'],
    ['shell(npm *)', 'npm test `rm x`', 'ask'],
    ['shell(npm *)', 'npm test\nrm x', 'ask'],
    ['shell(npm *)', 'npm test\rrm x', 'ask'],
    ['shell(npm *)', 'npm test\u0000rm x', 'ask'],
    ['shell(npm *)', 'PATH=. npm test', 'ask'],
    ['shell(npm *)', 'A+=1 npm test', 'ask'],
    ['shell(npm *)', 'npm\u00a0test', 'ask'],
    ['shell(npm *)', '"npm" test', 'ask'],
    ['shell(npm *)', 'NPM test', 'ask'],
    ['shell(npm *)', '', 'ask'],
    ['shell("git commit -m \\"a b\\"")', 'git commit -m "a b"', 'allow'],
    ['shell("git commit -m \\"a b\\"")', 'git commit -m "a  b"', 'ask'],
    ['shell', 'ls; rm -rf .', 'allow'],
  ])('%s: %j is %s', (rule, command, verdict) => {
    expect(verdictOf({ allow: [rule] }, running(command))).toBe(verdict);
  });

  test.each([
    'rm -rf x',
    'ls; rm -rf x',
    'ls && rm x',
    '(rm x)',
    'echo `rm x`',
    'echo $(rm x)',
    'A=1 rm x',
    '"rm" x',
    String.raw`r\m x`,
    'ls\nrm x',
  ])('that denies rm rejects %j', (command) => {
    expect(verdictOf({ allow: ['shell'], deny: ['shell(rm *)'] }, running(command))).toBe('deny');
  });
});

describe('an invalid rule', () => {
  test.each([
    ['', 'it has no name of a tool'],
    ['write(', 'it has no name of a tool'],
    ['wirte', 'there is no tool "wirte". Did you mean write'],
    ['write()', 'what is between the parentheses is empty'],
    ['write("a)', 'a string without an end'],
    ['read(src/**)', 'read does not change files'],
    ['remember(x)', 'remember does not change files'],
    ['shell(ls; rm x)', 'it is not one simple command'],
    ['shell(A=1 ls)', 'it is not one simple command'],
    ['shell(git * log)', '`*` is not the last word'],
  ])('%j is an error with its place', (rule, problem) => {
    for (const verdict of ['allow', 'ask', 'deny']) {
      const read = (): unknown => readRules([{ source: '/home/me/rules.json', [verdict]: [rule] }]);
      expect(read).toThrow(expect.objectContaining({ code: 'INVALID_RULE' }));
      expect(read).toThrow(problem);
      expect(read).toThrow('/home/me/rules.json');
    }
  });

  test('a value that is not a list is an error', () => {
    expect(() => readRules([{ source: 'x', deny: 'write' as never }])).toThrow('deny in x is not a list of rules');
  });
});
