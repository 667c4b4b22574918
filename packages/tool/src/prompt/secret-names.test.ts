import { expect, test } from 'vitest';
import { isSecretName, SECRET_NAMES } from './secret-names.ts';

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
