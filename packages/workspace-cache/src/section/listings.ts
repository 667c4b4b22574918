import type { DynamicListing, ListedItem } from '../data.ts';
import { sequenceOf } from '../listings/dynamic-listings.ts';
import { isDirectoryItem, itemsOf } from '../listings/items.ts';
import { escapeName, escapePath } from '../tree/escape.ts';
import { fits, largestFitting, type Budget } from '../tree/budget.ts';
import { fenced } from './template.ts';
import type { SectionStyle } from './section.ts';
import { sectionTexts } from './texts.ts';

/** A kept listing and the path that its caller named. */
export type PathListing = readonly [path: string, listing: DynamicListing];

function nameOf(item: ListedItem, below: string): string {
  const name = `${escapePath(below)}${isDirectoryItem(item) === true ? '/' : ''}`;
  const { target } = item;
  return typeof target === 'string' ? `${name} -> ${escapeName(target)}` : name;
}

function linesOf([path, { items, cachedAt }]: PathListing, { language, showTime }: SectionStyle): string[] {
  const texts = sectionTexts[language];
  const found = itemsOf(items, [path]) ?? [];
  const facts = [...(found.length === 0 ? [texts.emptyListing] : []), ...(showTime ? [texts.listedAt(cachedAt)] : [])];
  const heading = `${escapePath(path.replace(/\/+$/u, ''))}/`;
  return [
    facts.length === 0 ? heading : `${heading} (${facts.join(', ')})`,
    ...new Set(found.map(({ item, below }) => `  ${nameOf(item, below)}`)),
  ];
}

/** Writes the names of kept listings, as many as the budget allows: the oldest leave first. Returns the listings that it shows. */
export function renderListings(
  listings: readonly PathListing[],
  style: SectionStyle,
  budget: Budget,
): { readonly text: string; readonly shown: readonly PathListing[] } {
  const texts = sectionTexts[style.language];
  if (listings.length === 0) return { text: '', shown: [] };
  const newestFirst = listings.toSorted(([, left], [, right]) => sequenceOf(right) - sequenceOf(left));
  const lines = new Map(newestFirst.map((one) => [one, linesOf(one, style)] as const));
  const { list = 'ls' } = style.toolNames;
  const write = (count: number): string => {
    const byBytes = newestFirst
      .slice(0, count)
      .toSorted(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    const shown = byBytes.flatMap((one) => lines.get(one) ?? []);
    const rest = listings.length - count;
    const body = [...shown, ...(rest > 0 ? [texts.moreListings(rest)] : [])].join('\n');
    return [texts.dynamicHeading(list), texts.dynamicIntro, fenced(body)].join('\n\n');
  };
  const count = largestFitting(listings.length, (most) => fits(write(most), budget));
  if (count !== undefined) return { text: write(count), shown: newestFirst.slice(0, count) };
  const line = texts.moreListings(listings.length);
  return { text: fits(line, budget) ? line : '', shown: [] };
}
