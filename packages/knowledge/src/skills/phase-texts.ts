import type { Language, PhaseTexts } from './skill.ts';

/** What each phase means, and which knowledge helps in it. The skill and `cairn hook phase` show the same words. */
export const phaseTexts: Readonly<Record<Language, PhaseTexts>> = {
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
    resolving: ['正在合并、变基、拣选或回退', '选择任何一方之前,先读两边相关的 adr 和 pitfall 资产'],
    debugging: ['正在二分查找', '用类型 pitfall 搜索症状;找到原因后沉淀下来'],
    implementing: ['有文件被修改', '读与所改文件相关的 pitfall 和 best-practice 资产'],
    committing: ['所有改动都已暂存', '读关于提交和测试的 best-practice 资产'],
    reviewing: ['有提交等待评审或推送', '对照 best-practice 资产检查;沉淀学到的经验'],
    releasing: ['当前提交带有标签', '读关于发布的 reference 资产'],
    inspecting: ['没有检出任何分支', '读 reference 和 glossary 资产;修改文件之前先建分支'],
    planning: ['还没有任何改动', '提出设计之前,先读 adr 和 pattern 资产'],
    unknown: ['这里不是 git 工作区', '询问用户工作处于哪个阶段'],
  },
};
