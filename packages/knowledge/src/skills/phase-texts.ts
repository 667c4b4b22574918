import type { Language } from '@cairn/tool/kernel';
import { escapeControls } from '@cairn/tool/paths';
import type { DetectedPhase, GitOperation, PhaseFact } from './detect-phase.ts';
import type { PhaseTexts } from './skill.ts';

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

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const factTexts: Readonly<Record<Language, (fact: PhaseFact) => string>> = {
  en: (fact) => {
    switch (fact.kind) {
      case 'operation':
        return `a ${fact.operation} in progress`;
      case 'conflicts':
        return `${plural(fact.paths, 'path')} with conflicts`;
      case 'changed':
      case 'untracked':
      case 'staged':
        return plural(fact.paths, `${fact.kind} ${fact.kind === 'untracked' ? 'path' : 'file'}`);
      case 'unmerged':
        return `${plural(fact.commits, 'commit')} that ${fact.base} does not have`;
      case 'unpushed':
        return `${plural(fact.commits, 'commit')} that the upstream does not have`;
      case 'tag':
        return `the tag ${fact.tag} at this commit`;
      case 'detached':
        return 'no branch is checked out';
      case 'no-commits':
        return 'no commits yet';
      case 'unchanged':
        return 'no changes, and no commits of its own';
    }
  },
  zh: (fact) => {
    switch (fact.kind) {
      case 'operation':
        return `${operationsZh[fact.operation]}进行中`;
      case 'conflicts':
        return `${fact.paths} 个路径有冲突`;
      case 'changed':
        return `${fact.paths} 个文件有改动`;
      case 'untracked':
        return `${fact.paths} 个路径未跟踪`;
      case 'staged':
        return `${fact.paths} 个文件已暂存`;
      case 'unmerged':
        return `${fact.commits} 个提交不在 ${fact.base} 中`;
      case 'unpushed':
        return `${fact.commits} 个提交尚未推送`;
      case 'tag':
        return `当前提交有标签 ${fact.tag}`;
      case 'detached':
        return '没有检出分支';
      case 'no-commits':
        return '还没有提交';
      case 'unchanged':
        return '没有改动，也没有自己的提交';
    }
  },
};

/** Returns a phase as a model reads it: the phase with the facts that show it, and the knowledge that helps in it. */
export function formatPhase({ phase, branch, evidence }: DetectedPhase, language: Language = 'en'): string {
  const [meaning, advice] = phaseTexts[language][phase];
  const facts = evidence.map(factTexts[language]);
  const isChinese = language === 'zh';
  const shown = facts.length === 0 ? meaning : facts.join(isChinese ? '，' : ', ');
  const lines = isChinese
    ? [`阶段：${phase}${branch === undefined ? '' : `（分支 ${branch}）`}`, `依据：${shown}`, `${advice}。`]
    : [`Phase: ${phase}${branch === undefined ? '' : ` (branch ${branch})`}`, `Evidence: ${shown}`, `${advice}.`];
  return lines.map((line) => escapeControls(line)).join('\n');
}
