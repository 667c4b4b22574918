import { checkArguments } from '../kernel/tool-error.ts';
interface FoundSecret {
  /** The kind of secret, such as `GitHub token`. */
  readonly kind: string;
  /** The start and the end (exclusive), in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/**
 * Secrets by the form that their issuers document, most specific first. The secret is the first group, else the whole match,
 * and ends the match.
 *
 * No pattern starts within a run of the characters that it consumes, or it is bounded, so that the time is linear.
 *
 * @see https://github.com/gitleaks/gitleaks which has the same forms and many rarer ones
 */
const formats: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    'private key',
    // A header in prose has no key after it. A body ends at the next five hyphens, so that each is read once.
    /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])+(?:Proc-Type|Version|Comment|[A-Za-z0-9+/]{16})(?:[^-]|-(?!----)){0,16384}(?:-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----)?/gu,
  ],
  ['AWS access key', /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/gu],
  [
    'AWS secret key',
    /(?<![A-Za-z0-9])(?:[Aa][Ww][Ss]|(?:secret|Secret|SECRET)[_-]?(?:(?:access|Access|ACCESS)[_-]?)?(?:key|Key|KEY))[^\n]{0,40}?(?<![A-Za-z0-9/+])((?=[A-Za-z/+]{0,39}[0-9])(?=[a-z0-9/+]{0,39}[A-Z])(?=[A-Z0-9/+]{0,39}[a-z])[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gu,
  ],
  ['Alibaba Cloud access key', /(?<![A-Za-z0-9])LTAI[A-Za-z0-9]{20}(?![A-Za-z0-9])/gu],
  ['Tencent Cloud key', /(?<![A-Za-z0-9])AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])/gu],
  ['GitHub token', /(?<!\w)(?:gh[oprsu]_[A-Za-z0-9]{36,255}|github_pat_\w{60,255})(?!\w)/gu],
  ['GitLab token', /(?<![\w-])gl(?:pat|ptt|dt|rt|cbt|soat|ft|oas|agent)-[\w-]{20,255}/gu],
  ['Anthropic key', /(?<![\w-])sk-ant-[a-z0-9]{1,16}-[\w-]{24,255}/gu],
  ['OpenAI key', /(?<![\w-])sk-(?:proj-|svcacct-|admin-)?[\w-]{32,255}/gu],
  ['Stripe key', /(?<!\w)(?:[rs]k_(?:live|test)_|whsec_)[A-Za-z0-9]{20,255}(?!\w)/gu],
  ['Slack token', /(?<![\w-])(?:xox[abeoprs]|xapp)-[\w-]{20,255}/gu],
  [
    'Slack webhook',
    /https:\/\/hooks\.slack\.com\/(?:services|workflows)\/[A-Z0-9]{6,16}\/[A-Z0-9]{6,16}\/[A-Za-z0-9]{16,64}/gu,
  ],
  ['Google API key', /(?<![\w+/-])AIza[\w-]{35}(?![\w-])/gu],
  ['Google OAuth secret', /(?<![\w-])(?:GOCSPX-[\w-]{28}|ya29\.[\w-]{30,512})/gu],
  ['npm token', /(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)/gu],
  ['PyPI token', /(?<![\w-])pypi-AgE[\w-]{50,512}/gu],
  ['Hugging Face token', /(?<!\w)hf_[A-Za-z]{34}(?!\w)/gu],
  ['DigitalOcean token', /(?<!\w)do[opr]_v1_[0-9a-f]{64}(?!\w)/gu],
  ['SendGrid key', /(?<![\w-])SG\.[\w-]{16,32}\.[\w-]{32,64}/gu],
  ['Telegram bot token', /(?<![\w-])[0-9]{8,10}:AA[\w-]{33}(?![\w-])/gu],
  ['JSON web token', /(?<![\w-])eyJ[\w-]{10,2048}\.eyJ[\w-]{10,4096}\.[\w-]{20,2048}/gu],
];

/** A user and a password in a URL or connection string. The password is the second group and ends the match. */
const urlPassword = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/([^\s:/@]{0,256}):([^\s/@]{3,256})(?=@[^\s/@])/giu;

