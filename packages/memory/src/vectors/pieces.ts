/** Servers embed a limited string; a longer text is embedded in pieces. */

/** In UTF-16 code units: about 300 tokens of English, or 1,000 of Chinese. */
const PIECE_LENGTH = 1200;
/** A record is found by the meaning of its first pieces. */
const MAX_PIECES = 48;

/** Returns the place after the last paragraph, line, sentence or word that ends in the second half of a piece. */
function endOfPiece(text: string, from: number): number {
  const to = from + PIECE_LENGTH;
  if (to >= text.length) return text.length;
  const part = text.slice(from, to);
  for (const mark of ['\n\n', '\n', '. ', '。', ' ']) {
    const at = part.lastIndexOf(mark);
    if (at >= PIECE_LENGTH / 2) return from + at + mark.length;
  }
  // Not between the halves of a surrogate pair.
  const last = part.charCodeAt(part.length - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? to - 1 : to;
}

/** Divides a text, at the ends of paragraphs if possible. Blank pieces are left out. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length && pieces.length < MAX_PIECES;) {
    const to = endOfPiece(text, from);
    const piece = text.slice(from, to).trim();
    if (piece !== '') pieces.push(piece);
    from = to;
  }
  return pieces;
}
