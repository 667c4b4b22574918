import { parseGlossary } from '@cairn/retrieval';
import type { AssetFields } from './asset.ts';

const block = /^(?<fence>`{3,}|~{3,})glossary[^\n]*\n(?<lines>[^]*?)^\k<fence>/gmu;
const fence = /^(?:`{3,}|~{3,}).*$/gmu;

/**
 * Returns the lines of a glossary asset that relate words, in the format of `parseGlossary`: those of its blocks `glossary`, or, in an
 * asset without such a block, its whole body if most of its lines relate words. Most glossary assets define words in prose, and
 * have none.
 */
export function relationsIn({ type, status }: Pick<AssetFields, 'type' | 'status'>, body: string): string | undefined {
  if (type !== 'glossary' || status !== 'active') return undefined;
  const text = body.replaceAll('\r\n', '\n');
  const blocks = Array.from(text.matchAll(block), ({ groups }) => groups?.['lines'] ?? '');
  if (blocks.length > 0) return blocks.join('');
  const lines = text.replaceAll(fence, '');
  const { groups, problems } = parseGlossary(lines);
  return groups.length > problems.length ? lines : undefined;
}
