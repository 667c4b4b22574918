import { findSecrets } from '@cairn/tool/prompt';
import { KnowledgeError, type ErrorPlace } from '../errors.ts';

/**
 * A run of characters that a generated key may be. It is not part of a path, an address or a longer run, and not the digest or the
 * data of `sha512-…`, `base64,…` or `ssh-ed25519 …`. Those are public.
 */
const RUN =
  /(?<![\w+/.~%:@#?&-]|base64,|ssh-[a-z0-9-]{1,20} |[?&;][\w.%-]{0,40}=)[A-Za-z0-9+/_-]{24,512}(?![\w+/-]|\.\w)/gu;
const DIGEST = /^sha\d{1,3}-/u;
const PLACEHOLDER = /example|placeholder|redacted|changeme|your|x{4}|(.)\1{5}/iu;
/** Bits of a character. Random letters and digits of 24 characters have about 4.2, words below 4. */
const MIN_ENTROPY = 3.9;
/** The share of neighbours of different kinds: about 0.6 in random text, 0.2 in names such as `getHttpResponse2`. */
const MIN_SWITCHES = 0.43;

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}

/** The kinds of characters; all others are one more. */
const KINDS = [/[a-z]/u, /[A-Z]/u, /\d/u];

function isRandom(run: string): boolean {
  if (!KINDS.every((kind) => kind.test(run))) return false;
  if (DIGEST.test(run) || PLACEHOLDER.test(run)) return false;
  const kinds = Array.from(run, (character) => KINDS.findIndex((kind) => kind.test(character)));
  const switches = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
  return switches / (run.length - 1) >= MIN_SWITCHES && entropyOf(run) >= MIN_ENTROPY;
}

/** A certificate or a public key. Both are public. */
const PUBLIC_BLOCK = /-----BEGIN (?:CERTIFICATE|[A-Z ]{0,20}PUBLIC KEY)-----[^-]{0,16384}/gu;

/** Returns the first secret: one of a known form, or a run of characters as irregular as a generated key. */
function secretIn(text: string): { readonly kind: string; readonly start: number } | undefined {
  // Examples are rejected too: to write <token> in their place costs less than a key that a whole team gets.
  const [known] = findSecrets(text, { examples: true });
  if (known !== undefined) return known;
  const open = text.replaceAll(PUBLIC_BLOCK, (block) => ' '.repeat(block.length));
  for (const { 0: run, index } of open.matchAll(RUN)) if (isRandom(run)) return { kind: 'random text', start: index };
  return undefined;
}

/** Returns the error `SECRET` with the line of the first secret. */
export function secretError(text: string, { path }: ErrorPlace = {}): KnowledgeError | undefined {
  const secret = secretIn(text);
  if (secret === undefined) return undefined;
  const line = text.slice(0, secret.start).split('\n').length;
  const file = path === undefined ? '' : `${path}, `;
  const summary = `The text seems to have a secret (${file}line ${line}: ${secret.kind})`;
  return new KnowledgeError('SECRET', [summary, 'Replace it by a placeholder such as <token>.'], { path, line });
}

/** @throws {KnowledgeError} `SECRET` with the line. */
export function checkSecrets(text: string, place?: ErrorPlace): void {
  const error = secretError(text, place);
  if (error !== undefined) throw error;
}
