import { toolOfName } from '@cairn/coding-agent/internal';
import type { NamingProfile } from '@cairn/coding-agent';
import { quoted, type Language } from '@cairn/tool/kernel';
import { toolNameOf } from '../tool-names.ts';

const MAX_LISTED_NAMES = 50;

const MAX_NAME_CHARACTERS = 100;

export function quote(name: string): string {
  return quoted(name, MAX_NAME_CHARACTERS);
}

const en = {
  otherName: (given: string, name: string): string => `There is no tool ${given}. Nothing was done. Call ${name}.`,
  missing: (given: string): string => `There is no tool ${given}. Nothing was done.`,
  forbidden: (agent: string, given: string, readOnly: boolean): string =>
    `The agent ${agent} may not call ${given}${readOnly ? ' in a read-only run' : ''}. Nothing was done.`,
  instead: (names: readonly string[], more: number): string => {
    if (names.length === 0) return 'Answer without tools.';
    return `Use ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}, or answer without this tool.`;
  },
};

const zh: typeof en = {
  otherName: (given, name) => `没有工具 ${given}，未执行任何操作。请调用 ${name}。`,
  missing: (given) => `没有工具 ${given}，未执行任何操作。`,
  forbidden: (agent, given, readOnly) =>
    `agent ${agent} ${readOnly ? '正在只读运行，' : ''}不能调用 ${given}，未执行任何操作。`,
  instead: (names, more) => {
    if (names.length === 0) return '请直接回答，不使用工具。';
    return `可使用 ${names.join('、')}${more > 0 ? ` 等 ${names.length + more} 个工具` : ''}，或不用此工具直接回答。`;
  },
};

const texts: Readonly<Record<Language, typeof en>> = { en, zh };

export interface RefusalFacts {
  readonly agent: string;
  readonly naming: NamingProfile;
  readonly readOnly: boolean;
  readonly language: Language;
  readonly offered: readonly string[];
  readonly hidden: readonly string[];
}

export function refusal(name: string, { agent, naming, readOnly, language, offered, hidden }: RefusalFacts): string {
  const say = texts[language];
  const own = toolNameOf(name);
  const isSame = (one: string): boolean => own !== undefined && (one === own || toolOfName(one, naming) === own);
  const same = offered.find(isSame);
  if (same !== undefined) return say.otherName(quote(name), same);
  const exists = hidden.some((one) => one === name || isSame(one));
  const what = exists ? say.forbidden(agent, quote(name), readOnly) : say.missing(quote(name));
  const listed = offered.slice(0, MAX_LISTED_NAMES);
  return `${what}${language === 'en' ? ' ' : ''}${say.instead(listed, offered.length - listed.length)}`;
}
