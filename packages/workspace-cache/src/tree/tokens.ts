import { ToolError } from '@cairn/tool';
import { estimateTokens } from '@cairn/tool/prompt';
import type { CountTokens } from '@cairn/tool/prompt';

/** Counts the tokens of a text. @throws {ToolError} `INVALID_OPTION` when an injected function returns no number. */
export function countTokensOf(text: string, countTokens: CountTokens = estimateTokens): number {
  const tokens: unknown = countTokens(text);
  if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens;
  throw new ToolError('INVALID_OPTION', [`countTokens returned ${String(tokens)}`, 'Return a number from 0.']);
}
