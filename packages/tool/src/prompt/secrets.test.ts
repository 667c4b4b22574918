import { expect, test } from 'vitest';
import { findSecrets, isSecretName, SECRET_NAMES } from './secrets.ts';

/** Joined at run time, so that no scanner takes this file for a leak. */
const joined = (...parts: readonly string[]): string => parts.join('');

const letters = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

test.each([
  ['AWS access key', joined('AKIA', 'IOSFODNN7EXAMPLE')],
  ['GitHub token', joined('ghp_', letters)],
  ['GitHub token', joined('github_pat_', letters, letters)],
  ['GitLab token', joined('glpat-', letters)],
  ['Anthropic key', joined('sk-ant-', 'api03-', letters)],
  ['OpenAI key', joined('sk-', 'proj-', letters)],
  ['Stripe key', joined('sk_', 'live_', letters)],
  ['Slack token', joined('xoxb-', '1234567890-', letters)],
  ['Google API key', joined('AIza', letters.slice(0, 35))],
  ['npm token', joined('npm_', letters)],
  ['JSON web token', joined('eyJhbGciOiJIUzI1NiJ9', '.', 'eyJzdWIiOiIxMjM0In0', '.', letters)],
  ['private key', joined('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIE\n-----END RSA ', 'PRIVATE KEY-----')],
])('finds a %s and its place', (kind, secret) => {
  const text = `the value is ${secret} here`;
  const [found, ...others] = findSecrets(text);
  expect(others).toEqual([]);
  expect(found?.kind).toBe(kind);
  expect(text.slice(found?.start, found?.end)).toBe(secret);
});

test('finds a private key that has no end', () => {
  expect(findSecrets(joined('-----BEGIN ', 'PRIVATE KEY-----\nMIIE'))).toHaveLength(1);
});

test.each([
  ["password = 'hunter2hunter'", 'hunter2hunter'],
  ['"api_key": "9f8e7d6c5b4a3210"', '9f8e7d6c5b4a3210'],
  ['CLIENT_SECRET=Zx81aQ93bL0p', 'Zx81aQ93bL0p'],
  ['postgres://user:s3cretpass@db/app', 'postgres://user:s3cretpass@d'],
])('finds the value of an assignment: %s', (text, value) => {
  const [found] = findSecrets(text);
  expect(text.slice(found?.start, found?.end)).toBe(value);
});

test.each([
  'password: string',
  'const token = parseToken(input)',
  'password = process.env.PASSWORD1',
  'api_key = your_api_key_123',
  'secret: xxxxxxxx1',
  'token = ${TOKEN_FROM_ENV1}',
  'the secret: everything works',
  'https://example.com:8080/a@b',
  'sk-learn is a library',
  'AKIA is a prefix',
])('leaves ordinary text alone: %s', (text) => {
  expect(findSecrets(text)).toEqual([]);
});

test('secrets come in order and never overlap', () => {
  const token = joined('ghp_', letters);
  const found = findSecrets(`token = "${token}" and password = "hunter2hunter"`);
  expect(found.map(({ kind }) => kind)).toEqual(['GitHub token', 'value of password']);
});

test('a text of many candidates takes linear time', () => {
  expect(findSecrets('eyJ'.repeat(300_000))).toEqual([]);
  expect(findSecrets('password = '.repeat(100_000))).toEqual([]);
  expect(findSecrets('-----BEGIN A '.repeat(100_000))).toEqual([]);
});

test.each([
  ['.env', true],
  ['.env.local', true],
  ['.ENV.production', true],
  ['prod.env', true],
  ['.env.example', false],
  ['.env.sample', false],
  ['.env.template', false],
  ['server.key', true],
  ['cert.pem', true],
  ['id_rsa', true],
  ['id_ed25519', true],
  ['id_ed25519.pub', false],
  ['credentials.json', true],
  ['application_default_credentials.json', true],
  ['service-account-prod.json', true],
  ['environment.ts', false],
  ['keyboard.ts', false],
  ['monkey.md', false],
  ['credentials.ts', false],
  ['README.md', false],
])('whether the name %s stands for secrets: %s', (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});

test.each([
  ['.ssh', true],
  ['.AWS', true],
  ['.kube', true],
  ['.env', true],
  ['credentials', false],
  ['.github', false],
  ['server.key', false],
])('whether a directory of the name %s holds secrets: %s', (name, expected) => {
  expect(isSecretName(name, 'directory')).toBe(expected);
});

test.each(['.env\n', '.env\nexample', 'a\n.pem', 'a\u2028b.key'])(
  'a line break does not hide the secret name %j',
  (name) => {
    expect(isSecretName(name)).toBe(true);
  },
);

test('every listed name matches itself, and every exception is none of them', () => {
  for (const glob of SECRET_NAMES) {
    const name = glob.replaceAll(/[*!/]/gu, '');
    expect(isSecretName(name, glob.endsWith('/') ? 'directory' : 'file'), glob).toBe(!glob.startsWith('!'));
  }
});
