import type { Knowledge } from '@cairn/knowledge';
import type { Language } from '@cairn/tool/kernel';

/** The largest section, in UTF-16 code units: as much as other hosts keep of the same text. */
const MAX_CHARACTERS = 9500;

/** Returns the index of the knowledge for a project. A store that cannot be read does not keep an agent from its work. */
export async function knowledgeSection(
  knowledge: Pick<Knowledge, 'payload'> | undefined,
  { root, language, tools }: { readonly root: string; readonly language: Language; readonly tools: readonly string[] },
): Promise<{ readonly text: string; readonly problem?: string }> {
  try {
    // An agent has its tools only.
    const of = { project: root, language, tools, hasCommands: false };
    return { text: (await knowledge?.payload({ ...of, maxCharacters: MAX_CHARACTERS, omitEmpty: true })) ?? '' };
  } catch (error) {
    return { text: '', problem: error instanceof Error ? error.message : String(error) };
  }
}
