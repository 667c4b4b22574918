import type { SkillTextsByLanguage } from './skill.ts';

export const knowledgeSink: SkillTextsByLanguage = {
  en: {
    description:
      '**REQUIRED when valuable insights emerge** - Capture pitfalls, decisions, patterns to knowledge base. Prefer sinking knowledge over losing it.',
    body: (command) => `# Knowledge sink

Ask for what you cannot answer from this conversation:

1. **Type**: pitfall, reference, pattern, best-practice, glossary, adr, or discovery if it is not yet certain
2. **Product line**: where it holds, such as \`exchange/core\`; \`general\` if it holds everywhere
3. **Evidence**: what shows that it is true: a commit, a test, a measurement, an error message, a link

Without evidence, use the type discovery and name what is missing.

## Write it

- \`name\`: short and exact, such as \`redis-cluster-failover\`. \`title\`: one line. \`tags\`: the words that a reader will search for.
- Body: what happened or holds, why, what to do, and the evidence. No passwords, keys or tokens.
- Call \`sink_asset\`. If it names similar assets, read them. The same insight: repeat the call with \`mode\` update and the name of that asset. Another one: with \`mode\` new.
- Tell the user the name of the asset. If there is a team store, \`${command} knowledge team push\` shares it.
`,
  },
  zh: {
    description: '**出现有价值的洞察时必须调用** - 将踩坑、决策、模式沉淀到知识库。宁可沉淀，不要丢失。',
    body: (command) => `# 知识沉淀

对话中没有答案的问题，先问用户：

1. **类型**：pitfall、reference、pattern、best-practice、glossary、adr；尚不确定时用 discovery
2. **产品线**：适用范围，例如 \`exchange/core\`；处处适用时用 \`general\`
3. **证据**：什么能证明它成立：提交、测试、测量数据、报错信息或链接

没有证据时，使用类型 discovery，并写明还缺什么。

## 写入

- \`name\`：简短准确，例如 \`redis-cluster-failover\`。\`title\`：一行。\`tags\`：别人会用来搜索的词。
- 正文：发生了什么或什么成立、原因、应当怎么做，以及证据。不要写入密码、密钥或令牌。
- 调用 \`sink_asset\`。它列出相似资产时，先阅读：同一洞察用 \`mode\` update 和该资产的名称再次调用，不同的洞察用 \`mode\` new。
- 告诉用户资产的名称。有团队库时，可以用 \`${command} knowledge team push\` 共享。
`,
  },
};
