import { ContextError } from '../errors.ts';

const LANGUAGES = ['en', 'zh'] as const;

/** The language of texts for a model. */
export type Language = (typeof LANGUAGES)[number];

/** @throws {ContextError} `INVALID_OPTION`. */
export function checkLanguage(language: Language): Language {
  if (LANGUAGES.includes(language)) return language;
  const summary = `Invalid language ${JSON.stringify(language)}`;
  throw new ContextError('INVALID_OPTION', [summary, `Use ${LANGUAGES.join(' or ')}.`], { option: 'language' });
}
