/** How the front matter of two versions of an asset is merged, field by field. */
import { isDeepStrictEqual } from 'node:util';
import type { Document } from 'yaml';
import { parseYaml, splitFrontMatter, type FrontMatter, type ParsedYaml } from './front-matter.ts';
import { formatYaml } from './markdown.ts';

/** Three versions of one text. `base`: what both sides had last. */
export interface Sides {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Lists whose items are added and removed by both sides. */
const LISTS: ReadonlySet<string> = new Set(['tags', 'paths']);
/** A day: the later one is right. */
const DAY = 'verified_at';
const ISO_DAY = /^\d{4}-\d\d-\d\d$/u;

function listOf(value: unknown): readonly unknown[] | undefined {
  return value === undefined ? [] : Array.isArray(value) ? (value as readonly unknown[]) : undefined;
}

/** Merges the values of a field that both sides changed; `undefined` when only a person can. */
function mergeValue(name: string, { base, mine, theirs }: Readonly<Record<keyof Sides, unknown>>): unknown {
  if (name === DAY) {
    const isDay = (value: unknown): value is string => typeof value === 'string' && ISO_DAY.test(value);
    if (!isDay(mine) || !isDay(theirs)) return undefined;
    return mine > theirs ? mine : theirs;
  }
  const [before, own, other] = [base, mine, theirs].map(listOf);
  if (!LISTS.has(name) || before === undefined || own === undefined || other === undefined) return undefined;
  const has = (list: readonly unknown[], item: unknown): boolean => list.some((one) => isDeepStrictEqual(one, item));
  const kept = other.filter((item) => has(own, item) || !has(before, item));
  return [...kept, ...own.filter((item) => !has(before, item) && !has(other, item))];
}

function setValue(document: Document, name: string, value: unknown): void {
  const node = document.createNode(value);
  document.set(name, Array.isArray(value) ? Object.assign(node, { flow: true }) : node);
}

/** Returns whether one side has a comment that the other one lacks, which a merge of fields would drop. */
function hasOwnComment(mine: string, theirs: string): boolean {
  const lines = new Set(theirs.split(/\r?\n/u));
  return mine.split(/\r?\n/u).some((line) => line.includes('#') && !lines.has(line));
}

/**
 * Merges front matter by its fields, into the form that the other side wrote.
 *
 * @returns the front matter up to the body; `undefined` when both sides changed a field in different ways, or it is not readable.
 */
export function mergeFields(sides: Sides): string | undefined {
  const read = (text: string): { readonly parts: FrontMatter; readonly yaml: ParsedYaml } => {
    const parts = splitFrontMatter(text, {});
    return { parts, yaml: parseYaml(parts.yaml, {}) };
  };
  try {
    const [base, mine, theirs] = [read(sides.base), read(sides.mine), read(sides.theirs)];
    const { document } = theirs.yaml;
    const { start, end, yaml } = theirs.parts;
    if (hasOwnComment(mine.parts.yaml, yaml)) return undefined;
    let isChanged = false;
    for (const name of new Set([
      ...mine.yaml.values.keys(),
      ...theirs.yaml.values.keys(),
      ...base.yaml.values.keys(),
    ])) {
      const values = {
        base: base.yaml.values.get(name),
        mine: mine.yaml.values.get(name),
        theirs: theirs.yaml.values.get(name),
      };
      if (isDeepStrictEqual(values.mine, values.theirs) || isDeepStrictEqual(values.mine, values.base)) continue;
      isChanged = true;
      if (!isDeepStrictEqual(values.theirs, values.base)) {
        const merged = mergeValue(name, values);
        if (merged === undefined) return undefined;
        setValue(document, name, merged);
      } else if (values.mine === undefined) document.delete(name);
      // With the quotes that it is written with.
      else document.set(name, mine.yaml.document.get(name, true));
    }
    const newline = start.endsWith('\r\n') ? '\r\n' : '\n';
    return `${start}${isChanged ? formatYaml(document).replaceAll('\n', newline) : yaml}${end}`;
  } catch {
    return undefined;
  }
}
