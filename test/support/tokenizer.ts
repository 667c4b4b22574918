import { countTokens as count } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the tokens of a text with `o200k_base`, the encoding of the models of OpenAI since GPT-4o. */
export function countTokens(text: string): number {
  return count(text);
}
