/** What the tests of histories share. */
import { openContexts } from '@cairn/context';
import type { ContextManager, ContextsOptions, UnifiedMessage } from '@cairn/context';
import type { MemoryBackend } from '@cairn/memory';

export const DAY = 86_400_000;

export const user = (content: string): UnifiedMessage => ({ role: 'user', content });
export const assistant = (content: string): UnifiedMessage => ({ role: 'assistant', content });

/** A turn with a tool call. */
export function turnOf(name: string): UnifiedMessage[] {
  const call = { toolCallId: `call ${name}`, toolName: 'read' };
  return [
    user(name),
    { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: name } }] },
    { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: name } }] },
    assistant(`${name} done`),
  ];
}

/** A message with a file of this many bytes. */
export function withFile(bytes: number, fill: number = 7): UnifiedMessage {
  return { role: 'user', content: [{ type: 'file', data: new Uint8Array(bytes).fill(fill), mediaType: 'image/png' }] };
}

/** Returns the content of a message that is a text. */
export function contentOf(message: UnifiedMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : '';
}

/** Opens the session `s` of a store. */
export async function openSession(
  store: ContextsOptions['store'],
  options: Omit<ContextsOptions, 'store'> = {},
): Promise<ContextManager> {
  return openContexts({ store, session: 's', ...options });
}

/** Returns the messages of an agent as a new manager reads them from the store. */
export async function storedMessages(
  store: ContextsOptions['store'],
  agent: string,
): Promise<readonly UnifiedMessage[]> {
  const manager = await openSession(store);
  return agent === '__main__' ? manager.main.conversationHistory : manager.getContext(agent).conversationHistory;
}

/** The calls of a store that an interceptor may replace. */
export type Interceptor = { readonly [Name in keyof MemoryBackend]?: MemoryBackend[Name] };

/** Returns a store in which some calls are replaced. */
export function intercepted(backend: MemoryBackend, replaced: (backend: MemoryBackend) => Interceptor): MemoryBackend {
  return { ...backend, ...replaced(backend) };
}
