import { estimateTokens } from '@cairn/tool/prompt';
import { expect, test } from 'vitest';
import { countTokens } from '../support/tokenizer.ts';

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
