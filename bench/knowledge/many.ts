import { formatAsset } from '@cairn/knowledge';
import { hashOf } from '@cairn/knowledge/internal';
import type { AssetType, Knowledge } from '@cairn/knowledge';

export interface Text {
  readonly name: string;
  readonly title: string;
  readonly productLine: string;
  readonly body: string;
  readonly type?: AssetType;
  readonly tags?: readonly string[];
}

const BATCH = 500;

/** Adds texts as a pull of the team store does, which does not reject the secrets that documentation has as examples. */
export async function fill({ store }: Knowledge, texts: readonly Text[]): Promise<void> {
  for (let from = 0; from < texts.length; from += BATCH) {
    const changes = texts.slice(from, from + BATCH).map(({ body, type = 'reference', ...fields }) => {
      const text = formatAsset({ ...fields, type }, body);
      const team = { hash: hashOf(text), oid: '0'.repeat(40) };
      return { id: `${fields.productLine}/${fields.name}`, version: undefined, text, team };
    });
    const result = await store.applyTeam(changes);
    if (!result.isDone) throw new Error(`assets exist: ${result.changed.join(', ')}`);
  }
}
