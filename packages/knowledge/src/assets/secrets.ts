import { findStoredSecrets, placeOf } from '@cairn/tool/internal';
import { KnowledgeError, type ErrorPlace } from '../errors.ts';

/** Returns the error `SECRET` with the place of the first secret. */
export function secretError(text: string, { path }: ErrorPlace = {}): KnowledgeError | undefined {
  const [secret] = findStoredSecrets(text);
  if (secret === undefined) return undefined;
  const { line, column } = placeOf(text, secret.start);
  const file = path === undefined ? '' : `${path}, `;
  const summary = `The text seems to have a secret (${file}line ${line}, column ${column}: ${secret.kind})`;
  return new KnowledgeError('SECRET', [summary, 'Replace it by a placeholder such as <token>.'], { path, line });
}

/** @throws {KnowledgeError} `SECRET` with the place. */
export function checkSecrets(text: string, place?: ErrorPlace): void {
  const error = secretError(text, place);
  if (error !== undefined) throw error;
}
