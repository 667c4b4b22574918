/** Memory and knowledge accept and reject the same text, and name the same place. */
import { createKnowledge } from '@cairn/knowledge';
import { createMemory } from '@cairn/memory';
import { memory as inProcess } from '@cairn/memory/memory';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/tree.ts';

const joined = (...parts: readonly string[]): string => parts.join('');

const letters = 'Q7w2Er9Ty4Ui1Op6As3Df8Gh5Jk0Lz7Xc2Vb';

test.each([
  ['a token of an issuer', joined('ghp_', letters), true],
  ['a token with the letters of the alphabet', joined('ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789'), true],
  ['an authorization header', joined('Authorization: Bearer ', letters), true],
  ['a password of curl', 'curl -u admin:Zx9kQp2mVt https://ci.internal', true],
  ['random text', letters, true],
  ['a hash of a commit', '646e233d5b1b0f2f1c3f4f6a7b8c9d0e1f2a3b4c', false],
  ['an example of AWS', joined('AKIA', 'IOSFODNN7EXAMPLE'), false],
  ['a placeholder', 'Authorization: Bearer <token>', false],
])('%s', async (_, text, isSecret) => {
  const content = `# Access\n\nThe way in: ${text}\n`;
  await using memory = createMemory({ backend: inProcess(), project: 'p' });
  await using knowledge = createKnowledge({ backend: inProcess(), directory: temporaryDirectory() });
  const asset = { name: 'access', type: 'reference', title: 'Access', tags: ['a'], paths: [], body: content } as const;
  const [ofMemory, ofKnowledge] = await Promise.allSettled([
    memory.facts.remember(content),
    knowledge.store.add(asset),
  ]);
  for (const result of [ofMemory, ofKnowledge]) {
    expect(result.status).toBe(isSecret ? 'rejected' : 'fulfilled');
    if (result.status === 'fulfilled') continue;
    expect(result.reason).toMatchObject({ code: 'SECRET', message: expect.stringMatching(/line \d+, column \d+: /u) });
    expect(String(result.reason)).not.toContain(text);
  }
});
