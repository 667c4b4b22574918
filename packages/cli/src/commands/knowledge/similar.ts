import type { SearchResult } from '@cairn/knowledge';
import { CommandError } from '../../terminal/errors.ts';

/** Names the assets that may say the same, and returns the error that nothing was added. */
export function refuseSimilarAssets(
  similar: readonly SearchResult[],
  notice: (text: string) => void,
  fix: string,
): CommandError {
  for (const one of similar) notice(`similar: ${one.id}: ${one.title}`);
  const ids = similar.map((one) => one.id).join(', ');
  return new CommandError({
    code: 'SIMILAR_ASSETS',
    message: `similar assets exist: ${ids}; nothing was added`,
    fix: `use ${fix}`,
    changed: false,
  });
}
