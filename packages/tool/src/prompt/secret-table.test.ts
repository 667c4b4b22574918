/** The forms that must be found, and the lines that must pass. Secrets are joined at run time, so that no scanner alarms here. */
import { expect, test } from 'vitest';
import { LOOSE_FORMS, SECRET_FORMS } from './secret-forms.ts';
import { PLACES } from './secret-values.ts';
import { findStoredSecrets, placeOf } from './secrets.ts';

const joined = (...parts: readonly string[]): string => parts.join('');

/** Returns characters of an alphabet as a generator could have made them, always the same for a seed. */
function random(alphabet: string, length: number, seed = 1): string {
  let state = Math.imul(seed, 0x9e_37_79_b1);
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet.charAt((state >>> 8) % alphabet.length);
  }).join('');
}

const DIGITS = '0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LETTERS = UPPER + UPPER.toLowerCase();
const hex = (length: number, seed?: number): string => random(`${DIGITS}abcdef`, length, seed);
const word = (length: number, seed?: number): string => random(DIGITS + LETTERS, length, seed);
const digits = (length: number, seed?: number): string => random(DIGITS, length, seed);
const uuid = (seed: number): string =>
  `${hex(8, seed)}-${hex(4, seed + 1)}-4${hex(3, seed + 2)}-a${hex(3, seed + 3)}-${hex(12, seed + 4)}`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Tokens of issuers. All of it is the secret. */
