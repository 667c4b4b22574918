/** What a product of the matrix can do. Nothing here imports one, so that a test can use the cases without the peers. */

/** A replacement of one text by another. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

/** What a tool answered. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

/** The tools of a product at work in a directory. Paths are relative to it, or absolute. */
export interface Session {
  read(path: string): Promise<Answer>;
  write(path: string, content: string): Promise<Answer>;
  edit(path: string, edits: readonly Edit[]): Promise<Answer>;
  close(): Promise<void>;
}

export interface Product {
  readonly name: string;
  /** `state` is a directory for what a product keeps outside of the tree. */
  open(root: string, state: string): Promise<Session>;
}

/** The shape of our tools that the matrix needs. */
interface CairnTools {
  readonly read: CairnTool<{ path: string }>;
  readonly write: CairnTool<{ path: string; content: string }>;
  readonly edit: CairnTool<{ path: string; edits: { old_text: string; new_text: string }[] }>;
}

interface CairnTool<Input> {
  execute(input: Input): Promise<CairnAnswer>;
}

interface CairnAnswer {
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** Our tools, made from the package. */
export function cairnProduct(create: (options: { root: string; stateDirectory: string }) => CairnTools): Product {
  const answerOf = async (answer: Promise<CairnAnswer>): Promise<Answer> => {
    const { isError, content } = await answer;
    return { isError, text: content.map(({ type, text }) => text ?? `[${type}]`).join('\n') };
  };
  return {
    name: 'cairn',
    open: async (root, stateDirectory) => {
      const { read, write, edit } = create({ root, stateDirectory });
      return {
        read: (path) => answerOf(read.execute({ path })),
        write: (path, content) => answerOf(write.execute({ path, content })),
        edit: (path, edits) =>
          answerOf(
            edit.execute({ path, edits: edits.map((one) => ({ old_text: one.oldText, new_text: one.newText })) }),
          ),
        close: async () => undefined,
      };
    },
  };
}
