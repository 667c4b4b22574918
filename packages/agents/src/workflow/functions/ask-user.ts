import type { Language } from '@cairn/tool/kernel';
import { z } from 'zod';
import type { WorkflowFunction } from '../types.ts';

const texts = {
  en: { description: 'Asks the user. The workflow waits for the answer.', question: 'the question' },
  zh: { description: '询问用户。工作流等待回答。', question: '问题' },
} as const;

export const ASK_USER = 'ask_user';

/** Returns the function that asks the user. The loop serves its calls: it lets the workflow wait. */
export function askUserFunction(language: Language): WorkflowFunction {
  const { description, question } = texts[language];
  return {
    name: ASK_USER,
    toolName: ASK_USER,
    description,
    inputSchema: z.strictObject({ question: z.string().trim().min(1).describe(question) }),
    aliases: ['询问用户', 'ask user', 'ask'],
    isReadOnly: false,
    execute: async () => ({ output: 'The user cannot be asked here.', isError: true }),
  };
}
