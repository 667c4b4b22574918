import { quotePath } from '@cairn/tool/paths';
import { countOf, formatCount } from './text.ts';

const MAX_NAMED = 3;

export function unreadableNotice(
  count: number,
  singular: string,
  plural: string,
  paths: readonly string[] = [],
): string[] {
  if (count === 0) return [];
  const named = paths.slice(0, MAX_NAMED).map(quotePath);
  const more = named.length > 0 && count > named.length ? ` and ${formatCount(count - named.length)} more` : '';
  const names = named.length > 0 ? `: ${named.join(', ')}${more}` : '';
  return [`skipped ${countOf(count, singular, plural)} because of a read error${names}; check the permissions`];
}
