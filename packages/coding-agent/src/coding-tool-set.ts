import { checkArguments } from '@cairn/tool/kernel';
import { createSessionKey, fileNotes, type SessionKey, type ToolSet, type ToolSetContext } from '@cairn/tool';
import { createCodingTools } from './coding-tools.ts';
import type { NamingProfile } from './naming/profiles.ts';
import { fileResources } from './resources/provider.ts';
import { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

const workspaceKey: SessionKey<Workspace> = createSessionKey('cairn workspace');

export interface CodingToolSetOptions {
  /** See `WorkspaceOptions.stateDirectory`. */
  readonly stateDirectory?: string | undefined;
  /** See `WorkspaceOptions.watch`. */
  readonly watch?: boolean | undefined;
}

/**
 * Returns the workspace that all tool sets of a session share: what one of them reads counts as read for the others. The first
 * call of a session makes it, with its options: by `create`, such as one with other file operations, or by `createWorkspace`.
 *
 * @throws {ToolError} `INVALID_OPTION` when a root is not absolute.
 */
export function sessionWorkspace(
  context: Pick<ToolSetContext, 'roots' | 'session'>,
  options: CodingToolSetOptions & { readonly create?: ((options: WorkspaceOptions) => Workspace) | undefined } = {},
): Workspace {
  const { stateDirectory, watch, create = createWorkspace } = options;
  const { roots, session } = context;
  const [root, ...allowedRoots] = roots;
  return session.share(workspaceKey, () =>
    create({ root, policy: { allowedRoots }, stateDirectory, watch, fileNotes: fileNotes(session) }),
  );
}

/**
 * Makes the tool set of this package: read, write, edit, patch, delete, rename, glob, grep and ls, or a host's names for them, and
 * the files below the roots as resources.
 *
 * `open` throws a `ToolError` with `INVALID_OPTION` for an unknown naming profile.
 */
export function createCodingToolSet(options: CodingToolSetOptions = {}): ToolSet {
  checkArguments.options('createCodingToolSet', options, { stateDirectory: 'optional', watch: 'optional' });
  return {
    name: 'coding',
    open: (context) => {
      const workspace = sessionWorkspace(context, options);
      // An unknown name is rejected by `createCodingTools`.
      const naming = context.naming as NamingProfile;
      return { tools: createCodingTools({ workspace, naming }), resources: fileResources(workspace, context.roots) };
    },
  };
}

/** The tool set with its default options. */
export const codingToolSet: ToolSet = createCodingToolSet();
