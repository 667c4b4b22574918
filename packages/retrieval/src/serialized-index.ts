import { RetrievalError } from './errors.ts';
import { TERMS_VERSION } from './terms.ts';

/** The contents of a term index in columns. Slots are positions in the columns of documents. */
export interface IndexColumns {
  readonly ids: readonly string[];
  readonly times: readonly number[];
  /** The number of terms of each document. */
  readonly lengths: readonly number[];
  readonly terms: readonly string[];
  /** For each term: a slot, the frequency of the term in that document, the next slot, and so on, slots ascending. */
  readonly postings: readonly (readonly number[])[];
}

/** Raised with every change of the format. */
const FORMAT_VERSION = 1;
const FORMAT = 'cairn-term-index';

/** The first line of a serialized index. The second line is the columns. */
interface Header {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** The rules that split texts into terms. */
  readonly terms: number;
  /** Which characters are letters depends on the version of Unicode. */
  readonly unicode: string;
  readonly sequence: number;
  readonly checksum: number;
}

const unicode = process.versions['unicode'] ?? 'unknown';

/** FNV-1a over UTF-16 code units: finds damage, not forgery. */
function checksumOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function corrupt(problem: string, cause?: unknown): RetrievalError {
  const message = `The serialized term index ${problem}; delete it and build the index again.`;
  return new RetrievalError('CORRUPT_INDEX', message, cause === undefined ? {} : { cause });
}

/** Writes an index as two lines of JSON: a header, and the columns. */
export function writeIndex(columns: IndexColumns, sequence: number): string {
  if (!Number.isSafeInteger(sequence) || sequence < 0) {
    throw new RetrievalError('INVALID_OPTION', `invalid sequence ${sequence}; use a whole number from 0.`, {
      option: 'sequence',
    });
  }
  const body = JSON.stringify(columns);
  const header: Header = {
    format: FORMAT,
    version: FORMAT_VERSION,
    terms: TERMS_VERSION,
    unicode,
    sequence,
    checksum: checksumOf(`${sequence} ${body}`),
  };
  return `${JSON.stringify(header)}\n${body}`;
}

function readHeader(line: string): Header {
  let header: Partial<Record<keyof Header, unknown>> | null;
  try {
    header = JSON.parse(line) as typeof header;
  } catch (error) {
    throw corrupt('has no readable header', error);
  }
  if (header?.format !== FORMAT) throw corrupt('has another format');
  const { version, terms, unicode: characters } = header;
  if (version !== FORMAT_VERSION || terms !== TERMS_VERSION || characters !== unicode) {
    const found = `format ${String(version)}, terms ${String(terms)}, Unicode ${String(characters)}`;
    const expected = `format ${FORMAT_VERSION}, terms ${TERMS_VERSION}, Unicode ${unicode}`;
    throw new RetrievalError(
      'UNSUPPORTED_INDEX',
      `The serialized term index has ${found}, not ${expected}; build the index again.`,
    );
  }
  return header as Header;
}

function isWhole(value: unknown, from: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= from;
}

/** Checks the columns. The checksum finds damage; this finds a faulty writer, because a wrong slot gives a wrong ranking. */
function checkColumns({ ids, times, lengths, terms, postings }: Partial<IndexColumns>): void {
  const lists = [ids, times, lengths, terms, postings];
  if (!lists.every((list) => Array.isArray(list))) throw corrupt('lacks a column');
  const [documents = [], , , vocabulary = [], byTerm = []] = lists as unknown[][];
  if (times?.length !== documents.length || lengths?.length !== documents.length) {
    throw corrupt('has columns of different lengths');
  }
  if (byTerm.length !== vocabulary.length) throw corrupt('has terms without postings');
  const isText = (value: unknown): boolean => typeof value === 'string';
  const isUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
  if (![documents, vocabulary].every((values) => values.every(isText) && isUnique(values))) {
    throw corrupt('has an id or a term that is repeated or is not a string');
  }
  if (!times.every((time) => Number.isFinite(time))) throw corrupt('has a document without a time');
  const counted = Array.from({ length: documents.length }, () => 0);
  for (const pairs of byTerm) {
    if (!Array.isArray(pairs) || pairs.length === 0 || pairs.length % 2 !== 0) throw corrupt('has malformed postings');
    let previous = -1;
    for (let at = 0; at < pairs.length; at += 2) {
      const slot: unknown = pairs[at];
      const frequency: unknown = pairs[at + 1];
      if (!isWhole(slot, previous + 1) || slot >= documents.length || !isWhole(frequency, 1)) {
        throw corrupt('has malformed postings');
      }
      counted[slot] = (counted[slot] ?? 0) + frequency;
      previous = slot;
    }
  }
  if (counted.some((count, slot) => count !== lengths[slot])) throw corrupt('has documents with missing terms');
}

/** Reads what {@link writeIndex} wrote. @throws {RetrievalError} `CORRUPT_INDEX`, `UNSUPPORTED_INDEX`. */
export function readIndex(text: string): { readonly columns: IndexColumns; readonly sequence: number } {
  const end = text.indexOf('\n');
  if (end === -1) throw corrupt('is cut');
  const { sequence, checksum } = readHeader(text.slice(0, end));
  const body = text.slice(end + 1);
  if (!isWhole(sequence, 0) || checksumOf(`${sequence} ${body}`) !== checksum) throw corrupt('was changed or is cut');
  // The checksum was made over JSON, so this throws only for a forged index.
  const columns = JSON.parse(body) as Partial<IndexColumns> | null;
  checkColumns(columns ?? {});
  return { columns: columns as IndexColumns, sequence };
}
