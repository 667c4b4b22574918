import type { ResourceProvider } from '@cairn/tool';
import type { Workspace } from '../workspace.ts';
import { fileChanges } from './changes.ts';
import { completePath, FILE_TEMPLATE } from './completion.ts';
import { listResources } from './list.ts';
import { readResource } from './read.ts';

/** Makes the files below the roots readable as resources, under the sandbox and the ledger of a workspace. */
export function fileResources(workspace: Workspace, roots: readonly string[]): ResourceProvider {
  const places = { workspace, roots };
  return {
    templates: [FILE_TEMPLATE],
    changes: fileChanges(workspace, roots),
    list: (cursor, { signal }) => listResources(places, cursor, signal),
    read: (uri, { signal }) => readResource(workspace, uri, signal),
    complete: async ({ uriTemplate, argument, value }, { signal }) => {
      if (uriTemplate !== FILE_TEMPLATE.uriTemplate || argument !== 'path') return undefined;
      return completePath(places, value, signal);
    },
  };
}
