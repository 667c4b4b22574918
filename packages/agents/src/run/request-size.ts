import { bytesOf, tokensOf } from '@cairn/context/internal';
import type { CountTokens } from '@cairn/tool/prompt';
import { systemText } from '../prompt/system-prompt.ts';
import type { PreparedRequest, PreparedTool, RequestSize } from './agents.ts';

function sumTokens(parts: readonly { readonly tokens: number }[]): number {
  return parts.reduce((total, { tokens }) => total + tokens, 0);
}

function bytesOfTool({ name, description, inputSchema }: PreparedTool): number {
  return Buffer.byteLength(JSON.stringify({ name, description, inputSchema }));
}

function withTotal(sizes: Omit<RequestSize, 'total'>): RequestSize {
  return { ...sizes, total: sizes.system + sizes.messages + sizes.tools };
}

/** Returns the size of what is sent. */
export function sizesOf(
  { system, messages, tools }: Pick<PreparedRequest, 'system' | 'messages' | 'tools'>,
  countTokens: CountTokens,
): Pick<PreparedRequest, 'tokens' | 'bytes'> {
  return {
    tokens: withTotal({
      system: sumTokens(system),
      messages: messages.reduce((sum, message) => sum + tokensOf(message, countTokens), 0),
      tools: sumTokens(tools),
    }),
    bytes: withTotal({
      system: Buffer.byteLength(systemText(system)),
      messages: messages.reduce((sum, message) => sum + bytesOf(message), 0),
      tools: tools.reduce((sum, tool) => sum + bytesOfTool(tool), 0),
    }),
  };
}
