import type { Language } from '@cairn/tool/kernel';
import { PHASES } from './detect-phase.ts';
import { phaseTexts } from './phase-texts.ts';
import type { SkillTextsByLanguage } from './skill.ts';

function rows(language: Language): string {
  const separator = language === 'zh' ? '：' : ': ';
  const stop = language === 'zh' ? '。' : '. ';
  return PHASES.map((phase) => {
    const [meaning, advice] = phaseTexts[language][phase];
    return `- **${phase}**${separator}${meaning}${stop}${advice}`;
  }).join('\n');
}

export const phaseDetector: SkillTextsByLanguage = {
  en: {
    description:
      "**REQUIRED before work in a repository begins or continues** - Detect the phase of the work from git's state, and name the knowledge that helps in it.",
    body: (command) => `# Phase detector

Run this in the directory of the work. It changes nothing:

\`\`\`
${command} hook phase
\`\`\`

It prints the phase, the facts that show it, and what to read. Without the command, run \`git status\` and take the first phase that fits:

${rows('en')}

Tell the user the phase in one sentence. If the user says that another phase is right, the user is right.
`,
  },
  zh: {
    description: '**在仓库中开始或继续工作之前必须调用** - 根据 git 的状态识别工作阶段，并指出此阶段需要的知识。',
    body: (command) => `# 阶段识别

在工作目录中运行下面的命令，它不会修改任何内容：

\`\`\`
${command} hook phase --language zh
\`\`\`

它会输出阶段、依据，以及应当阅读的知识。没有这个命令时，运行 \`git status\`，取第一个符合的阶段：

${rows('zh')}

用一句话告诉用户当前阶段。用户认为是另一个阶段时，以用户为准。
`,
  },
};
