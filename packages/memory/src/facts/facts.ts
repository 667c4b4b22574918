import type { Embed } from '@cairn/retrieval';
import type { Language } from '../records/language.ts';
import { archiveFact, findFact, forgetFact, restoreFact, supersedeFact, updateFact } from './change-facts.ts';
import type { ChangeDependencies } from './change-facts.ts';
import { applyMarkdown, factsToMarkdown } from './edit-facts.ts';
import { factOf, isActive } from './fact.ts';
import { factTables } from './fact-table.ts';
import type { Facts } from './facts-api.ts';
import { moveFacts } from './move-facts.ts';
import { recallFacts } from './recall-facts.ts';
import { rememberFact } from './remember.ts';
import { listFacts, selectFacts } from './selection.ts';
import { formatStartBlock } from './start-block.ts';
import { historyOf } from './versions.ts';

export interface FactsDependencies extends ChangeDependencies {
  readonly embed: Embed | undefined;
  readonly language: Language;
}

/** Creates the facts of a memory. */
export function createFacts({ embed, language: ownLanguage, ...dependencies }: FactsDependencies): Facts {
  return {
    remember: (text, options = {}) => rememberFact(dependencies, text, options),
    get: async (id, options = {}) => {
      const { stored, table } = await findFact(dependencies, id, options);
      return factOf(stored, table);
    },
    history: async (id, options = {}) => historyOf((await findFact(dependencies, id, options)).stored),
    update: (id, changes = {}) => updateFact(dependencies, id, changes),
    supersede: (id, text, options = {}) => supersedeFact(dependencies, id, text, options),
    archive: (id, options = {}) => archiveFact(dependencies, id, options),
    restore: (id, options = {}) => restoreFact(dependencies, id, options),
    forget: (id, options = {}) => forgetFact(dependencies, id, options),
    list: (options = {}) => listFacts(dependencies, options),
    recall: (options) => recallFacts(dependencies, { ...options, embed }),
    startBlock: async (options = {}) => {
      const selected = (await selectFacts(dependencies, options)).filter(({ stored }) => isActive(stored));
      const [pinned, rest] = [true, false].map((isPinned) =>
        selected.filter(({ stored }) => (stored.pinned === true) === isPinned),
      );
      const facts = [...(pinned ?? []), ...(rest ?? [])].map(({ stored, table }) => factOf(stored, table));
      const { language = ownLanguage, maxCharacters } = options;
      return formatStartBlock(facts, { language, maxCharacters });
    },
    toMarkdown: (selection = {}) => factsToMarkdown(dependencies, selection),
    applyMarkdown: (edited, options) => applyMarkdown(dependencies, edited, options),
    moveProject: (from, to, options = {}) => moveFacts(dependencies, { ...options, from, to }),
    projects: async (options = {}) => {
      const tables = await factTables(dependencies.backend, { ...options, reader: dependencies.reader });
      return tables.flatMap(({ project, rows }) => (project === undefined ? [] : [{ project, facts: rows }]));
    },
  };
}
