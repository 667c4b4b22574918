import { z } from 'zod';
import { camelEdits, type Profile } from './profile.ts';

/** The maximum depth of `ls`. */
const DEEPEST = 20;

/** The tools as the file system server of MCP has them. */
export const mcpFs: Profile = {
  read_text_file: {
    tool: 'read',
    parameters: { path: 'path', offset: 'offset', limit: 'limit' },
    shape: { head: z.int().min(1).optional() },
    adapt: (renamed, { head }) => (head === undefined ? renamed : { ...renamed, limit: head }),
  },
  read_media_file: {
    tool: 'read',
    parameters: { path: 'path' },
    accepts: ['offset'],
    description: 'View an image.',
  },
  write_file: { tool: 'write', parameters: { path: 'path', content: 'content' } },
  edit_file: { ...camelEdits, shape: { ...camelEdits.shape, dryRun: z.boolean().optional() }, dryRun: 'dryRun' },
  move_file: { tool: 'rename', parameters: { source: 'from', destination: 'to' } },
  search_files: {
    tool: 'glob',
    parameters: { path: 'path', pattern: 'pattern' },
    accepts: ['hidden', 'ignored', 'skip'],
  },
  list_directory: { tool: 'ls', parameters: { path: 'path' }, accepts: ['skip'] },
  directory_tree: {
    tool: 'ls',
    parameters: { path: 'path' },
    accepts: ['skip'],
    adapt: (renamed) => ({ ...renamed, depth: DEEPEST }),
    description: 'List a directory and everything below it.',
  },
};
