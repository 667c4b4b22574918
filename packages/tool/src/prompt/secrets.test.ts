import { expect, test } from 'vitest';
import { findSecret, findSecrets } from './secrets.ts';

/** Joined at run time, so that no scanner takes this file for a leak. */
const joined = (...parts: readonly string[]): string => parts.join('');

const letters = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

test.each([
  ['AWS access key', joined('AKIA', 'Z3QJ7LMX4TKW2PVB')],
  ['AWS access key', joined('ASIA', 'Z3QJ7LMX4TKW2PVB')],
  ['Alibaba Cloud access key', joined('LTAI', '5tQ8vRk2mNw7xYz3Bc4D')],
  ['Tencent Cloud key', joined('AKID', 'z8krbsJ5yKBZQpn74WFkmLPx3gnPhESA')],
  ['GitHub token', joined('ghp_', letters)],
  ['GitHub token', joined('github_pat_', letters, letters)],
  ['GitLab token', joined('glpat-', letters)],
  ['Anthropic key', joined('sk-ant-', 'api03-', letters)],
  ['OpenAI key', joined('sk-', 'proj-', letters)],
  ['OpenAI key', joined('sk-', '9f8e7d6c5b4a32101f2e3d4c5b6a7988')],
  ['Stripe key', joined('sk_', 'live_', letters)],
  ['Stripe key', joined('rk_', 'test_', letters)],
  ['Slack token', joined('xoxb-', '1234567890-', letters)],
  ['Slack webhook', joined('https://hooks.slack.com/', 'services/T0123ABCD/B0456EFGH/', letters.slice(0, 24))],
  ['Google API key', joined('AIza', letters.slice(0, 35))],
  ['Google OAuth secret', joined('GOCSPX-', letters.slice(0, 28))],
  ['npm token', joined('npm_', letters)],
  ['PyPI token', joined('pypi-', 'AgEIcHlwaS5vcmc', letters, letters)],
  ['Hugging Face token', joined('hf_', 'QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi')],
  ['DigitalOcean token', joined('dop_v1_', '9f8e7d6c5b4a3210'.repeat(4))],
  ['SendGrid key', joined('SG.', letters.slice(0, 22), '.', letters, 'abcdefg')],
  ['Telegram bot token', joined('123456789:AA', letters.slice(0, 33))],
  ['JSON web token', joined('eyJhbGciOiJIUzI1NiJ9', '.', 'eyJzdWIiOiIxMjM0In0', '.', letters)],
  ['private key', joined('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END RSA ', 'PRIVATE KEY-----')],
  ['private key', joined('-----BEGIN ', 'PRIVATE KEY-----\\nMIIEvQIBADANBgkqh\\n-----END ', 'PRIVATE KEY-----')],
])('finds a %s and its place', (kind, secret) => {
  const text = `the value is ${secret} here`;
  const [found, ...others] = findSecrets(text);
  expect(others).toEqual([]);
  expect(found?.kind).toBe(kind);
  expect(text.slice(found?.start, found?.end)).toBe(secret);
  expect(findSecret(text)).toEqual(found);
});

test('finds a private key that has no end', () => {
  expect(findSecrets(joined('-----BEGIN ', 'PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7'))).toHaveLength(1);
});

const awsSecret = joined('q7Xv2LkP9sWz/4RtYbN8', 'mJc+1HdGfUeA3oTiB6Kx');

test.each([
  ["password = 'hunter2hunter'", 'hunter2hunter', 'value of password'],
  ['DB_PASSWORD=hunter2hunter', 'hunter2hunter', 'value of PASSWORD'],
  ['pwd := "Summer2024"', 'Summer2024', 'value of pwd'],
  ['"api_key": "9f8e7d6c5b4a3210"', '9f8e7d6c5b4a3210', 'value of api_key'],
  ['CLIENT_SECRET=Zx81aQ93bL0p', 'Zx81aQ93bL0p', 'value of CLIENT_SECRET'],
  ['the admin password is hunter2hunter.', 'hunter2hunter', 'value of password'],
  ['The password for the staging database was Tr0ub4dor&3!', 'Tr0ub4dor&3', 'value of password'],
  ['测试环境的密码是 Xiaomi#2024ok，不要外传', 'Xiaomi#2024ok', 'value of 密码'],
  ['数据库口令：Pg9x4Lm2', 'Pg9x4Lm2', 'value of 口令'],
  ['postgres://user:s3cretpass@db/app', 's3cretpass', 'password in a URL'],
  ['redis://:s3cretpass@cache:6379', 's3cretpass', 'password in a URL'],
  [`aws_secret_access_key = ${awsSecret}`, awsSecret, 'AWS secret key'],
  [`AWS secret: ${awsSecret}`, awsSecret, 'AWS secret key'],
  ['token=process.env.token=Zx81aQ93bL0p', 'Zx81aQ93bL0p', 'value of token'],
])('finds a value by its name or place: %s', (text, value, kind) => {
  const found = findSecret(text);
  expect(text.slice(found?.start, found?.end)).toBe(value);
  expect(found?.kind).toBe(kind);
});

