import type { Language } from '@cairn/tool/kernel';
import { checkArguments } from '../errors.ts';
import { fileNotes, ToolError } from '@cairn/tool';
import type { FileNoteSource, ResourceProvider, ToolSet, ToolSetContext } from '@cairn/tool';
import type { Knowledge } from '../create-knowledge.ts';
import type { Stack } from '../stack/stack.ts';
import { sessionRecall } from '@cairn/memory/tools';
import { assetsPart } from '../recall/assets-part.ts';
import { createKnowledgeTools } from './knowledge-tools.ts';
import { SessionReader } from './session-reader.ts';
import { toolTexts } from './texts.ts';
import { asToolErrors } from './tool-errors.ts';

export interface KnowledgeToolSetOptions {
  /**
   * Opens the knowledge. The first call of a tool opens it, for all sessions; after a failure the next call tries again. The set
   * closes it.
   */
  readonly open: () => Promise<Knowledge>;
  /** Returns whether the store exists. Without it, reading a file opens no store, and the instructions are short. @default it exists */
  readonly exists?: (() => boolean) | undefined;
  /** The language of texts for a model. @default 'en' */
  readonly language?: Language | undefined;
}

const INDEX_RESOURCE = {
  uri: 'cairn://knowledge/index',
  name: 'knowledge-index',
  title: 'Index of the knowledge',
  description: 'The assets of the team, a line each, as in AGENTS-INDEX.md.',
  mimeType: 'text/markdown',
} as const;

/** Offers the index as a resource. Hosts that run hooks have it in the context of each session. */
function indexResource(open: () => Promise<Knowledge>): ResourceProvider {
  return {
    listOrder: -1,
    list: async (cursor) => {
      if (cursor === undefined) return { resources: [INDEX_RESOURCE] };
      throw new ToolError('INVALID_INPUT', ['The cursor is invalid', 'List again without a cursor.']);
    },
    read: (uri, { signal }) =>
      asToolErrors(async () => {
        if (uri !== INDEX_RESOURCE.uri) return undefined;
        const { text } = await (await open()).index.document({ signal });
        return [{ uri, mimeType: INDEX_RESOURCE.mimeType, text }];
      }),
  };
}

/**
 * Creates the tool set of the knowledge, for a server or an agent. All sessions share it. Its tools have their own names in every
 * naming profile.
 *
 * Reading or changing a file with the tools of a session adds the index lines of the assets that are about it to the answer, each
 * asset once in a session.
 */
export function createKnowledgeToolSet(options: KnowledgeToolSetOptions): ToolSet {
  checkArguments.options('createKnowledgeToolSet', options, {
    open: 'required',
    exists: 'optional',
    language: 'optional',
  });
  const { language = 'en', exists = () => true } = options;
  const texts = toolTexts[language];
  let opening: Promise<Knowledge> | undefined;
  const open = (): Promise<Knowledge> => {
    opening ??= options.open().then(
      (knowledge) => {
        // In the background: the first search or read of a hot asset may come later, and a failure shows there.
        void Promise.all([knowledge.layers.preload(), knowledge.hot.preload()]).catch(() => undefined);
        return knowledge;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };

  return {
    name: 'knowledge',
    open: ({ roots, session, readOnly, signal, hidden }: ToolSetContext) => {
      if (hidden?.has('knowledge') === true) return { tools: {} };
      let stack: Promise<Stack | undefined> | undefined;
      const readStack = async (): Promise<Stack> => (await import('../stack/detect-stack.ts')).detectStack(roots[0]);
      const tools = createKnowledgeTools({
        open,
        language,
        texts,
        reader: new SessionReader(),
        session: session.id,
        readOnly,
        stack: () => (stack ??= readStack().catch(() => undefined)),
        readMemory: (...given) => sessionRecall(session).read(...given),
      });
      const recall = sessionRecall(session);
      recall.add([assetsPart({ open, exists })]);
      recall.offersGetAsset();
      recall.sharesBy(async (fact, signal) => {
        if (!exists()) return undefined;
        const { findShared } = await import('../layers/share.ts');
        return (await findShared((await open()).store, fact, { signal }))?.id;
      });
      let source: FileNoteSource | undefined;
      const remove = fileNotes(session).add(async (files, call) => {
        if (opening === undefined && !exists()) return undefined;
        const { createFileNoteSource } = await import('./about-files.ts');
        source ??= createFileNoteSource(open, { roots, texts });
        return source(files, call);
      });
      signal.addEventListener('abort', remove, { once: true });
      const isEmpty = opening === undefined && !exists();
      const instructions = isEmpty ? texts.emptyInstructions(readOnly) : texts.instructions(readOnly);
      return { tools, resources: indexResource(open), instructions };
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