/**
 * `password = "…"`, `DB_PASSWORD: …`, `the password of the database is …`, `密码是 …`. The name is the first group, the verb of
 * a sentence the second, the value the third; it ends the match.
 */
const assignment =
  /((?:api|access|auth|account|client|encryption|master|private|secret|session|signing)[_-]?(?:key|secret|token)|passw(?:or)?d|pwd|passphrase|secret|token|密码|密碼|口令|密钥|密鑰|令牌)["']?(?:\s{0,8}(?::=|=>|[:=：])|(?:\s[\w-]{1,20}){0,5}?\s{0,8}(\bis\b|\bwas\b|是|为|為|改成)[:：]?)\s{0,8}["'`“「]?([!#-&*+\-.-:=?@A-Z\\^_a-z|~]{8,255})(?![(\w])/giu;

/** Names of secrets that people choose themselves, which are shorter than those that programs make. */
const chosen = /^(?:passw|pwd|passphrase|密码|密碼|口令)/iu;

/** Values that are not secrets: variables, references, paths, words such as `changeme`, one repeated character. */
const reference =
  /^(?:\$|%|@|\.{0,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/|arn:|urn:|process\.|env\.|os\.|import\.|your|my[_-]|dummy|test|change|(.)\1*$)/iu;

/** Words and rows of characters that documentation writes instead of a secret. */
const placeholder =
  /example|placeholder|redacted|your[-_ ]|changeme|x{4}|\*{3}|\.{3}|…|(.)\1{7}|abcdefgh|(?:0123456789|1234567890)abcdef|4eC39HqLyjWDarjtT1zdp7dc/iu;

/** Words and rows of characters in a token of an issuer's form that cannot have been issued. */
const masked = /placeholder|redacted|your[-_ ]|changeme|x{4}|\*{3}|\.{3}|…|(.)\1{7}/iu;

/** Passwords of examples and of local servers, which protect nothing. */
const known =
  /^(?:admin|changeme|default|guest|minioadmin|mysql|pass|passwd|password|postgres|root|secret|test|user|username|[x*.]+|.*[${}<>%].*)$/iu;

/** A word or a version of one: `base64url`, `argon2id`, `createToken`, `42`. */
const word = /^(?:[a-z]{2,}\d{0,3}[a-z]{0,3}|\d{1,4}|\+\d{8,15}|v?\d{1,3}[a-z]?)$/iu;

/** Returns whether a value reads as words, such as `at-least-8-characters` or `config.authToken2`. */
function isWords(value: string): boolean {
  return value.split(/[-_./:]+|(?<=[a-z\d])(?=[A-Z])/u).every((part) => part === '' || word.test(part));
}

/** Returns whether a value has the mixture of characters that a generated secret, or a good password, has. */
function isLikelySecret(value: string, name: string): boolean {
  if (!/\d/u.test(value) || !/[A-Za-z]/u.test(value) || new Set(value).size < 6) return false;
  if (reference.test(value) || placeholder.test(value) || isWords(value)) return false;
  return chosen.test(name) || value.length >= 16 || (/[a-z]/u.test(value) && /[A-Z]/u.test(value));
}

/** Returns the matches in a string. To copy a pattern for `matchAll` takes longer than to search a short text. */
function matchesIn(text: string, pattern: RegExp): Iterable<RegExpExecArray> {
  return text.search(pattern) === -1 ? [] : text.matchAll(pattern);
}

function* candidates(text: string, { examples }: SecretOptions): Generator<FoundSecret, void, undefined> {
  const harmless = examples === true ? masked : placeholder;
  for (const [kind, pattern] of formats) {
    for (const { 0: whole, 1: secret = whole, index } of matchesIn(text, pattern)) {
      if (harmless.test(secret) || (kind === 'OpenAI key' && isWords(secret))) continue;
      const end = index + whole.length;
      yield { kind, start: end - secret.length, end };
    }
  }
  for (const { 0: whole, 1: user, 2: password = '', index } of matchesIn(text, urlPassword)) {
    if (password === user || known.test(password) || placeholder.test(password)) continue;
    const end = index + whole.length;
    yield { kind: 'password in a URL', start: end - password.length, end };
  }
  if (text.search(assignment) === -1) return;
  const pattern = new RegExp(assignment);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole, name = '', verb, value = ''] = match;
    const end = match.index + whole.length;
    // A value may hold the next assignment.
    pattern.lastIndex = end - value.length;
    // A sentence may end after the value.
    const secret = verb === undefined ? value : value.replace(/[.!?]+$/u, '');
    if (!isLikelySecret(secret, name)) continue;
    yield { kind: `value of ${name}`, start: end - value.length, end: end - value.length + secret.length };
  }
}

