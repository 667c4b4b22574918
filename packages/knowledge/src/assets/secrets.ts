import { findSecrets } from '@cairn/tool/prompt';
import { KnowledgeError } from '../errors.ts';

/** @throws {KnowledgeError} `SECRET` with the line. */
export function checkSecrets(text: string, { path }: { readonly path?: string | undefined } = {}): void {
  const [secret] = findSecrets(text);
  if (secret === undefined) return;
  const line = text.slice(0, secret.start).split('\n').length;
  const place = path === undefined ? '' : `${path}, `;
  const summary = `The text seems to have a secret (${place}line ${line}: ${secret.kind})`;
  throw new KnowledgeError('SECRET', [summary, 'Replace it by a placeholder such as <token>.'], { path, line });
}
