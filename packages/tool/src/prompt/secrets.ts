/** A secret in a text. */
export interface FoundSecret {
  /** The kind of secret, such as `GitHub token`. */
  readonly kind: string;
  /** The start and the end (exclusive), in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/**
 * Tokens by the form that their issuers document, most specific first. Each pattern is anchored at a fixed prefix, so an
 * ordinary text has few candidates.
 *
 * @see https://github.com/gitleaks/gitleaks which has the same forms and many rarer ones
 */
const formats: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    'private key',
    /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]{0,16384}?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?/gu,
  ],
  ['AWS access key', /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/gu],
  ['GitHub token', /\b(?:gh[oprsu]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b/gu],
  ['GitLab token', /\bgl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{20,255}/gu],
  ['Anthropic key', /\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{24,255}/gu],
  ['OpenAI key', /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,255}/gu],
  ['Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,255}\b/gu],
  ['Slack token', /\bxox[abeoprs]-[A-Za-z0-9-]{20,255}/gu],
  ['Google API key', /\bAIza[A-Za-z0-9_-]{35}/gu],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}\b/gu],
  ['PyPI token', /\bpypi-AgE[A-Za-z0-9_-]{50,255}/gu],
  ['JSON web token', /\beyJ[A-Za-z0-9_-]{10,2048}\.eyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{20,2048}/gu],
  ['password in a URL', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,256}:[^\s/@]{3,256}@[^\s/@]/giu],
];

/** `password = "…"` and the like. The value is the second group. */
const assignment =
  /\b((?:api|access|auth|client|private|secret|session)[_-]?(?:key|secret|token)|passw(?:or)?d|passphrase|secret|token)["']?\s{0,8}[:=]\s{0,8}["'`]?([^\s"'`,;(){}<>[\]]{8,255})/giu;

/** Values that are not secrets: variables, references, words such as `changeme`, one repeated character. */
const placeholder =
  /^(?:\$|%|process\.|env\.|os\.|import\.|your|my[_-]|example|dummy|test|change|placeholder|redacted|xxx|\*\*\*|(.)\1*$)/iu;

/** Returns whether a value has the mixture of characters that a generated secret has. */
function isLikelyGenerated(value: string): boolean {
  return /\d/u.test(value) && /[A-Za-z]/u.test(value) && !placeholder.test(value) && new Set(value).size >= 6;
}

function* candidates(text: string): Generator<FoundSecret, void, undefined> {
  for (const [kind, pattern] of formats) {
    for (const {
      0: { length },
      index,
    } of text.matchAll(pattern))
      yield { kind, start: index, end: index + length };
  }
  for (const match of text.matchAll(assignment)) {
    const [whole, name = '', value = ''] = match;
    const end = match.index + whole.length;
    if (isLikelyGenerated(value)) yield { kind: `value of ${name}`, start: end - value.length, end };
  }
}

/**
 * Finds keys, tokens and passwords in a text, in order of place, without overlaps. It knows documented token formats,
 * private keys, passwords in URLs, and assignments such as `password = "…"` with a value that is likely generated. It does not find
 * secrets of other forms, and what it finds may be an example: ask the user, do not refuse.
 */
export function findSecrets(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  // Of several secrets at one place the longest counts; of equal ones the most specific format, which is listed first.
  for (const secret of [...candidates(text)].toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = found.at(-1);
    if (last === undefined || secret.start >= last.end) found.push(secret);
  }
  return found;
}

/**
 * The names that usually hold secrets, as patterns without case in which `*` stands for any characters. A pattern that
 * ends in `/` is for directories, the others are for files and links. A pattern with `!` in front is an exception: it
 * wins over all others, wherever it is in the list.
 */
export const SECRET_NAMES: readonly string[] = [
  '.env*',
  '*.env',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '*.pem',
  '*.key',
  '*.p8',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdb',
  '*.kdbx',
  '*.ppk',
  '*.ovpn',
  '*.tfstate',
  '*.tfstate.backup',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '!*.pub',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.git-credentials',
  '.dockercfg',
  '.boto',
  '.s3cfg',
  '.vault-token',
  'kubeconfig',
  'credentials',
  '*credentials.json',
  'credentials.toml',
  'client_secret*.json',
  'service-account*.json',
  'service_account*.json',
  'secrets.json',
  'secrets.yaml',
  'secrets.yml',
  'secrets.toml',
  '.ssh/',
  '.gnupg/',
  '.aws/',
  '.azure/',
  '.gcloud/',
  '.kube/',
  '.docker/',
  '.env/',
];

/** Whether a name is that of a directory, or of a file or link. */
export type NamedKind = 'file' | 'directory';

/** Returns a pattern for the names that one of the globs matches. */
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
const patternOf: Readonly<Record<NamedKind, RegExp>> = {
  file: toPattern(secrets.filter((name) => !name.endsWith('/'))),
  directory: toPattern(secrets.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1))),
};

/**
 * Returns whether a file or directory of this name (the last part of a path) usually holds secrets: see
 * {@link SECRET_NAMES}. Public keys (`id_rsa.pub`) and `.env.example`, `.env.sample`, `.env.template` do not. Case does not
 * matter.
 */
export function isSecretName(name: string, kind: NamedKind = 'file'): boolean {
  return patternOf[kind].test(name) && !exceptions.test(name);
}
