import { estimateTokens } from '@cairn/tool/prompt';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../support/tokenizer.ts';
import { createTree } from '../support/tree.ts';
import { projects } from './simulation/projects.ts';
import { createTestCache } from './support.ts';

const english = `├── README.md
├── package.json
├── src/
│   ├── index.ts
│   ├── components/
│   │   ├── UserProfileCard.tsx
│   │   └── NavigationBar.tsx
│   └── utils/
│       ├── helper.ts
│       └── config.ts
└── docs/
    ├── getting-started.md
    └── guide.md`;

const chinese = `├── 需求文档/
│   ├── 用户登录流程设计.md
│   └── 数据库表结构说明.md
├── 会议记录/
│   ├── 第一次项目启动会议.md
│   └── 产品评审.md
└── 说明.md`;

const python = `setup.py
pyproject.toml
django_project/
  __init__.py
  settings/
    base_settings.py
    production.py
  apps/
    accounts/
      models.py
      serializers.py
      test_views.py
manage.py`;

test.each([
  ['an English tree', english],
  ['a Chinese tree', chinese],
  ['a tree in the form `indent`', python],
])('the estimate for %s is neither 1.5 times too small nor 2.5 times too large', (_, tree) => {
  const ratio = estimateTokens(tree) / countTokens(tree);
  expect(ratio).toBeGreaterThan(1 / 1.5);
  expect(ratio).toBeLessThan(2.5);
});

const forms = [{}, { format: 'source' }, { format: 'indent', depth: 3 }, { format: 'paths' }] as const;

describe.each(projects)('the estimate for the trees of the simulated project $kind, $size', (project) => {
  const files = Object.fromEntries([...project.files.keys()].map((path) => [path, '']));

  test('is within a tenth of o200k_base in every form', async () => {
    const { cache } = createTestCache(createTree(files), { format: undefined });
    for (const form of forms) {
      const { tree, metadata } = await cache.tree(form);
      const ratio = metadata.estimatedTokens / countTokens(tree);
      expect(Math.abs(ratio - 1), `${JSON.stringify(form)}: ${ratio}`).toBeLessThanOrEqual(0.1);
    }
  });

  test('and so the default tree is within its limits: all levels that it shows in 450 tokens, or two in 1,000', async () => {
    const { cache } = createTestCache(createTree(files), { format: undefined });
    const { tree, metadata } = await cache.tree();
    expect(tree).not.toMatch(/[│├└]/u);
    const isWhole = metadata.estimatedTokens <= 450;
    expect(metadata.estimatedTokens).toBeLessThanOrEqual(isWhole ? 450 : 1000);
    expect(isWhole || metadata.depth === 2).toBe(true);
    const deeper = await cache.tree({ depth: metadata.depth + 1, maxTokens: 1_000_000 });
    expect(deeper.tree === tree || deeper.metadata.estimatedTokens > 450).toBe(true);
  });
});
