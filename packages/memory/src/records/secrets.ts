import { findStoredSecrets } from '@cairn/tool/internal';

/** The secrets in a string that a call stored. */
export interface FoundSecrets {
  /**
   * The kinds of the secrets that the text seems to have, such as `GitHub token`. A message or a note records a conversation,
   * so that it is stored all the same.
   */
  readonly secrets?: readonly string[];
}

export function secretsIn(text: string): FoundSecrets {
  const kinds = [...new Set(findStoredSecrets(text).map(({ kind }) => kind))];
  return kinds.length === 0 ? {} : { secrets: kinds };
}
