import type { ResourceProvider } from '@cairn/tool';
import { ToolError } from '@cairn/tool';
import type { Memory } from '../memory.ts';
import { factStream } from './tool-context.ts';
import { asToolErrors } from './tool-errors.ts';

/** The URI of what a session should know at its start. */
const START_URI = 'cairn://memory/start';

const RESOURCE = {
  uri: START_URI,
  name: 'memory-start',
  title: 'Memory at the start of a session',
  description: 'The pinned and the newest facts of this project and of the user.',
  mimeType: 'text/plain',
} as const;

/** Offers the start block as a resource. Hosts that run hooks use `cairn memory start` instead. */
export function startResource(open: () => Promise<Memory>, stream: string): ResourceProvider {
  return {
    list: async (cursor) => {
      if (cursor === undefined) return { resources: [RESOURCE] };
      throw new ToolError('INVALID_INPUT', ['The cursor is invalid', 'List again without a cursor.']);
    },
    read: (uri, { signal }) =>
      uri === START_URI
        ? asToolErrors(async () => {
            const { facts } = await open();
            const text = await facts.startBlock({ ...factStream(stream), signal });
            return [{ uri, mimeType: RESOURCE.mimeType, text }];
          })
        : Promise.resolve(undefined),
  };
}
