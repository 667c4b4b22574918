import type { AssetHead, AssetKey } from '../assets/asset.ts';
import type { KnowledgeIndex } from '../index/knowledge-index.ts';

/** A `[[name]]` or `[[product_line/name]]` in the body of an asset. */
export interface AssetLink {
  /** The name as it is written. */
  readonly name: string;
  /**
   * The assets that it names, as `product_line/name`. None: no asset has the name. Several: assets of several product lines have it,
   * and none of the product line of the asset itself.
   */
  readonly assets: readonly string[];
}

const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/u;
/** With a heading, `[[name#heading]]`, or a label, `[[name|label]]`. */
const LINK = /\[\[([\p{L}\p{N}._/-]{1,500})(?:[#|][^[\]]*)?\]\]/gu;

/** Returns a line without its code: what is between two runs of as many backticks. */
function withoutInlineCode(line: string): string {
  if (!line.includes('`')) return line;
  // The runs have odd places.
  const parts = line.split(/(`+)/u);
  const last = new Map(parts.flatMap((part, place) => (place % 2 === 1 ? [[part, place]] : [])));
  let text = '';
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place] ?? '';
    if (place % 2 === 1 && (last.get(part) ?? 0) > place) place = parts.indexOf(part, place + 1);
    else text += part;
  }
  return text;
}

/** Returns the lines outside fenced code, which is left to its language: `[[ -f file ]]` is a test of a shell. */
function* textLines(body: string): Generator<string, void, void> {
  let fence: string | undefined;
  for (const line of body.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      fence = mark;
      if (mark === undefined) yield withoutInlineCode(line);
    } else if (mark?.startsWith(fence) === true && line.trim() === mark) {
      fence = undefined;
    }
  }
}

/** Returns the names that a body links to, each once, in their order. */
export function linkedNames(body: string): string[] {
  const names = new Set<string>();
  for (const line of textLines(body)) for (const [, name = ''] of line.matchAll(LINK)) names.add(name);
  return [...names];
}

/** Returns names without differences of case and of composed characters, as the local store compares them. */
export function comparableName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Returns the assets that a name may mean: those with this name, or with this id. */
export function headsNamed({ named }: Pick<KnowledgeIndex, 'named'>, name: string): readonly AssetHead[] {
  const wanted = comparableName(name);
  return named(name).filter((head) => comparableName(head.name) === wanted || comparableName(head.id) === wanted);
}

export function linksOf(
  asset: AssetKey & { readonly body: string },
  index: Pick<KnowledgeIndex, 'named'>,
): AssetLink[] {
  return linkedNames(asset.body).map((name) => {
    const named = headsNamed(index, name);
    const own = named.filter(({ productLine }) => productLine === asset.productLine);
    return { name, assets: (own.length > 0 ? own : named).map(({ id }) => id) };
  });
}
