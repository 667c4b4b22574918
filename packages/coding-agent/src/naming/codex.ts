import type { Profile } from './profile.ts';

export const codex: Profile = {
  apply_patch: { tool: 'patch', parameters: { input: 'patch' } },
  read_file: { tool: 'read', parameters: { file_path: 'path', offset: 'offset', limit: 'limit' } },
  view_image: {
    tool: 'read',
    parameters: { path: 'path' },
    accepts: ['offset'],
    description: 'View an image.',
  },
  list_dir: { tool: 'ls', parameters: { dir_path: 'path', limit: 'limit', depth: 'depth' }, accepts: ['skip'] },
  grep_files: {
    tool: 'grep',
    parameters: { pattern: 'pattern', include: 'glob', path: 'path', limit: 'limit' },
    accepts: ['ignored', 'skip'],
    adapt: (renamed) => ({ ...renamed, mode: 'files' }),
    description: 'List the files whose contents match a regular expression.',
  },
};
