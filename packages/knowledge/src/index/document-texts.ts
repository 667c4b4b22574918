import type { Language } from '@cairn/tool/kernel';
import { count } from '@cairn/tool/prompt';
import type { LineCount, Omitted } from './selection.ts';

/** Returns product lines with their counts in parentheses. `all`: the assets of these and of those that are not named. */
function linesOf(lines: readonly LineCount[], all: number): string {
  if (lines.length === 0) return '';
  const named = lines.reduce((sum, { assets }) => sum + assets, 0);
  const parts = lines.map(({ productLine, assets }) => `${productLine} ${assets}`);
  return ` (${[...parts, ...(named < all ? ['…'] : [])].join(', ')})`;
}

const en = {
  title: '# Cairn - Knowledge Index',
  stores: 'L1: only in the local store. L2: in the team store.',
  quickReference: `## Quick Reference

Use the \`get_asset(name, product_line)\` MCP tool to read the full content of an asset.`,
  index: '## Index',
  escapes:
    '`promoted` is 1 when the asset is in the team store. In fields, `%7C` is `|`, `%2C` is `,`, `%25` is `%`, `%0A` is a line break.',
  examples: `## Usage Examples

**One or two entries match:**
\`\`\`
User: "How do we make Redis highly available?"
→ Scan the index for "redis" → 2 entries
→ get_asset("redis-cluster-failover", "exchange/infra")
\`\`\`

**Three or more entries match:**
\`\`\`
User: "How do we retry messages of a queue?"
→ Scan the index → 5 entries
→ search_knowledge({query: "message queue retry"}) → sorted by score
→ get_asset(name of the first result)
\`\`\``,
  types: '## Asset Types',
  meanings: {
    pitfall: 'a mistake that was made - avoid repeating it',
    reference: 'a reference document - technical guide, API specification',
    pattern: 'a design pattern - a solution to use again',
    'best-practice': 'a best practice - team standard, code style',
    glossary: 'a term and its definition - common language, business concept',
    adr: 'an architecture decision record - history of the design, trade-offs',
    discovery: 'a note of a discovery - temporary, can be converted to another type',
    skill: 'a workflow - called by its name, not listed here',
  },
  notListed: '## Not Listed',
  omitted: ({ more, skills, inactive, otherLines, lines = [], unreadable = 0 }: Omitted): string => {
    const parts = [
      more > 0 && count(more, 'more asset'),
      otherLines > 0 && `${count(otherLines, 'asset')} of other product lines${linesOf(lines, otherLines)}`,
      skills > 0 && count(skills, 'skill'),
      inactive > 0 && count(inactive, 'deprecated or superseded asset'),
      unreadable > 0 && `${count(unreadable, 'asset')} of a later version of Cairn (update Cairn to read them)`,
    ].filter((part) => part !== false);
    return parts.length === 0
      ? ''
      : `Not listed: ${parts.join(', ')}. \`scan_index\` finds assets that are not listed (\`type: "skill"\` lists skills); \`get_asset\` reads any asset by its name.`;
  },
  tagsOmitted: (lines: number): string =>
    `The tags of ${lines === 1 ? 'the last line are' : `the last ${lines} lines are`} left out, to keep the index short. \`scan_index\` finds assets by them.`,
  never: 'never',
};

const zh: typeof en = {
  title: '# Cairn - 知识索引',
  stores: 'L1：仅在本地库。L2：已在团队库。',
  quickReference: `## 快速参考

使用 MCP 工具 \`get_asset(name, product_line)\` 获取资产的完整内容。`,
  index: '## 索引',
  escapes:
    '`promoted` 为 1 表示资产已在团队库。字段中 `%7C` 表示 `|`，`%2C` 表示 `,`，`%25` 表示 `%`，`%0A` 表示换行。',
  examples: `## 使用示例

**匹配一两条时：**
\`\`\`
用户："Redis 高可用方案？"
→ 在索引中查找 "redis" → 2 条
→ get_asset("redis-cluster-failover", "exchange/infra")
\`\`\`

**匹配三条或更多时：**
\`\`\`
用户："消息队列重试策略？"
→ 在索引中查找 → 5 条
→ search_knowledge({query: "消息队列 重试"}) → 按分数排序
→ get_asset(第一条结果的名称)
\`\`\``,
  types: '## 资产类型',
  meanings: {
    pitfall: '踩坑记录 - 避免重复问题',
    reference: '参考文档 - 技术指南、API 规范',
    pattern: '设计模式 - 可复用解决方案',
    'best-practice': '最佳实践 - 团队规范、代码风格',
    glossary: '术语定义 - 统一语言、业务概念',
    adr: '架构决策记录 - 设计历史、权衡分析',
    discovery: '发现笔记 - 临时记录，可转化为其他类型',
    skill: '工作流技能 - 按名称显式调用，此处不列出',
  },
  notListed: '## 未列出',
  omitted: ({ more, skills, inactive, otherLines, lines = [], unreadable = 0 }) => {
    const parts = [
      more > 0 && `其余资产 ${more} 条`,
      otherLines > 0 && `其他产品线的资产 ${otherLines} 条${linesOf(lines, otherLines)}`,
      skills > 0 && `技能 ${skills} 个`,
      inactive > 0 && `已弃用或被取代的资产 ${inactive} 条`,
      unreadable > 0 && `由更新版本的 Cairn 写入的资产 ${unreadable} 条（请升级 Cairn 后读取）`,
    ].filter((part) => part !== false);
    return parts.length === 0
      ? ''
      : `未列出：${parts.join('，')}。用 \`scan_index\` 查找未列出的资产（\`type: "skill"\` 列出技能）；用 \`get_asset\` 按名称读取任何资产。`;
  },
  tagsOmitted: (lines) => `为缩短索引，省略了最后 ${lines} 行的标签。\`scan_index\` 可按标签查找资产。`,
  never: '从未',
};

/** The texts of `AGENTS-INDEX.md`. The parts that programs read are English in both languages: `Last updated:`, `Total assets:`, `Format:`. */
export const documentTexts: Readonly<Record<Language, typeof en>> = { en, zh };
