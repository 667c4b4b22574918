import { expect, test } from 'vitest';
import { remoteFailure, withoutCredentials } from './remote-failure.ts';

test.each([
  ['https://me:hunter2@example.com/x.git', 'https://example.com/x.git'],
  [
    "fatal: unable to access 'https://token@example.com/x': 403",
    "fatal: unable to access 'https://example.com/x': 403",
  ],
  ['ssh://git@example.com/x and https://a:b@c', 'ssh://example.com/x and https://c'],
  ['https://me:p@ss@example.com/x@y', 'https://example.com/x@y'],
  ['git@example.com:team/knowledge.git', 'git@example.com:team/knowledge.git'],
  ['/srv/a@b/x.git', '/srv/a@b/x.git'],
])('%s is shown as %s', (text, expected) => {
  expect(withoutCredentials(text)).toBe(expected);
});

/** What git, ssh and servers print, from their sources. */
test.each([
  [
    "fatal: the receiving end does not support this repository's hash algorithm\nfatal: the remote end hung up",
    'SHA-256',
  ],
  ['fatal: mismatched algorithms: client sha1; server sha256', 'SHA-256'],
  ["fatal: detected dubious ownership in repository at '/srv/x.git'", 'belongs to another user'],
  ["fatal: could not read Username for 'https://example.com': terminal prompts disabled", 'rejects access'],
  ['git@example.com: Permission denied (publickey).', 'rejects access'],
  ["fatal: unable to access 'https://example.com/x/': The requested URL returned error: 403", 'rejects access'],
  ['Host key verification failed.', 'host key'],
  ['ssh: Could not resolve hostname example.invalid: Name or service not known', 'cannot be reached'],
  ["fatal: unable to access 'http://127.0.0.1:9/': Failed to connect to 127.0.0.1 port 9", 'cannot be reached'],
  ["remote: Repository not found.\nfatal: repository 'https://example.com/x/' not found", 'is gone'],
  ["fatal: '/srv/x' does not appear to be a git repository", 'is gone'],
  ["fatal: transport 'ext' not allowed", 'protocol'],
  ['fatal: something else', 'rejects the request'],
])('%j is explained', (stderr, expected) => {
  expect(remoteFailure(stderr, 'why')).toMatchObject({
    code: 'REMOTE_FAILED',
    summary: expect.stringContaining(expected) as string,
  });
});
