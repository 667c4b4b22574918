import { expect, test } from 'vitest';
import { isSecretName, isSecretVariable, SECRET_NAMES } from './secret-names.ts';

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

test.each([
  'GITHUB_TOKEN',
  'OPENAI_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SESSION_TOKEN',
  'PGPASSWORD',
  'MYSQL_PWD',
  'SSHPASS',
  'DB_PASS',
  'SMTP_PASS_PROD',
  'GITHUB_PAT',
  'npm_config__auth',
  'npm_config_//registry.npmjs.org/:_authToken',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'apiKey',
  'STRIPE_KEYS',
  'SESSION_COOKIE',
  'GPG_PASSPHRASE',
  'A_SECRET\n',
  'OPENAI_API_KEY2',
  'GITHUB_TOKEN_10',
  'AUTH2',
  'DBPASS',
  'MY_TOKENIZER_SECRET',
  'MAXIMAL_TOKENS',
])('the variable %s is taken for a secret', (name) => {
  expect(isSecretVariable(name)).toBe(true);
});

test.each([
  'PATH',
  'HOME',
  'SHELL',
  'PWD',
  'OLDPWD',
  'LANG',
  'SSH_AUTH_SOCK',
  'SSH_ASKPASS',
  'GIT_AUTHOR_NAME',
  'TOKENIZERS_PARALLELISM',
  'CLAUDE_CODE_MAX_OUTPUT_TOKENS',
  'OPENAI_MAX_TOKENS',
  'MAX_THINKING_TOKENS',
  'SUDO_ASKPASS',
  'PROXY_BYPASS',
  'PATH2',
  'XDG_SESSION_ID',
  'DBUS_SESSION_BUS_ADDRESS',
  'KEYBOARD_LAYOUT',
  'PATTERN',
])('the variable %s is not taken for a secret', (name) => {
  expect(isSecretVariable(name)).toBe(false);
});