interface SecretOptions {
  /**
   * Whether a token of an issuer's form is a secret even when documentation uses it as an example, such as one with the letters of
   * the alphabet. A row of crosses, dots or asterisks is never a secret. @default false
   */
  readonly examples?: boolean | undefined;
}

/**
 * Finds keys, tokens and passwords in a string, in order of place, without overlaps. It knows documented token formats,
 * private keys, passwords in URLs, and names such as `password` with a value that is likely a secret. Hashes, UUIDs, base64,
 * variables, and placeholders of documentation are not secrets. It does not find secrets of other forms.
 */
export function findSecrets(text: string, options: SecretOptions = {}): FoundSecret[] {
  checkArguments.options('findSecrets', options, { examples: 'optional' });
  const found: FoundSecret[] = [];
  // Of several secrets at one place the longest counts; of equal ones the most specific format, which is listed first.
  for (const secret of [...candidates(text, options)].toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1);
    if (last === undefined || secret.start >= last.end) found.push(secret);
  }
  return found;
}

/** Returns the first secret in a string. Finds the same secrets as {@link findSecrets}. */
export function findSecret(text: string): FoundSecret | undefined {
  return findSecrets(text)[0];
}

/**
 * The names that usually hold secrets, as patterns without case in which `*` stands for any characters. A pattern that
 * ends in `/` is for directories, the others are for files and links. A pattern with `!` in front is an exception: it
 * wins over all others, wherever it is in the list.
 */
export const SECRET_NAMES: readonly string[] = [
  ['.env*', '*.env', '!.env.example', '!.env.sample', '!.env.template'],
  ['*.pem', '*.key', '*.p8', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdb', '*.kdbx', '*.ppk', '*.ovpn'],
  ['*.tfstate', '*.tfstate.backup', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '!*.pub'],
  ['.netrc', '_netrc', '.npmrc', '.pypirc', '.pgpass', '.my.cnf', '.htpasswd', '.git-credentials', '.dockercfg'],
  ['.boto', '.s3cfg', '.vault-token', 'kubeconfig', 'credentials', '*credentials.json', 'credentials.toml'],
  ['client_secret*.json', 'service-account*.json', 'service_account*.json'],
  ['secrets.json', 'secrets.yaml', 'secrets.yml', 'secrets.toml'],
  ['.ssh/', '.gnupg/', '.aws/', '.azure/', '.gcloud/', '.kube/', '.docker/', '.env/'],
].flat();

function toPattern(globs: readonly string[]): RegExp {
  const patterns = globs.map((glob) =>
    glob
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`))
      .join('.*'),
  );
  return new RegExp(`^(?:${patterns.join('|')})$`, 'isu');
}

const exceptions = toPattern(SECRET_NAMES.filter((name) => name.startsWith('!')).map((name) => name.slice(1)));
const secrets = SECRET_NAMES.filter((name) => !name.startsWith('!'));
const patternOf: Readonly<Record<'file' | 'directory', RegExp>> = {
  file: toPattern(secrets.filter((name) => !name.endsWith('/'))),
  directory: toPattern(secrets.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1))),
};

/**
 * Returns whether a file or directory of this name (the last part of a path) usually holds secrets: see
 * {@link SECRET_NAMES}. Public keys (`id_rsa.pub`) and `.env.example`, `.env.sample`, `.env.template` do not. Case does not
 * matter.
 */
export function isSecretName(name: string, kind: 'file' | 'directory' = 'file'): boolean {
  return patternOf[kind].test(name) && !exceptions.test(name);
}
