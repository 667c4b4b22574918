import { expect, test } from 'vitest';
import { knowledgeDirectory } from './directory.ts';

const place = { home: '/home/me', platform: 'linux' } as const;

test.each([
  [{}, '/home/me/.local/share/cairn/knowledge'],
  [{ CAIRN_KNOWLEDGE_DIR: '' }, '/home/me/.local/share/cairn/knowledge'],
  [{ XDG_DATA_HOME: '/data' }, '/data/cairn/knowledge'],
  [{ CAIRN_KNOWLEDGE_DIR: '/team' }, '/team'],
])('the environment %j has the directory %s', (env, directory) => {
  expect(knowledgeDirectory({ ...place, env })).toBe(directory);
});

test('a relative path in the variable is rejected, because it would be passed over', () => {
  expect(() => knowledgeDirectory({ ...place, env: { CAIRN_KNOWLEDGE_DIR: 'team' } })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining('"team"') as string }),
  );
});
