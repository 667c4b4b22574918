import { isObject } from '@cairn/tool';
import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible';

/** Returns a count of tokens; `undefined` for what is not one. Some servers write numbers as text. */
function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? Math.round(count) : undefined;
}

function countsOf(value: unknown, names: readonly string[]): Record<string, number> | undefined {
  if (!isObject(value)) return undefined;
  const counts = names.flatMap((name) => {
    const count = countOf(value[name]);
    return count === undefined ? [] : [[name, count] as const];
  });
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

const DETAILS = { prompt_tokens_details: ['cached_tokens'], completion_tokens_details: ['reasoning_tokens'] };

export function readableUsage(usage: unknown): object | undefined {
  const counts = countsOf(usage, ['prompt_tokens', 'completion_tokens', 'total_tokens']);
  if (counts === undefined || !isObject(usage)) return undefined;
  const details = Object.entries(DETAILS).map(([name, names]) => [name, countsOf(usage[name], names)] as const);
  return { ...counts, ...Object.fromEntries(details.filter(([, found]) => found !== undefined)) };
}

type ConvertUsage = NonNullable<OpenAICompatibleProviderSettings['convertUsage']>;

/** Converts a usage. A count that the server left out is unknown, and not 0. */
export const convertUsage: ConvertUsage = (usage) => {
  const input = usage?.prompt_tokens ?? undefined;
  const output = usage?.completion_tokens ?? undefined;
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? undefined;
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? undefined;
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : Math.max(0, input - (cached ?? 0)),
      cacheRead: cached,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0)),
      reasoning,
    },
    ...(usage !== undefined && usage !== null && { raw: usage as never }),
  };
};
