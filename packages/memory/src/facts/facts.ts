import type { Embed } from '@cairn/retrieval';
import type { Language } from '../records/language.ts';
import { archiveFact, findFact, forgetFact, restoreFact, supersedeFact, updateFact } from './change-facts.ts';
import type { ChangeDependencies } from './change-facts.ts';
import { applyMarkdown, factsToMarkdown } from './edit-facts.ts';
import { factOf } from './fact.ts';
import { factTables } from './fact-table.ts';
import type { Facts } from './facts-api.ts';
import { moveFacts } from './move-facts.ts';
import { recallFacts } from './recall-facts.ts';
import { rememberFact } from './remember.ts';
import { listFacts } from './selection.ts';
import { createStartBlocks } from './start-blocks.ts';
import { historyOf } from './versions.ts';

export interface FactsDependencies extends ChangeDependencies {
  readonly embed: Embed | undefined;
  readonly language: Language;
}

/** Creates the facts of a memory. */
export function createFacts({ embed, language, ...dependencies }: FactsDependencies): Facts {
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
    startBlock: createStartBlocks({ ...dependencies, language }),
    toMarkdown: (selection = {}) => factsToMarkdown(dependencies, selection),
    applyMarkdown: (edited, options) => applyMarkdown(dependencies, edited, options),
    moveProject: (from, to, options = {}) => moveFacts(dependencies, { ...options, from, to }),
    projects: async (options = {}) => {
      const tables = await factTables(dependencies.backend, { ...options, reader: dependencies.reader });
      return tables.flatMap(({ project, rows }) => (project === undefined ? [] : [{ project, facts: rows }]));
    },
  };
}
