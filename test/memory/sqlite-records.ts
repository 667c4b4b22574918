import type { Draft } from '@cairn/memory';

export { forever as rule } from './backends.ts';

export const draft = (text: string): Draft => ({ before: `{"text":${JSON.stringify(text)},"time":`, after: '}' });
