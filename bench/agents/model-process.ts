/** Starts the model server of the benchmark, and reads what it measured. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Answer, Measured } from './server.ts';

export interface ModelProcess {
  readonly url: string;
  /** The model for the AI SDK. */
  readonly model: ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;
  /** Returns the measurements since the last call. */
  readonly measured: () => Promise<Measured>;
  readonly close: () => void;
}

export async function startModel(script: readonly Answer[]): Promise<ModelProcess> {
  const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [JSON.stringify(script)]);
  const [port] = (await once(child, 'message')) as [number];
  const url = `http://127.0.0.1:${port}/v1`;
  const measured = async (): Promise<Measured> => {
    const answer = once(child, 'message') as Promise<[Measured]>;
    child.send('measured');
    return (await answer)[0];
  };
  const provider = createOpenAICompatible({ name: 'bench', baseURL: url, includeUsage: true });
  return { url, model: provider.chatModel('scripted'), measured, close: () => child.disconnect() };
}
