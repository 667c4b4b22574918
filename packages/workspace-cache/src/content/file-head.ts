import type { OpenFile } from '@cairn/coding-agent';

export interface FileHead {
  /** Without a character that `maxBytes` cuts. */
  readonly text: string;
  /** The bytes of the whole file. */
  readonly size: number;
  /** Whether the text is all of the file. */
  readonly isWhole: boolean;
}

/** Reads the beginning of an open file; `undefined` when it has a NUL, as no text has. */
export async function headOf(file: OpenFile, maxBytes: number): Promise<FileHead | undefined> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.min(size, maxBytes));
  const bytes = buffer.subarray(0, await file.read(buffer, 0));
  if (bytes.includes(0)) return undefined;
  const isWhole = bytes.length === size;
  // A part may end within a character.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: !isWhole });
  return { text, size, isWhole };
}
