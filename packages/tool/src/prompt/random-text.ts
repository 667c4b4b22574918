import { isExample } from './secret-values.ts';

/**
 * A run of characters that a generated key may be. It is not part of a path, an address or a longer run, and not the digest or the
 * data of `sha512-…`, `base64,…` or `ssh-ed25519 …`. Those are public.
 */
const RUN =
  /(?<![\w+/.~%:@#?&-]|base64,|ssh-[a-z0-9-]{1,20} |[?&;][\w.%-]{0,40}=)[A-Za-z0-9+/_-]{24,512}(?![\w+/-]|\.\w)/gu;
const DIGEST = /^sha\d{1,3}-/u;
const PLACEHOLDER = /your|x{4}|(.)\1{5}/iu;
/** A name such as `Only_output_JavaScript_files_6623`: each part has letters or digits. */
const NAME = /^(?:(?:[A-Za-z]+|\d+)?[-_/])+(?:[A-Za-z]+|\d+)?$/u;
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
  if (DIGEST.test(run) || PLACEHOLDER.test(run) || isExample(run, { examples: true }) || NAME.test(run)) return false;
  const kinds = Array.from(run, (character) => KINDS.findIndex((kind) => kind.test(character)));
  const switches = kinds.filter((kind, index) => index > 0 && kind !== kinds[index - 1]).length;
  return switches / (run.length - 1) >= MIN_SWITCHES && entropyOf(run) >= MIN_ENTROPY;
}

/** A certificate or a public key. Both are public. */
const PUBLIC_BLOCK = /-----BEGIN (?:CERTIFICATE|[A-Z ]{0,20}PUBLIC KEY)-----[^-]{0,16384}/gu;

/** Finds runs of letters and digits that are as irregular as a generated key, in order. */
export function findRandomText(
  text: string,
): { readonly kind: string; readonly start: number; readonly end: number }[] {
  const open = text.includes('-----BEGIN') ? text.replaceAll(PUBLIC_BLOCK, (block) => ' '.repeat(block.length)) : text;
  return Array.from(open.matchAll(RUN))
    .filter(({ 0: run }) => isRandom(run))
    .map(({ 0: run, index }) => ({ kind: 'random text', start: index, end: index + run.length }));
}
