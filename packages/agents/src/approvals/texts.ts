import type { Language } from '@cairn/tool/kernel';
import type { ApprovalOutcome } from './approvals.ts';

type Rejected = ApprovalOutcome & { readonly isAllowed: false };

const en: Readonly<Record<Rejected['by'], (tool: string, reason: string) => string>> = {
  person: (tool, reason) =>
    `The user rejected this call of ${tool}${reason}. Nothing was done. Do as the user says, and do not try the same in another way.`,
  rule: (tool, reason) => `This call of ${tool} is not allowed${reason}. Nothing was done. Work without it.`,
  nobody: (tool, reason) =>
    `This call of ${tool} needs the approval of the user, who cannot be asked here${reason}. Nothing was done. Work without it, and state in your answer what you could not do.`,
};

const zh: typeof en = {
  person: (tool, reason) =>
    `用户拒绝了这次 ${tool} 调用${reason}。未执行任何操作。请按用户的意思做，不要换一种方式重试。`,
  rule: (tool, reason) => `不允许这次 ${tool} 调用${reason}。未执行任何操作。请不用它继续工作。`,
  nobody: (tool, reason) =>
    `这次 ${tool} 调用需要用户批准，而此处无法询问用户${reason}。未执行任何操作。请不用它继续工作，并在回答中说明未能完成的部分。`,
};

const texts: Readonly<Record<Language, typeof en>> = { en, zh };

/** Returns the answer for the model to a call that did not run. How to allow it is for the user. */
export function rejection(tool: string, { by, reason }: Rejected, language: Language): string {
  const colon = language === 'en' ? ': ' : '：';
  return texts[language][by](tool, reason === undefined || by === 'nobody' ? '' : `${colon}${reason}`);
}
