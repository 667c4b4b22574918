import { createWorkspaceCache, templateFilters, templateVariables } from '@cairn/workspace-cache';
import type { WorkspaceCacheData } from '@cairn/workspace-cache';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import nunjucks from 'nunjucks';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createTree } from '../support/tree.ts';

/** nunjucks is the engine of AIGNE, for which the source document is written. */
const engine = new nunjucks.Environment(null, { autoescape: false });
for (const [name, filter] of Object.entries(templateFilters)) engine.addFilter(name, filter);

/** The block of the source document, byte for byte. */
const planner = readFileSync(new URL('templates/planner.txt', import.meta.url), 'utf8');

/**
 * Writes the conditions of the source document as nunjucks does. Nothing else of its templates changes. The length is asked
 * for because an empty object is true in nunjucks.
 */
function toNunjucks(template: string): string {
  return template
    .replaceAll(/\{\{ #if (\S+) \}\}/gu, '{% if $1 | length %}')
    .replaceAll('{{ else }}', '{% else %}')
    .replaceAll('{{ /if }}', '{% endif %}');
}

function golden(name: string): string {
  return fileURLToPath(new URL(`goldens/${name}`, import.meta.url));
}

function render(template: string, workspaceCache?: WorkspaceCacheData): string {
  return engine.renderString(toNunjucks(template), templateVariables({ workspaceCache }));
}

const sample: WorkspaceCacheData = {
  static: {
    tree: '├── README.md\n└── src/\n    └── index.js',
    metadata: {
      cachedAt: '2026-01-02T03:04:05.678Z',
      size: 40,
      depth: 3,
      entries: 3,
      truncated: false,
      excluded: 1,
      hiddenSecrets: 0,
      estimatedTokens: 12,
      buildTimeMs: 1,
      maxDepth: 3,
    },
  },
  dynamic: {
    '/src/deep/nested': {
      items: [
        { name: 'a.js', isDirectory: false },
        { name: 'lib', isDirectory: true },
      ],
      cachedAt: '2026-01-02T03:04:06.000Z',
    },
  },
  directoryTree: '',
  metadata: {} as never,
};

test('nunjucks renders the expression of the source document as it is', () => {
  const text = engine.renderString(
    '{{ $context.userContext.workspaceCache | yaml.stringify }}',
    templateVariables({ workspaceCache: sample }),
  );
  expect(parse(text)).toEqual(sample);
});

test.each([
  ['with a directory that was listed', 'listed', sample],
  ['without a listed directory', 'unlisted', { ...sample, dynamic: {} }],
  ['without a cache', 'without', undefined],
  ['with the empty tree of a failure', 'failed', { ...sample, static: { ...sample.static, tree: '' } }],
])('nunjucks renders the planner block of the source document %s', async (_, name, data) => {
  await expect(render(planner, data)).toMatchFileSnapshot(golden(`planner-${name}.txt`));
});

test('what init sets is plain JSON, and both names show it once', async () => {
  const root = createTree({ 'README.md': '', src: { 'index.ts': '', lib: { 'a.ts': '' } } });
  const userContext: { workspaceCache?: WorkspaceCacheData } = {};
  const { run } = await createWorkspaceCache({ root }).init({ userContext });
  expect(userContext.workspaceCache).toBe(run.data);
  expect(JSON.parse(JSON.stringify(run.data))).toEqual(run.data);
  expect(run.data.directoryTree).toBe(run.data.static.tree);
  const variables = templateVariables(userContext);
  for (const name of ['workspaceCache', '$context.userContext.workspaceCache']) {
    const text = engine.renderString(`{{ ${name} | yaml.stringify }}`, variables);
    expect(parse(text)).toEqual(run.data);
    expect(text.match(/index\.ts/gu)).toHaveLength(1);
  }
  const { tree, metadata } = run.data.static;
  const block = engine.renderString(toNunjucks(planner), variables);
  expect(block).toContain(`\`\`\`\n${tree}\n\`\`\`\n`);
  expect(block).toContain(`缓存时间：${metadata.cachedAt}\n`);
});

test('a name that has the form of a template is not run as one', () => {
  const tree = '├── {{ 6 * 7 }}\n├── {% raw %}\n└── <b>&amp;';
  expect(render(planner, { ...sample, static: { ...sample.static, tree } })).toContain(tree);
});
