export interface SniffedType {
  /** In words: `PNG image`. */
  readonly name: string;
  /** For images that models can view. */
  readonly imageType?: string;
}

/** Bytes as Latin-1 text. */
const signatures: readonly (SniffedType & { readonly bytes: string; readonly offset?: number })[] = [
  { bytes: '\x89PNG\r\n\x1a\n', name: 'PNG image', imageType: 'image/png' },
  { bytes: '\xff\xd8\xff', name: 'JPEG image', imageType: 'image/jpeg' },
  { bytes: 'GIF87a', name: 'GIF image', imageType: 'image/gif' },
  { bytes: 'GIF89a', name: 'GIF image', imageType: 'image/gif' },
  { bytes: 'WEBP', offset: 8, name: 'WebP image', imageType: 'image/webp' },
  { bytes: '%PDF-', name: 'PDF document' },
  { bytes: 'PK\x03\x04', name: 'ZIP archive, or a document made of one' },
  { bytes: '\x1f\x8b', name: 'gzip archive' },
  { bytes: '\x28\xb5\x2f\xfd', name: 'Zstandard archive' },
  { bytes: '\xfd7zXZ\0', name: 'xz archive' },
  { bytes: 'BZh', name: 'bzip2 archive' },
  { bytes: '7z\xbc\xaf\x27\x1c', name: '7z archive' },
  { bytes: 'ustar', offset: 257, name: 'tar archive' },
  { bytes: '\x7fELF', name: 'ELF program or library' },
  { bytes: 'MZ', name: 'Windows program or library' },
  { bytes: '\xcf\xfa\xed\xfe', name: 'macOS program or library' },
  { bytes: '\xca\xfe\xba\xbe', name: 'Java class or macOS program' },
  { bytes: '\0asm', name: 'WebAssembly module' },
  { bytes: 'SQLite format 3\0', name: 'SQLite database' },
  { bytes: '\0\0\x01\0', name: 'icon' },
  { bytes: 'BM', name: 'BMP image' },
  { bytes: 'II*\0', name: 'TIFF image' },
  { bytes: 'MM\0*', name: 'TIFF image' },
  { bytes: 'ftyp', offset: 4, name: 'MP4 video or HEIF image' },
  { bytes: 'ID3', name: 'MP3 audio' },
  { bytes: 'OggS', name: 'Ogg audio or video' },
  { bytes: 'wOF2', name: 'font' },
  { bytes: 'wOFF', name: 'font' },
];

export const SNIFF_BYTES = 512;

/** Returns the type of a file that starts with `head`; `undefined` when it is unknown. */
export function sniffType(head: Uint8Array): SniffedType | undefined {
  const text = Buffer.from(head.subarray(0, SNIFF_BYTES)).toString('latin1');
  return signatures.find(({ bytes, offset = 0 }) => text.startsWith(bytes, offset));
}
