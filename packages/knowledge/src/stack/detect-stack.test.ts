import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { detectStack } from './detect-stack.ts';
import { stackMatcherOf } from './stack.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-stack-'));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const packageJson = JSON.stringify({
  name: '@acme/exchange-core',
  dependencies: { '@nestjs/core': '^11.0.0', 'react-native': '1', ioredis: '5', 'core-js': '3' },
  devDependencies: { typescript: '7', '@types/express': '5' },
});

const goMod = `// The engine.
module github.com/acme/exchange-core/v2 // not a fork

go 1.26

require github.com/redis/go-redis/v9 v9.0.0
require (
	"github.com/gin-gonic/gin" v1.9.1
	gopkg.in/yaml.v3 v3.0.1
	github.com/segmentio/kafka-go v0.4.47
	golang.org/x/sys v0.10.0 // indirect
)

replace github.com/gin-gonic/gin => ../gin
`;

const pyproject = `[project]
name = "exchange-core"
dependencies = ["Django[argon2]>=5", "psycopg2-binary ; python_version > '3.9'"]

[project.optional-dependencies]
queue = ["celery~=5.0"]

[dependency-groups]
dev = ["pytest", { include-group = "lint" }]

[tool.poetry.dependencies]
redis = { version = "^5", optional = true }

[tool.poetry.group.dev.dependencies]
ruff = "*"
`;

const cargoToml = `[package]
name = "exchange_core"

[dependencies]
tokio = { version = "1", features = ["full"] }

[dev-dependencies]
criterion = "0.5"

[target.'cfg(unix)'.dependencies]
nix = "0.29"

[workspace.dependencies]
rdkafka = "0.36"
`;

test.each([
  [
    'package.json',
    packageJson,
    [['acme', 'exchange', 'core']],
    'core-js express ioredis javascript js nestjs node nodejs react-native redis typescript',
  ],
  ['go.mod', goMod, [['acme', 'exchange', 'core']], 'gin go go-redis golang kafka kafka-go redis yaml'],
  [
    'pyproject.toml',
    pyproject,
    [['exchange', 'core']],
    'celery django postgres postgresql psycopg2-binary py pytest python redis ruff',
  ],
  ['Cargo.toml', cargoToml, [['exchange', 'core']], 'criterion kafka nix rdkafka rs rust tokio'],
])('%s names the project and its stack', async (file, text, projects, names) => {
  write(file, text);
  expect(await detectStack(root)).toEqual({ projects, names: names.split(' '), unreadable: [] });
});

test('the manifests of the directories above count up to the root of the repository', async () => {
  write('repository/.git/HEAD', '');
  write('package.json', '{"name": "outside"}');
  write('repository/go.mod', 'module exchange\n');
  write('repository/tsconfig.json', '{}');
  write('repository/web/src/x.ts', '');
  write('repository/web/package.json', '\u{feff}{"name": "web-shop"}');
  const { projects, names } = await detectStack(join(root, 'repository/web/src'));
  expect(projects).toEqual([['exchange'], ['web', 'shop']]);
  expect(names).toEqual(['go', 'golang', 'javascript', 'js', 'node', 'nodejs', 'ts', 'typescript']);
});

test('outside of a repository only the directory itself counts', async () => {
  write('package.json', '{"name": "above"}');
  write('below/Cargo.toml', '[package]\nname = "below"\n');
  expect((await detectStack(join(root, 'below'))).projects).toEqual([['below']]);
});

test('a directory without manifests, or a missing one, has no stack', async () => {
  const none = { projects: [], names: [], unreadable: [] };
  expect(await detectStack(root)).toEqual(none);
  expect(await detectStack(join(root, 'missing/below'))).toEqual(none);
});

test('a manifest that cannot be read is reported, and the others count', async () => {
  write('package.json', '{"name": ');
  write('Cargo.toml', 'not toml');
  write('pyproject.toml/directory', '');
  write('go.mod', 'module exchange\n');
  const { projects, unreadable } = await detectStack(root);
  expect(projects).toEqual([['exchange']]);
  expect(unreadable.map(({ path }) => path)).toEqual(
    ['package.json', 'pyproject.toml', 'Cargo.toml'].map((file) => join(root, file)),
  );
  for (const { reason } of unreadable) expect(reason).not.toBe('');
});

test('manifests of another form than expected name nothing', async () => {
  write('package.json', '{"name": 5, "dependencies": ["react"], "devDependencies": null}');
  write('pyproject.toml', 'project = "x"\ntool = 5\n');
  write('Cargo.toml', 'package = []\ndependencies = "tokio"\n');
  const { projects, unreadable } = await detectStack(root);
  expect({ projects, unreadable }).toEqual({ projects: [], unreadable: [] });
});

test('a large manifest is reported', async () => {
  write('package.json', JSON.stringify({ name: 'x'.repeat(1024 * 1024) }));
  expect((await detectStack(root)).unreadable).toMatchObject([
    { reason: expect.stringContaining('more than 1048576') },
  ]);
});

const stack = {
  projects: [['acme', 'exchange', 'core']],
  names: ['c++', 'go', 'react', 'react-native'],
  unreadable: [],
};

test.each([
  ['the name of the project', 'exchange/core', true],
  ['the name of the project in another spelling', 'ExchangeCore', true],
  ['a part of the name', 'exchange', true],
  ['another part of the same line', 'exchange/api', false],
  ['a line below the name', 'acme/exchange/core/orders', true],
  ['a technology', 'frontend/react', true],
  ['a technology of two words', 'mobile/react-native', true],
  ['a technology in a longer name', 'go-services', true],
  ['a technology with signs', 'engine/c++', true],
  ['a part of another word', 'gopher', false],
  ['another technology', 'backend/java', false],
  ['a general line', 'general', false],
])('a product line matches by %s: %s', (_name, productLine, isMatch) => {
  expect(stackMatcherOf(stack)(productLine)).toBe(isMatch);
});

test('an empty stack matches nothing', () => {
  expect(stackMatcherOf({ projects: [], names: [], unreadable: [] })('exchange')).toBe(false);
});
