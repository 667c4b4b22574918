/** The wordings that are compared. Both have the same index and tools. */

export interface Wording {
  readonly name: string;
  /** Makes the text at the start of a session from the payload. */
  readonly of: (payload: string) => string;
}

const plain = `Notes of the team are listed below, a line each: name|type|product line|title|tags|shared.

Before you answer, find the lines that are about the question.
1. One or two lines match: call get_asset with the name and the product line.
2. More lines match, none matches, or you are not sure: call search_knowledge with the words of the question, then get_asset for the best result.
3. The search finds nothing that answers: say that the notes do not answer it.`;

/** The index in a payload, with the statement about the lines that are missing. */
function indexOf(payload: string): string {
  const [, lines = ''] = /<!-- INDEX_START -->\n([^]*?)<!-- INDEX_END -->/u.exec(payload) ?? [];
  if (lines === '') throw new Error('the payload has no index');
  return lines;
}

export const wordings: readonly Wording[] = [
  { name: 'payload of a session', of: (payload) => payload },
  { name: 'short and plain', of: (payload) => `<cairn-knowledge>\n${plain}\n\n${indexOf(payload)}</cairn-knowledge>` },
];
