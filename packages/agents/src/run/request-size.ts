import { bytesOf, tokensOf } from '@cairn/context/internal';
import type { CountTokens } from '@cairn/tool/prompt';
import { systemText } from '../prompt/system-prompt.ts';
import type { PreparedRequest, PreparedTool, RequestSize } from './agents.ts';

function sum<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((total, item) => total + sizeOf(item), 0);
}

function withTotal(sizes: Omit<RequestSize, 'total'>): RequestSize {
  return { ...sizes, total: sizes.system + sizes.messages + sizes.tools };
}

export function sizesOf(
  { system, messages, tools }: Pick<PreparedRequest, 'system' | 'messages' | 'tools'>,
  countTokens: CountTokens,
): Pick<PreparedRequest, 'tokens' | 'bytes'> {
  const bytesOfTool = ({ tokens: _, ...tool }: PreparedTool): number => Buffer.byteLength(JSON.stringify(tool));
  return {
    tokens: withTotal({
      system: sum(system, ({ tokens }) => tokens),
      messages: sum(messages, (message) => tokensOf(message, countTokens)),
      tools: sum(tools, ({ tokens }) => tokens),
    }),
    bytes: withTotal({
      system: Buffer.byteLength(systemText(system)),
      messages: sum(messages, bytesOf),
      tools: sum(tools, bytesOfTool),
    }),
  };
}