test.each([
  'password: string',
  'const token = parseToken(input)',
  'const token = createToken2(input)',
  'token = config.auth.token2',
  'password = process.env.PASSWORD1',
  'password_file: /run/secrets/db_password1',
  'password: /run/secrets/db_password1',
  'password: at-least-8-characters',
  'The password is argon2id-hashed before it is stored',
  'the token is base64url-encoded',
  'token endpoint: https://auth.example.com/oauth2/token',
  'token: https://auth.internal/oauth2/token',
  'secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:db',
  'sessionKey: "agent:main:chat:+15555550123"',
  'Lock-Token: urn:uuid:a515cfa4-5da4-22e1-f5b5-00a0451e6bf7',
  'max_tokens: 128000abc',
  'tokenizer = o200k_base2024x',
  'api_key = your_api_key_123',
  'api_key: "sk-..."',
  'OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1',
  'secret: xxxxxxxx1',
  'token = ${TOKEN_FROM_ENV1}',
  'token: ${{ secrets.NPM_TOKEN1 }}',
  'the secret: everything works',
  '密码长度至少8位，令牌30分钟后过期',
  '密码：由管理员在 Vault2024 中设置',
  'https://example.com:8080/a@b',
  'postgres://postgres:postgres@localhost:5432/app',
  'postgres://user:password@localhost/app',
  'mysql://root:${DB_PASSWORD1}@db/app',
  'https://user:<password>@host/x',
  'sk-learn is a library',
  'sk-learn-based-model-selection-pipeline-with-cross-validation',
  'AKIA is a prefix',
  joined('AKIA', 'IOSFODNN7EXAMPLE'),
  joined('aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/', 'bPxRfiCYEXAMPLEKEY'),
  joined('sk_', 'test_4eC39HqLyjWDarjtT1zdp7dc'),
  joined('ghp_', 'x'.repeat(36)),
  joined('sk-', '1234567890abcdef'.repeat(2)),
  joined('Files that begin with -----BEGIN ', 'PRIVATE KEY----- are rejected'),
  joined('-----BEGIN RSA ', 'PRIVATE KEY-----\n...\n-----END RSA ', 'PRIVATE KEY-----'),
  joined('-----BEGIN ', 'PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END ', 'PUBLIC KEY-----'),
  'fixed in 7ff3088c1d2e3f405162738495a6b7c8d9e0f1a2',
  'the AWS module was fixed in 7ff3088c1d2e3f405162738495a6b7c8d9e0f1a2',
  'session 550e8400-e29b-41d4-a716-446655440000',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  'workflow_1703123456789_abc123def456',
])('leaves ordinary text alone: %s', (text) => {
  expect(findSecrets(text)).toEqual([]);
});

test.each([
  [joined('AKIA', 'ABCDEFGH23456777'), 'AWS access key'],
  [joined('ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789'), 'GitHub token'],
  [joined('sk-', '1234567890abcdef'.repeat(2)), 'OpenAI key'],
])('the option examples also finds an example in the form of its issuer: %s', (text, kind) => {
  expect(findSecrets(text)).toEqual([]);
  expect(findSecrets(`a ${text}`, { examples: true })).toEqual([{ kind, start: 2, end: text.length + 2 }]);
});

test('a row of crosses is never a secret', () => {
  expect(findSecrets(joined('ghp_', 'x'.repeat(36)), { examples: true })).toEqual([]);
});

test('base64 of random bytes holds no secret', () => {
  const random = Buffer.from(
    Uint32Array.from({ length: 1 << 18 }, (_, index) => Math.imul(index ^ 0x9e37, 0x85ebca6b)).buffer,
  );
  const image = random.toString('base64');
  expect(findSecrets(`data:image/png;base64,${image}`)).toEqual([]);
  expect(findSecrets(image.replaceAll(/.{76}/gu, '$&\n'))).toEqual([]);
});

test('secrets come in order and never overlap', () => {
  const token = joined('ghp_', letters);
  const found = findSecrets(`token = "${token}" and password = "hunter2hunter"`);
  expect(found.map(({ kind }) => kind)).toEqual(['GitHub token', 'value of password']);
});

test('a text without secrets has none', () => {
  expect(findSecret('The gateway listens on port 8080.')).toBeUndefined();
  expect(findSecret('')).toBeUndefined();
});

test.each([
  'eyJ',
  'eyJ-',
  'eyJabcdefghijk.',
  'password = ',
  'password=',
  'password a b c d e ',
  'token is ',
  'aws ',
  'aws secret_key ',
  '-----BEGIN A ',
  'A ',
  joined('-----BEGIN ', 'PRIVATE KEY-----\n', 'MIIEpAIBAAKCAQEA7'),
  'a://a:',
  'a://',
  'sk-',
  'sk-ant-a-',
  'SG.',
  'AKIA',
  '密码是',
])('a text of 1 MiB takes linear time when it repeats %j', (part) => {
  expect(findSecrets(`-----BEGIN ${part.repeat((1 << 20) / part.length)}`).length).toBeGreaterThanOrEqual(0);
});
