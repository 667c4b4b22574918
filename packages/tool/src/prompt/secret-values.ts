/** Secrets that are known by what comes before them, and the values in such places that are not secrets. */

/** Values that are not secrets: variables, references, paths, words such as `changeme`, one repeated character. */
const REFERENCE =
  /^(?:\$|%|@|\.{0,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/|arn:|urn:|process\.|env\.|os\.|import\.|your|my[_-]|dummy|test|change|(.)\1*$)/iu;

/** Words and rows of characters that no issued token has, and the examples of Stripe and of RFC 7617. */
const MASKED =
  /example|placeholder|redacted|your[-_ ]|changeme|x{4}|\*{3}|\.{3}|…|(.)\1{7}|4eC39HqLyjWDarjtT1zdp7dc|QWxhZGRpbjpvcGVuIHNlc2FtZQ/iu;

/** Rows of characters that documentation writes instead of a secret. */
const SEQUENCE = /abcdefgh|(?:0123456789|1234567890)abcdef/iu;

/** Passwords of examples and of local servers, which protect nothing. */
const KNOWN =
  /^(?:admin|changeme|default|guest|minioadmin|mysql|open sesame|pass|passwd|password|postgres|root|secret|test|token|user|username|[x*.]+|<.*|.*[${}<>%[\]].*)$/iu;

/** A word or a version of one: `base64url`, `argon2id`, `createToken`, `42`. */
const WORD = /^(?:[a-z]{2,}\d{0,3}|[a-z]{4,}\d{1,3}[a-z]{1,3}|\d{1,4}|\+\d{8,15}|v?\d{1,3}[a-z]?)$/iu;

/** Names of secrets that people choose themselves, which are shorter than those that programs make. */
const CHOSEN = /^(?:-{0,2}pass|pwd|密码|密碼|口令)/iu;

/** Returns whether a value reads as words, such as `at-least-8-characters` or `config.authToken2`. */
export function isWords(value: string): boolean {
  return value.split(/[-_./:]+|(?<=[a-z\d])(?=[A-Z])/u).every((part) => part === '' || WORD.test(part));
}

/** Whether an example of documentation counts as a secret, unless it says itself that it is one. */
export interface ExampleOptions {
  readonly examples: boolean;
}

/** Returns whether a token is an example of documentation. */
export function isExample(token: string, { examples }: ExampleOptions): boolean {
  return MASKED.test(token) || (!examples && SEQUENCE.test(token));
}

/** Returns whether a value has the mixture of characters that a generated secret, or a good password, has. */
function isLikelySecret(value: string, name: string, options: ExampleOptions): boolean {
  if (!/\d/u.test(value) || !/[A-Za-z]/u.test(value) || new Set(value).size < 6) return false;
  if (REFERENCE.test(value) || isExample(value, options) || isWords(value)) return false;
  return CHOSEN.test(name) || value.length >= 16 || (/[a-z]/u.test(value) && /[A-Z]/u.test(value));
}

/** Returns whether a value has no words but may have parts that look like some: `Xazumvan2NolUVZm`. */
function isOpaque(value: string, options: ExampleOptions): boolean {
  if (!/^(?=[^\d]*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z\d]{16,}$/u.test(value)) return false;
  return !/token|key|secret|auth|jwt|bearer/iu.test(value) && !REFERENCE.test(value) && !isExample(value, options);
}

/** Returns whether a user's password protects something. */
function isPassword(password: string, user: string, options: ExampleOptions): boolean {
  return password.length > 2 && password !== user && !KNOWN.test(password) && !isExample(password, options);
}

/** Returns whether a string is a user and a password in base64. */
function isBasic(value: string, _: string, options: ExampleOptions): boolean {
  const text = Buffer.from(value, 'base64').toString('latin1');
  const [whole, user = '', password = ''] = /^([\u0020-\u007e]{0,256}?):([\u0020-\u007e]{3,256})$/u.exec(text) ?? [];
  return whole !== undefined && isPassword(password, user, options);
}

/** A pattern whose match ends with the secret. */
interface Place {
  /** The kind; `value of ` and the name before the value when there is none. */
  readonly kind?: string;
  /** What every text with such a secret has. It is quick to search for. */
  readonly needs: RegExp;
  readonly pattern: RegExp;
  /** Returns whether the value is a secret. `name` is what comes before it: a name, or a user. */
  readonly isSecret: (value: string, name: string, options: ExampleOptions) => boolean;
}

/** The group `value` of a pattern is the secret; the group `name` is the name or user before it. */
export const PLACES: readonly Place[] = [
  {
    // A user and a password in a URL or connection string.
    kind: 'password in a URL',
    needs: /:\/\/[^\s/@]{0,513}@/u,
    pattern:
      /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/(?<name>[^\s:/@]{0,256}):(?<value>[^\s/@]{3,256})(?=@[^\s/@])/giu,
    isSecret: isPassword,
  },
  {
    kind: 'authorization header',
    needs: /bearer|authorization/iu,
    pattern:
      /\b(?<name>bearer|authorization["']?\s{0,4}[:=]\s{0,4}["'`]?(?:token|apikey|api-key|key)?)\s{1,4}(?<value>[\w.~+/-]{8,2048}={0,2})(?![\w$<{(])/giu,
    isSecret: (value, name, options) => isLikelySecret(value, name, options) || isOpaque(value, options),
  },
  {
    kind: 'user and password',
    needs: /basic|auth/iu,
    // `Authorization: Basic …`, `_auth=…` of npm, `"auth": "…"` of Docker.
    pattern:
      /(?:\b(?<name>basic)\s{1,4}|(?<![a-z])_?auth["']?\s{0,4}[:=]\s{0,4}["']?)(?<value>[A-Za-z0-9+/]{8,1024}={0,2})(?![\w+/=])/giu,
    isSecret: isBasic,
  },
  {
    kind: 'password of a command',
    needs: /curl|wget/u,
    pattern:
      /\b(?:curl|wget)\b[^\n|;]{0,200}?\s(?:-u|--user|--proxy-user|-U)[ =]?\s{0,4}["']?(?<name>[^\s:"']{1,128}):(?<value>[^\s"']{3,256})/gu,
    isSecret: isPassword,
  },
  {
    kind: 'password of a command',
    needs: /mysql|mariadb|sshpass|docker login|redis-cli/u,
    pattern:
      /\b(?:(?:mysql|mariadb)\w{0,8}\b[^\n|;]{0,200}?\s-p|(?:sshpass|docker login)\b[^\n|;]{0,200}?\s-p\s{0,4}|redis-cli\b[^\n|;]{0,200}?\s-a\s{1,4})["']?(?<value>[^\s"'-][^\s"']{3,256})/gu,
    isSecret: (value, _, options) =>
      /[\d\W_]/u.test(value) && isPassword(value, '', options) && !REFERENCE.test(value) && !/^\d+$/u.test(value),
  },
  {
    kind: 'password of a .netrc file',
    needs: /machine\s/u,
    pattern:
      /\bmachine\s{1,8}[^\s]{1,256}\s{1,8}login\s{1,8}(?<name>[^\s]{1,256})\s{1,8}password\s{1,8}(?<value>[^\s]{3,256})/gu,
    isSecret: isPassword,
  },
  {
    needs: /--[a-z]/iu,
    pattern:
      /(?<![\w-])(?<name>--(?:password|passwd|pass|token|secret|(?:api|access|auth|secret)-(?:key|token)|client-secret))\s{1,4}["']?(?<value>[!#-&*+\-.-:=?@A-Z\\^_a-z|~]{8,255})(?![(\w])/giu,
    isSecret: isLikelySecret,
  },
];

/**
 * `password = "…"`, `DB_PASSWORD: …`, `the password of the database is …`, `密码是 …`. The name is the first group, the verb of
 * a sentence the second, the value the third; it ends the match.
 */
const ASSIGNMENT =
  /((?:api|app|application|access|auth|account|client|encryption|master|private|secret|session|signing)[_-]?(?:key|secret|token)|(?<=_)pass|passw(?:or)?d|pwd|passphrase|secret|token|密码|密碼|口令|密钥|密鑰|令牌)["']?(?:\s{0,8}(?::=|=>|[:=：])|(?:\s[\w-]{1,20}){0,5}?\s{0,8}(\bis\b|\bwas\b|是|为|為|改成)[:：]?)\s{0,8}["'`“「]?([!#-&*+\-.-:=?@A-Z\\^_a-z|~]{8,255})(?![(\w])/giu;

/** Finds the values of names such as `password` that are likely secrets. */
export function* findAssigned(
  text: string,
  options: ExampleOptions,
): Generator<{ readonly kind: string; readonly start: number; readonly end: number }> {
  if (text.search(ASSIGNMENT) === -1) return;
  const pattern = new RegExp(ASSIGNMENT);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole, name = '', verb, value = ''] = match;
    const end = match.index + whole.length;
    // A value may hold the next assignment.
    pattern.lastIndex = end - value.length;
    // A sentence may end after the value.
    const secret = verb === undefined ? value : value.replace(/[.!?]+$/u, '');
    if (!isLikelySecret(secret, name, options)) continue;
    yield { kind: `value of ${name}`, start: end - value.length, end: end - value.length + secret.length };
  }
}
