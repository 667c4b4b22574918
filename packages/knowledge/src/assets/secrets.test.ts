import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { KnowledgeError } from '../errors.ts';
import { checkSecrets } from './secrets.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns letters and digits that a generator could have made, always the same for a number. */
function keyOf(seed: number): string {
  const digest = createHash('sha512').update(`seed ${seed}`).digest();
  return Array.from(digest.subarray(0, 40), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** Returns the line of the secret that is found. */
function lineOf(text: string): number | undefined {
  try {
    checkSecrets(text);
    return undefined;
  } catch (error) {
    return KnowledgeError.isInstance(error) && error.code === 'SECRET' ? error.line : undefined;
  }
}

test.each([
  [24, 900],
  [40, 980],
])('finds generated keys of %i characters that no form describes: more than %i of 1,000', (length, found) => {
  const lines = Array.from({ length: 1000 }, (_, seed) =>
    lineOf(`line\nthe value is ${keyOf(seed).slice(0, length)} there`),
  );
  expect(lines.filter((line) => line === 2).length).toBeGreaterThan(found);
});

test.each([
  ['a GitHub token', `token ghp_${keyOf(1).slice(0, 36)}`],
  ['an example of a token', `token ghp_${'abcdefghijklmnopqrstuvwxyz'}0123456789`],
  ['a password in a connection string', 'redis://app:Zx9kQp2mVt@cache:6379'],
  ['an assignment', 'password: Zx9kQp2mVt4L'],
  ['a generated value of a variable', `export STRIPE=${keyOf(2)}`],
  ['a generated key at the end of a sentence', `Use ${keyOf(3)}.`],
])('rejects %s', (_, text) => {
  expect(() => checkSecrets(text)).toThrow(expect.objectContaining({ code: 'SECRET' }));
});

test.each([
  ['a commit', 'see 646e233d5b1b0f2f1c3f4f6a7b8c9d0e1f2a3b4c'],
  [
    'a digest of a package',
    'integrity: sha512-4SpNtgVXWrMh4Mhx3qNcm2mSZQzZrsm1Yxb2C9J5YkZ0vQ8fYq1n7sR3tU5wX7yZ9aBcDeFgHiJkLmNo==',
  ],
  ['a public key', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx3Yz9kQp2mVt4LrT8sWq1nB5vC7xZ0aS3dF6gH9jK2'],
  ['an identifier', 'call convertUint8ArrayToBase64 or createKnowledgeToolSetForTests2'],
  ['an address', 'https://docs.example.com/document/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYz/edit'],
  ['a parameter of an address', `/watch?v=${keyOf(4)}&amp;si=${keyOf(5)}`],
  ['a name of a file', `chunk ${keyOf(6)}.js`],
  ['a name', 'redis-cluster-failover-2026-01-28-Exchange-Core'],
  ['a placeholder', 'key: EXAMPLEa1B2c3D4e5F6g7H8i9J0k1L2'],
  ['Chinese', '撮合引擎延迟优化避坑撮合引擎延迟优化避坑撮合引擎延迟优化避坑'],
])('accepts %s', (_, text) => {
  expect(() => checkSecrets(text)).not.toThrow();
});