const issued: readonly (readonly [kind: string, secret: string])[] = [
  ['AWS access key', joined('AKIA', random(`${UPPER}234567`, 16))],
  ['AWS Bedrock key', joined('ABSK', word(132))],
  ['Alibaba Cloud access key', joined('LTAI', word(20))],
  ['Tencent Cloud key', joined('AKID', word(32))],
  ['Google API key', joined('AIza', word(35))],
  ['Google OAuth secret', joined('GOCSPX-', word(28))],
  ['Google OAuth secret', joined('ya29.', word(120))],
  ['Google refresh token', joined('1//0', word(40), '-', word(50))],
  ['DigitalOcean token', joined('dop_v1_', hex(64))],
  ['Databricks token', joined('dapi', hex(32))],
  ['Databricks token', joined('dapi', hex(32), '-2')],
  ['Heroku key', joined('HRKU-', 'AA', word(58))],
  ['Vercel token', joined('vcp_', word(56))],
  ['Netlify token', joined('nfp_', word(36))],
  ['Fly.io token', joined('fo1_', word(43))],
  ['Cloudflare key', joined('v1.0-', hex(24), '-', hex(146))],
  ['Cloudflare token', joined('cfut_', word(48))],
  ['Tailscale key', joined('tskey-', 'auth-', word(17), '-', word(32))],
  ['Supabase key', joined('sbp_', hex(40))],
  ['PlanetScale token', joined('pscale_', 'tkn_', word(43))],
  ['MongoDB Atlas secret', joined('mdb_sa_sk_', word(40))],
  ['GitHub token', joined('ghp_', word(36))],
  ['GitHub token', joined('gho_', word(36))],
  ['GitHub token', joined('ghs_', word(36))],
  ['GitHub token', joined('github_pat_', word(22), '_', word(59))],
  ['GitLab token', joined('glpat-', word(20))],
  ['GitLab token', joined('glrt-', word(20))],
  ['Bitbucket password', joined('ATBB', word(32))],
  ['Atlassian token', joined('ATATT3x', 'FfGF0', word(180), '=', hex(8))],
  ['Linear key', joined('lin_api_', word(40))],
  ['npm token', joined('npm_', word(36))],
  ['PyPI token', joined('pypi-', 'AgEIcHlwaS5vcmc', word(150))],
  ['RubyGems key', joined('rubygems_', hex(48))],
  ['crates.io token', joined('cio', word(32))],
  ['NuGet key', joined('oy2', random(`${DIGITS}abcdefghijklmnopqrstuvwxyz`, 43))],
  ['Clojars token', joined('CLOJARS_', hex(60))],
  ['Artifactory token', joined('AKCp', word(69))],
  ['Docker token', joined('dckr_pat_', word(27))],
  ['Buildkite token', joined('bkua_', hex(40))],
  ['CircleCI token', joined('CCIPAT_', word(22), '_', hex(40))],
  ['Prefect key', joined('pnu_', random(`${DIGITS}abcdefghijklmnopqrstuvwxyz`, 36))],
  ['Pulumi token', joined('pul-', hex(40))],
  ['Sonar token', joined('squ_', hex(40))],
  ['Sourcegraph token', joined('sgp_', word(16), '_', hex(40))],
  ['Postman key', joined('PMAK-', hex(24), '-', hex(34))],
  ['Figma token', joined('figd_', word(40))],
  ['Notion token', joined('ntn_', digits(11), word(35))],
  ['Notion token', joined('secret_', word(43))],
  ['Airtable token', joined('pat', word(14), '.', hex(64))],
  ['Contentful token', joined('CFPAT-', word(43))],
  ['Typeform token', joined('tfp_', word(44))],
  ['Vault token', joined('hvs.', 'CAESI', word(90))],
  ['Vault token', joined('hvs.', word(24))],
  ['Vault token', joined('s.', word(24))],
  ['Doppler token', joined('dp.pt.', word(43))],
  ['1Password token', joined('ops_eyJ', word(200))],
  ['1Password secret key', joined('A3-', 'K7QW2Z-8HJ3MNPQR5T-V6XY9-Z2B4C-D5F7G')],
  ['age secret key', joined('AGE-SECRET-KEY-', '1', random('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58))],
  ['Okta token', joined('SSWS ', '00', word(40))],
  [
    'extended private key',
    joined('xprv', '9s21ZrQH143K', random('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', 95)),
  ],
  ['Anthropic key', joined('sk-ant-', 'api03-', word(93), 'AA')],
  ['OpenRouter key', joined('sk-or-', 'v1-', hex(64))],
  ['OpenAI key', joined('sk-', 'proj-', word(74), 'T3BlbkFJ', word(74))],
  ['OpenAI key', joined('sk-', word(48))],
  ['Hugging Face token', joined('hf_', random(LETTERS, 34))],
  ['Groq key', joined('gsk_', word(52))],
  ['xAI key', joined('xai-', word(80))],
  ['Perplexity key', joined('pplx-', word(48))],
  ['Replicate token', joined('r8_', word(37))],
  ['NVIDIA key', joined('nvapi-', word(64))],
  ['LangSmith key', joined('lsv2_', 'pt_', hex(32), '_', hex(10))],
  ['Pinecone key', joined('pcsk_', word(6), '_', word(63))],
  ['ElevenLabs key', joined('sk_', hex(48))],
  ['Tavily key', joined('tvly-', 'dev-', word(32))],
  ['Slack token', joined('xoxb-', digits(12), '-', digits(13), '-', word(24))],
  ['Slack token', joined('xapp-', '1-A', digits(10), '-', digits(13), '-', hex(64))],
  ['Slack webhook', joined('https://hooks.slack.com/', 'services/T0123ABCD/B0456EFGH/', word(24))],
  ['Slack webhook', joined('https://hooks.slack.com/', 'services/T00000000/B00000000/', word(24))],
  ['Discord token', joined('MTA', word(23), '.', word(6, 2), '.', word(38, 3))],
  ['Discord webhook', joined('https://discord.com/api/', 'webhooks/', digits(18), '/', word(68))],
  ['Telegram bot token', joined('8', digits(9), ':AA', word(33))],
  ['SendGrid key', joined('SG.', word(22), '.', word(43))],
  ['Mailgun key', joined('key-', hex(32))],
  ['Mailgun key', joined(hex(32), '-', hex(8, 2), '-', hex(8, 3))],
  ['Mailchimp key', joined(hex(32), '-us21')],
  ['Brevo key', joined('xkeysib-', hex(64), '-', word(16))],
  ['Resend key', joined('re_', 'Xy3Zk9Qw_', word(24))],
  ['Twilio key', joined('SK', hex(32))],
  ['Twilio key', joined('AC', hex(32), ':', hex(32, 2))],
  ['Firebase key', joined('AAAA', word(7), ':APA91b', word(134))],
  ['Stripe key', joined('sk_', 'live_', word(24))],
  ['Stripe key', joined('whsec_', word(32))],
  ['Square token', joined('EAAA', 'EL', word(58))],
  ['Square token', joined('sq0csp-', word(43))],
  ['PayPal token', joined('access_token$', 'production$', random(`${DIGITS}abcdefghijklmnop`, 16), '$', hex(32))],
  ['Shopify token', joined('shpat_', hex(32))],
  ['EasyPost key', joined('EZAK', word(54))],
  ['Flutterwave key', joined('FLWSECK', '_TEST-', hex(32), '-X')],
  ['Grafana token', joined('glsa_', word(32), '_', hex(8))],
  ['New Relic key', joined('NRAK-', random(UPPER + DIGITS, 27))],
  ['New Relic key', joined(hex(36), 'NRAL')],
  ['Sentry token', joined('sntryu_', hex(64))],
  ['Dynatrace token', joined('dt0c01.', random(UPPER + DIGITS, 24), '.', random(UPPER + DIGITS, 64))],
  ['Facebook token', joined('EAACEdEose0cBA', word(150))],
  ['Twitter token', joined('A'.repeat(21), 'MLheAAAAAAA0', word(60))],
  ['Asana token', joined('1/', digits(16), ':', hex(32))],
  ['Dropbox token', joined('sl.', word(140))],
  ['Terraform token', joined(word(14), '.atlasv1.', word(67))],
  ['Azure client secret', joined('abc8Q~', word(34))],
  ['Azure key', joined(word(76), '+AS', 't', word(5), 'A==')],
  ['JSON web token', joined('eyJhbGciOiJSU0EifQ', '.', word(100), '.', word(16), '.', word(60), '.', word(22))],
  ['JSON web token', joined('eyJhbGciOiJIUzI1NiJ9', '.', 'eyJzdWIiOiIxMjM0In0', '.', word(43))],
  [
    'private key',
    joined('-----BEGIN OPENSSH ', `PRIVATE KEY-----\n${word(70)}\n-----END OPENSSH `, 'PRIVATE KEY-----'),
  ],
];

test('the table of issuers has a row for each kind', () => {
  expect(issued.length).toBeGreaterThan(100);
});

test.each(issued)('finds the %s next to quotes, punctuation and Chinese', (kind, secret) => {
  for (const [before, after] of [
    ['', ''],
    ['the key is ', ' for now'],
    ['key: "', '",'],
    ['(', ').'],
    ['部署密钥 ', '，不要外传'],
    ['a\n\n- `', '`\n'],
  ] as const) {
    const text = `${before}${secret}${after}`;
    const [found] = findStoredSecrets(text);
    expect({ text, kind: found?.kind }).toEqual({ text, kind });
    expect(found?.start).toBe(before.length);
  }
  // In JSON a letter stands before it.
  expect(findStoredSecrets(JSON.stringify({ log: `first\n${secret}\nlast` }))).not.toEqual([]);
});

const password = 'Zx9kQp2mVt';

/** Secrets that are known by their place. The second column is the secret. */
const placed: readonly (readonly [text: string, secret: string])[] = [
  [`Authorization: Bearer ${hex(40)}`, hex(40)],
  [`-H "Authorization: Bearer ${word(24)}"`, word(24)],
  ['Authorization: Bearer Xazumvan2NolUVZm', 'Xazumvan2NolUVZm'],
  [`https://x.blob.core.windows.net/c?sv=2020&sig=${word(43)}%3D`, `${word(43)}%3D`],
  [`https://b.s3.amazonaws.com/k?X-Amz-Signature=${hex(64)}`, hex(64)],
  [
    `https://x.webhook.office.com/webhookb2/${uuid(1)}@${uuid(2)}/IncomingWebhook/${hex(32)}/${uuid(3)}`,
    `${uuid(1)}@${uuid(2)}/IncomingWebhook/${hex(32)}/${uuid(3)}`,
  ],
  [`{"authorization":"Bearer ${word(30)}"}`, word(30)],
  [`headers: { Authorization: 'token ${hex(40)}' }`, hex(40)],
  [`Authorization: Basic ${base64(`admin:${password}`)}`, base64(`admin:${password}`)],
  [`"auth": "${base64(`bot:${password}`)}"`, base64(`bot:${password}`)],
  [`//registry.example.com/:_auth=${base64(`bot:${password}`)}`, base64(`bot:${password}`)],
  [`curl -u admin:${password} https://api.internal/v1/users`, password],
  [`curl -s -X POST --user "deploy:${password}" https://ci.internal/job`, password],
  [`curl https://ci.internal/job -u 'bot:${password}'`, password],
  [`mysql -h db.internal -u root -p${password} app`, password],
  [`sshpass -p ${password} ssh root@db`, password],
  [`redis-cli -h cache -a ${password} ping`, password],
  [`machine api.internal login deploy password ${password}`, password],
  [`machine api.internal\n  login deploy\n  password ${password}\n`, password],
  [`tool login --token ${word(32)}`, word(32)],
  [`psql --password ${password}1`, `${password}1`],
  [`postgres://app:${password}@db.internal:5432/app`, password],
  [`mongodb+srv://app:${password}@cluster0.mongodb.net/app`, password],
  [`redis://:${password}@cache:6379`, password],
  [`https://oauth2:${word(26)}@git.internal/team/repo.git`, word(26)],
  [`amqp://guest1:${password}@mq/vhost`, password],
  [`DB_PASSWORD=${password}`, password],
  [`SMTP_PASS=${password}`, password],
  [`DD_API_KEY=${hex(32)}`, hex(32)],
  [`DD_APP_KEY: ${hex(40)}`, hex(40)],
  [`CLOUDFLARE_API_TOKEN=${word(40)}`, word(40)],
  [`CLOUDFLARE_API_KEY=${hex(37)}`, hex(37)],
  [`TWILIO_AUTH_TOKEN="${hex(32)}"`, hex(32)],
  [`DISCORD_CLIENT_SECRET=${word(32)}`, word(32)],
  [`AccountKey=${word(86)}==;EndpointSuffix=core.windows.net`, `${word(86)}==`],
  [`SharedAccessKey=${word(43)}=`, `${word(43)}=`],
  [
    `//registry.npmjs.org/:_authToken=${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  ],
  [`aws_secret_access_key = ${word(40)}`, word(40)],
  [`api.telegram.org/bot8${digits(9)}:AA${word(33)}/getMe`, `8${digits(9)}:AA${word(33)}`],
  [`[Interface]\nPrivateKey = ${word(42)}Q=`, `${word(42)}Q=`],
  [`数据库密码：${password}`, password],
  [`The password of the staging database is ${password}.`, password],
  [`the value is ${word(40, 7)} there`, word(40, 7)],
];

test.each(placed)('finds a secret by its place: %s', (text, secret) => {
  const [found] = findStoredSecrets(text);
  expect(text.slice(found?.start, found?.end)).toBe(secret);
});

const HEX_HASHES = Array.from({ length: 12 }, (_, seed) => hex(40, seed + 1));
const digest = (seed: number, length = 86): string => `${random(`${DIGITS}${LETTERS}+/`, length, seed)}==`;

/** Lines that people write to a memory. None has a secret. */
const innocent: readonly string[] = [
  // Hashes and identifiers.
  ...HEX_HASHES.map(
    (hash, index) => [`fixed in ${hash}`, `git show ${hash.slice(0, 12)}`, `commit ${hash}`][index % 3] ?? '',
  ),
  ...[1, 2, 3, 4].map((seed) => `session ${uuid(seed)}`),
  ...[5, 6].map((seed) => `{"id":"${uuid(seed)}","type":"event"}`),
  ...[7, 8].map((seed) => `traceId=${uuid(seed).replaceAll('-', '')}`),
  ...[1, 2, 3].map((seed) => `sha256:${hex(64, seed)}`),
  ...[4, 5].map((seed) => `image: registry.example.com/app@sha256:${hex(64, seed)}`),
  `md5sum ${hex(32)} release.tar.gz`,
  `etag: "${hex(32, 9)}"`,
  `ETag: W/"${hex(16)}-${hex(12)}"`,
  `index ${hex(10)}..${hex(10, 2)} 100644`,
  `4b825dc642cb6eb9a060e54bf8d69288fbee4904 is the empty tree`,
  `traceparent: 00-${hex(32)}-${hex(16)}-01`,
  'req-20240131-00012345 failed twice',
  'workflow_1703123456789_abc123def456',
  'note_Zt3kPq9w is the newest note',
  'fact_a1B2c3D4e5F6g7H8 was archived',
  'Order 4711-0815-2024 was shipped on 2024-03-01T12:34:56.789Z',
  'urn:isbn:9783161484100',
  'arn:aws:iam::123456789012:role/deploy-role',
  'arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-Ab12Cd',
  'AWS_ACCOUNT_ID=123456789012',
  'projects/my-project-123456/secrets/db-password/versions/3',
  'vpc-0a1b2c3d4e5f67890 and subnet-0f9e8d7c6b5a43210',
  'i-0abcd1234ef567890 is the bastion',
  'MAC 3c:22:fb:9a:01:ef, IPv6 2001:db8:85a3::8a2e:370:7334',
  // Lock files, images, bundles.
  ...[1, 2, 3, 4].map((seed) => `      integrity: sha512-${digest(seed)}`),
  ...[5, 6].map((seed) => `"integrity": "sha512-${digest(seed)}"`),
  `resolved "https://registry.yarnpkg.com/lodash/-/lodash-4.17.21.tgz#${hex(40)}"`,
  `github.com/stretchr/testify v1.8.4 h1:${digest(8, 43).slice(0, 44)}`,
  `checksum = "${hex(64, 7)}"`,
  `hash = "sha256-${digest(9, 42)}";`,
  `![logo](data:image/png;base64,${digest(10, 400)})`,
  `src: url(data:font/woff2;base64,${digest(11, 300)})`,
  `<img src="data:image/svg+xml;base64,${digest(12, 200)}">`,
  `ssh-rsa ${joined('AAAA', 'B3NzaC1yc2EAAAADAQABAAABgQ', digest(13, 200))} ann@example.com`,
  `ssh-ed25519 ${joined('AAAA', 'C3NzaC1lZDI1NTE5AAAAI', word(43))} ann@laptop`,
  `-----BEGIN CERTIFICATE-----\n${word(64)}\n${word(64, 2)}\n-----END CERTIFICATE-----`,
  `-----BEGIN PUBLIC KEY-----\n${word(64)}\n-----END PUBLIC KEY-----`,
  joined('Files that begin with -----BEGIN ', 'PRIVATE KEY----- are rejected'),
  'function a(b,c){return b.d(c.e)}var f=g(h,i);',
  '!function(e,t){"object"==typeof exports?module.exports=t():e.lib=t()}(this,function(){});',
  'chunk-6a7b8c9d.js and vendors~main.3f2504e0.js',
  'dist/assets/index-BqX7f3Zk.js  142.31 kB',
  'const n=_0x4a2b3c(0x1f),o=_0x5d6e7f["push"]',
  '//# sourceMappingURL=index.min.js.map',
  '@font-face{font-family:Inter;src:url(/f/inter-v12-latin-regular.woff2)}',
  // Placeholders.
  'OPENAI_API_KEY=sk-...',
  'api_key: "sk-..."',
  'OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx',
  'export OPENAI_API_KEY="<your key>"',
  'api_key = your_api_key_123',
  'token: YOUR_TOKEN_HERE_1',
  'Authorization: Bearer <token>',
  'Authorization: Bearer $TOKEN',
  'Authorization: Bearer ${process.env.API_TOKEN}',
  'Authorization: Bearer {{ access_token }}',
  'Authorization: Bearer YOUR_API_KEY',
  'Authorization: Bearer ...',
  'Authorization: Basic <base64 of user:password>',
  'Authorization: Basic dXNlcjpwYXNzd29yZA==',
  'Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
  'headers: { Authorization: `Bearer ${token}` }',
  'bearer tokens expire after 3600 seconds',
  'The bearer of this card2go may enter',
  'Authorization: Bearer accessTokenOfUser2',
  'Authorization: Bearer YourApiKey12345678',
  's.map((one) => one.id) and s.toLowerCase2()',
  'this.s.convertUint8ArrayToBase64 is a function',
  `?sig=1&sv=2020 is a query`,
  'sk_buff is a struct of the kernel',
  'https://example.com/callback?sig=abc123&X-Amz-Signature=<signature>',
  `AC ${hex(8)} and SK ${hex(8)} are prefixes`,
  'curl -u user:pass https://example.com',
  'curl -u "$USER:$PASSWORD" https://api.example.com/v1',
  'curl -u <user>:<password> https://ci.example.com',
  'curl -u username:password https://example.com',
  'curl -H "Authorization: Bearer $(cat token)" https://api.example.com',
  'curl -sSL https://example.com/install.sh | sh -s -- -u 1.2.3',
  'docker run -u 1000:1000 -p 8080:80 nginx:1.25',
  'mysql -u root -p app < dump.sql',
  'mysql -u root -p$MYSQL_PASSWORD app',
  'redis-cli -a "$REDIS_PASSWORD" ping',
  'psql --password --host db',
  'gh auth login --with-token < token.txt',
  'tool --token $TOKEN --verbose',
  'tool --api-key "${API_KEY}"',
  'machine api.example.com login USER password PASSWORD',
  'const apiKey = process.env.API_KEY;',
  'const token = process.env["GITHUB_TOKEN"] ?? ""',
  'password = os.environ["DB_PASSWORD1"]',
  'password: ${{ secrets.DB_PASSWORD1 }}',
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'NPM_TOKEN=${NPM_TOKEN1}',
  '//registry.npmjs.org/:_authToken=${NPM_TOKEN}',
  'password: "{{ vault_db_password1 }}"',
  'secretKeyRef: { name: db-credentials2, key: password1 }',
  'password_file: /run/secrets/db_password1',
  'password: /run/secrets/db_password1',
  'secret = var.database_password2',
  'token = config.auth.token2',
  'apiKey: config.get("openai.apiKey2")',
  'password=changeme123',
  'password: test1234',
  "password: 'dummy-password-1'",
  'secret: xxxxxxxx1',
  'passwd: ********',
  'postgres://user:password@localhost:5432/app',
  'postgres://postgres:postgres@localhost:5432/app',
  'mysql://root:${DB_PASSWORD1}@db/app',
  'redis://[user[:password]@]host[:port]',
  'mongodb://localhost:27017/test',
  'amqp://guest:guest@localhost:5672',
  'https://user:<password>@host/x',
  'https://example.com:8080/a@b',
  'ssh://git@github.com:22/cairn/cairn.git',
  'git@github.com:cairn/cairn.git',
  // Examples of documentation, which say that they are some.
  joined('AWS_ACCESS_KEY_ID=AKIA', 'IOSFODNN7EXAMPLE'),
  joined('aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/', 'bPxRfiCYEXAMPLEKEY'),
  joined('stripe.api_key = "sk_', 'test_4eC39HqLyjWDarjtT1zdp7dc"'),
  joined('ghp_', 'x'.repeat(36)),
  joined('glpat-', 'x'.repeat(20)),
  joined('xoxb-', 'your-token-here-12345678'),
  joined('hf_', 'x'.repeat(34)),
  joined('GITHUB_TOKEN=ghp_', '*'.repeat(36)),
  'npm tokens start with npm_, GitHub tokens with ghp_ or github_pat_',
  'AKIA is the prefix of access keys, ASIA of temporary ones',
  'Vault tokens look like hvs.<random>, batch tokens like hvb.<random>',
  'sk-learn-based-model-selection-pipeline-with-cross-validation',
  'sk-learn is a library',
  'the key-value store of the key-management-service',
  'task-queue-worker-1, disk-usage-monitor-2, risk-assessment-2024',
  'SG.size.large and SG.color.primary are names of tokens',
  'hf_hub_download("bert-base-uncased", "config.json")',
  'from hf_transfer import download_model_weights_in_parallel',
  'npm_config_registry_and_npm_package_version_are_set',
  'lin_api_is_the_prefix_of_linear_keys',
  'dapi is short for device application programming interface',
  're_compile_all_patterns_before_the_first_match',
  'SKU 12345678 and SKU-AB12CD34',
  'path pattern patch patience patagonia',
  'secret_manager_client_for_tests',
  'The glpat- prefix can be changed by an administrator',
  'eyJ is how a JSON web token starts',
  'dp.pt. is the prefix of personal tokens',
  'AAAA records point to IPv6 addresses',
  'EAAA is how Square starts its tokens',
  // Names, paths, versions, colors.
  "import { createKnowledgeToolSetForTests2 } from '../../packages/knowledge/src/tools/tool-set.ts';",
  "import x from '@scope/package-name/dist/esm/internal/Subscriber2';",
  'packages/memory/src/backends/sqlite-statements.ts:62',
  'node_modules/.pnpm/vitest@5.1.1_@types+node@24.1.0/node_modules/vitest',
  'src/components/UserProfile/UserProfileHeaderV2.stories.tsx',
  'C:\\Users\\ann\\AppData\\Local\\Temp\\tokens2\\new.txt',
  'call convertUint8ArrayToBase64 or parseISO8601DateTimeWithOffset2',
  'Only_output_d_ts_files_and_not_JavaScript_files_6623',
  'MAX_CONCURRENT_REQUESTS_PER_HOST_2 and HTTP2_MAX_STREAMS',
  'getHttpResponse2xxOr3xxFromServer1',
  'com.example.app.internal.service.UserServiceImplV2Test',
  'redis-cluster-failover-2026-01-28-Exchange-Core',
  'Upgraded from 1.2.3-beta.4+build.567 to v2.0.0-rc.1',
  'node v24.1.0, pnpm@10.34.8, Python 3.12.1, TypeScript 6.0.3',
  'color: #1e90ff; background: #FFAA00CC; border: 1px solid #abc',
  'rgba(30, 144, 255, 0.5) and hsl(210deg 100% 56%)',
  'U+1F600 and \\u{1F600} and &#128512;',
  '^[A-Za-z0-9+/]{40}$ matches a secret key of AWS',
  '/(?:api|access)[_-]?(?:key|token)/iu',
  'password: string',
  'password?: string | undefined;',
  'function login(user: string, password: string): Promise<Token>',
  'const token = parseToken(input)',
  'const token = createToken2(input)',
  'expect(token).toMatch(/^[a-z0-9]{32}$/)',
  'tokenizer = o200k_base2024x',
  'max_tokens: 128000abc',
  'token endpoint: https://auth.example.com/oauth2/token',
  'The password is argon2id-hashed before it is stored',
  'the token is base64url-encoded',
  'passwords have at least 12 characters and 2 digits',
  'password: at-least-8-characters',
  'the secret: everything works',
  'The secret of v2 is caching',
  'sessionKey: "agent:main:chat:+15555550123"',
  'auth: required',
  '"auth": "bearer"',
  'basic configuration of kubernetes2024',
  'auth = authentication2factor',
  'private key files have mode 0600',
  'PrivateKey is a type of node:crypto',
  // Prose, Chinese, data.
  '撮合引擎延迟优化避坑撮合引擎延迟优化避坑',
  '密码长度至少8位，令牌30分钟后过期',
  '密码：由管理员在 Vault2024 中设置',
  '密钥保存在 KMS 里，不要写进代码',
  '令牌在 2024-03-01 到期，需要提前轮换',
  '部署时请先执行 pnpm run build:native，再执行 docker compose up',
  '数据库密码放在 ${DB_PASSWORD} 里',
  '用户表的主键是 UUID，订单号形如 20240131000123',
  'Use Redis 7 with AOF, maxmemory 2gb and allkeys-lru.',
  'The gateway listens on port 8080 and forwards to 10.0.3.17:9000.',
  'Deploy on Fridays is forbidden; ask #ops-oncall first.',
  'https://docs.example.com/document/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYz/edit',
  `https://www.youtube.com/watch?v=${word(11)}&si=${word(24)}`,
  'https://github.com/cairn/cairn/compare/v1.2.3...v1.3.0',
  'https://hooks.slack.com/services/T00/B00/XXX',
  'https://discord.com/api/webhooks/<id>/<token>',
  'https://api.telegram.org/bot<token>/getMe',
  '{"status":200,"items":[1,2,3],"next":null}',
  '| p50 | p95 | p99 |\n| --- | --- | --- |\n| 1.2 | 3.4 | 5.6 |',
  'SELECT id, password_hash FROM users WHERE token_expires_at > now()',
  'ALTER USER app WITH PASSWORD :password1',
  '$2b$ marks a bcrypt hash, $argon2id$ one of argon2',
  'lorem ipsum dolor sit amet consectetur adipiscing elit',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1A',
  '=================================================== 100%',
  '3.14159265358979323846264338327950288419716939937510',
  '',
];

test('at most one of 200 innocent lines alarms', () => {
  expect(innocent.length).toBeGreaterThan(200);
  const alarms = innocent.flatMap((line) => findStoredSecrets(line).map(({ kind }) => `${kind}: ${line}`));
  expect(alarms).toEqual(['random text: getHttpResponse2xxOr3xxFromServer1']);
});

test('the innocent lines together have no secret either', () => {
  expect(findStoredSecrets(innocent.join('\n'))).toHaveLength(1);
});

test('the place of a secret is its line and column', () => {
  const text = `one\n两二 ${joined('ghp_', word(36))}`;
  const [found] = findStoredSecrets(text);
  expect(placeOf(text, found?.start ?? 0)).toEqual({ line: 2, column: 4 });
});

test('a secret of a known form is named once, and not as random text too', () => {
  const token = joined('ghp_', word(36));
  expect(findStoredSecrets(`${token} ${word(40, 3)}`).map(({ kind }) => kind)).toEqual(['GitHub token', 'random text']);
});

const patterns = [
  ...SECRET_FORMS.map(([, , pattern]) => pattern),
  ...[...LOOSE_FORMS, ...PLACES].map((form) => form.pattern),
];

test.each(patterns.map((pattern) => pattern.source))(
  'has a bounded length, so that the time is linear: %s',
  (source) => {
    const quantifiers = source.replaceAll(/\\./gu, 'a').replaceAll(/\[[^\]]*\]/gu, 'a');
    expect(quantifiers).not.toMatch(/[*+]|\{\d+,\}/u);
  },
);

const longParts: readonly string[] = [
  ...new Set(SECRET_FORMS.flatMap(([, starts]) => starts.flatMap((start) => [`${start} `, `/${start}`]))),
  'curl ',
  'curl -u a:',
  'authorization: ',
  'Bearer a1',
  'basic YWE6',
  '_auth="',
  'machine a login b ',
  '--token ',
  'mysql -p',
  'Private-Lines: 1\nA',
  'aA1',
  'aA1-',
  '&a=',
  '-_',
  '1234567890:AA',
  'M',
  'a'.repeat(32),
  '-us1',
  'AAAAAAAAAAAAAA.atlasv1.',
  '1Q~',
  '+ASt',
  'PrivateKey = ',
  'a://a:b@',
  String.raw`\n`,
  'ssh-a-',
  'base64,',
];

test('a long line that repeats a part of a form is searched to its end', () => {
  const secret = joined('ghp_', word(36));
  for (const part of longParts) {
    const line = part.repeat((1 << 16) / part.length);
    const found = findStoredSecrets(`${line} ${secret}`);
    expect(
      found.some(({ kind, start }) => kind === 'GitHub token' && start === line.length + 1),
      part,
    ).toBe(true);
  }
}, 60_000);
