import type { Language } from '@cairn/tool/kernel';
import { escapeControls } from '@cairn/tool/paths';
import { count } from '@cairn/tool/prompt';
import type { DetectedPhase, GitOperation, Phase, PhaseFact } from './detect-phase.ts';

/** What each phase means, and which knowledge helps in it. The skill and `cairn hook phase` show the same words. */
export const phaseTexts: Readonly<
  Record<Language, Readonly<Record<Phase, readonly [meaning: string, advice: string]>>>
> = {
  en: {
    resolving: [
      'a merge, rebase, cherry-pick or revert is in progress',
      'Read the adr and pitfall assets of both sides before you choose one',
    ],
    debugging: [
      'a bisection is in progress',
      'Search for the symptom with type pitfall, and sink the cause when you found it',
    ],
    implementing: ['files are changed', 'Read the pitfall and best-practice assets of the files that you change'],
    committing: ['every change is staged', 'Read the best-practice assets about commits and tests'],
    reviewing: [
      'commits wait for a review or a push',
      'Check them against the best-practice assets, and sink what was learned',
    ],
    releasing: ['a tag names this commit', 'Read the reference assets about the release'],
    inspecting: [
      'no branch is checked out',
      'Read the reference and glossary assets, and create a branch before you change files',
    ],
    planning: ['nothing is changed yet', 'Read the adr and pattern assets before you propose a design'],
    unknown: ['this is not a git work tree', 'Ask the user which phase the work is in'],
  },
  zh: {
    resolving: ['正在合并、变基、拣选或回退', '选择任何一方之前，先读两边相关的 adr 和 pitfall 资产'],
    debugging: ['正在二分查找', '用类型 pitfall 搜索症状；找到原因后沉淀下来'],
    implementing: ['有文件被修改', '读与所改文件相关的 pitfall 和 best-practice 资产'],
    committing: ['所有改动都已暂存', '读关于提交和测试的 best-practice 资产'],
    reviewing: ['有提交等待评审或推送', '对照 best-practice 资产检查；沉淀学到的经验'],
    releasing: ['当前提交带有标签', '读关于发布的 reference 资产'],
    inspecting: ['没有检出任何分支', '读 reference 和 glossary 资产；修改文件之前先建分支'],
    planning: ['还没有任何改动', '提出设计之前，先读 adr 和 pattern 资产'],
    unknown: ['这里不是 git 工作区', '询问用户工作处于哪个阶段'],
  },
};

const operationsZh: Readonly<Record<GitOperation, string>> = {
  merge: '合并',
  rebase: '变基',
  'cherry-pick': '拣选',
  revert: '回退',
  bisection: '二分查找',
};

type FactTexts = { readonly [Fact in PhaseFact as Fact['kind']]: (fact: Fact) => string };

const factTexts: Readonly<Record<Language, FactTexts>> = {
  en: {
    operation: ({ operation }) => `a ${operation} in progress`,
    conflicts: ({ paths }) => `${count(paths, 'path')} with conflicts`,
    changed: ({ paths }) => count(paths, 'changed file'),
    untracked: ({ paths }) => count(paths, 'untracked path'),
    staged: ({ paths }) => count(paths, 'staged file'),
    unmerged: ({ commits, base }) => `${count(commits, 'commit')} that ${base} does not have`,
    unpushed: ({ commits }) => `${count(commits, 'commit')} that the upstream does not have`,
    tag: ({ tag }) => `the tag ${tag} at this commit`,
    detached: () => 'no branch is checked out',
    'no-commits': () => 'no commits yet',
    unchanged: () => 'no changes, and no commits of its own',
  },
  zh: {
    operation: ({ operation }) => `${operationsZh[operation]}进行中`,
    conflicts: ({ paths }) => `${paths} 个路径有冲突`,
    changed: ({ paths }) => `${paths} 个文件有改动`,
    untracked: ({ paths }) => `${paths} 个路径未跟踪`,
    staged: ({ paths }) => `${paths} 个文件已暂存`,
    unmerged: ({ commits, base }) => `${commits} 个提交不在 ${base} 中`,
    unpushed: ({ commits }) => `${commits} 个提交尚未推送`,
    tag: ({ tag }) => `当前提交有标签 ${tag}`,
    detached: () => '没有检出分支',
    'no-commits': () => '还没有提交',
    unchanged: () => '没有改动，也没有自己的提交',
  },
};

/** Returns a phase as a model reads it: the phase with the facts that show it, and the knowledge that helps in it. */
export function formatPhase({ phase, branch, evidence }: DetectedPhase, language: Language = 'en'): string {
  const [meaning, advice] = phaseTexts[language][phase];
  // The compiler cannot see that the text of a kind takes facts of that kind.
  const facts = evidence.map((fact) => (factTexts[language][fact.kind] as (fact: PhaseFact) => string)(fact));
  const isChinese = language === 'zh';
  const shown = facts.length === 0 ? meaning : facts.join(isChinese ? '，' : ', ');
  const lines = isChinese
    ? [`阶段：${phase}${branch === undefined ? '' : `（分支 ${branch}）`}`, `依据：${shown}`, `${advice}。`]
    : [`Phase: ${phase}${branch === undefined ? '' : ` (branch ${branch})`}`, `Evidence: ${shown}`, `${advice}.`];
  return lines.map((line) => escapeControls(line)).join('\n');
}
