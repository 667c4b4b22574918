import type { Language } from '@cairn/tool/kernel';
/** The texts around the project instructions, for a model. */
export interface InstructionTexts {
  readonly heading: string;
  /** Before the text of a file. */
  readonly source: (name: string) => string;
  /** After a part of a file. */
  readonly cut: (name: string, characters: number) => string;
  readonly omitted: (name: string, characters: number) => string;
  readonly unreadable: (name: string, problem: string) => string;
}

export const instructionTexts: Readonly<Record<Language, InstructionTexts>> = {
  en: {
    heading: '# Project instructions\n\nFrom files of the project. Where they differ, the later one applies.',
    source: (name) => `## ${name}`,
    cut: (name, characters) => `[${characters} more characters of ${name} are not shown; read the file for them]`,
    omitted: (name, characters) => `[${name} is not shown: ${characters} characters; read the file]`,
    unreadable: (name, problem) => `[${name} could not be read: it ${problem}]`,
  },
  zh: {
    heading: '# 项目说明\n\n来自项目中的文件。如有冲突，以后出现的为准。',
    source: (name) => `## ${name}`,
    cut: (name, characters) => `[${name} 还有 ${characters} 个字符未显示；需要时请读取该文件]`,
    omitted: (name, characters) => `[未显示 ${name}：共 ${characters} 个字符；需要时请读取该文件]`,
    unreadable: (name, problem) => `[无法读取 ${name}：${problem}]`,
  },
};
