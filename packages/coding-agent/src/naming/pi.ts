import { camelEdits, type Profile } from './profile.ts';

export const pi: Profile = {
  read: { tool: 'read', parameters: { path: 'path', offset: 'offset', limit: 'limit' } },
  write: { tool: 'write', parameters: { path: 'path', content: 'content' } },
  edit: camelEdits,
  grep: {
    tool: 'grep',
    parameters: {
      pattern: 'pattern',
      path: 'path',
      glob: 'glob',
      ignoreCase: 'ignore_case',
      literal: 'literal',
      context: 'context',
      limit: 'limit',
    },
    accepts: ['ignored', 'mode', 'skip'],
  },
  find: {
    tool: 'glob',
    parameters: { pattern: 'pattern', path: 'path', limit: 'limit' },
    accepts: ['hidden', 'ignored', 'skip'],
  },
  ls: { tool: 'ls', parameters: { path: 'path', limit: 'limit' }, accepts: ['skip'] },
};
