/** Whether the calls of a model follow the layers. */

/** A call of a tool. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** What the layers ask for. */
export interface Expected {
  /** The ids of assets in lines of the payload that have all words of the question. */
  readonly exact: readonly string[];
  /** The ids that a search shows, best first. */
  readonly found: readonly string[];
  /** Whether the search has an answer that is not marked. */
  readonly isAnswered: boolean;
}

/** More exact lines than this need a search. */
const MAX_READ = 2;

function textOf(input: unknown, key: string): string {
  const value = typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Returns whether a call of `get_asset` names the asset: `product_line/name`, or its name alone. */
export function reads({ name, input }: Call, id: string): boolean {
  if (name !== 'get_asset') return false;
  const asked = textOf(input, 'name');
  const line = textOf(input, 'product_line');
  return asked === id || (line === '' ? id.endsWith(`/${asked}`) : `${line}/${asked}` === id);
}

/**
 * Returns whether the calls follow the layers:
 *
 * - One or two exact lines: the first call reads one of them.
 * - Otherwise the texts are searched before an asset is read; scans of the index may come before. When the search has an answer, one
 *   of its results is read.
 */
export function followsLayers(calls: readonly Call[], { exact, found, isAnswered }: Expected): boolean {
  const own = calls.filter(({ name }) => name === 'get_asset' || name === 'search_knowledge');
  const [first] = own;
  if (first === undefined) return false;
  if (exact.length > 0 && exact.length <= MAX_READ) return exact.some((id) => reads(first, id));
  if (first.name !== 'search_knowledge') return false;
  return !isAnswered || own.some((call) => found.some((id) => reads(call, id)));
}
