import { DEFAULT_STREAM } from '../defaults.ts';
import { MemoryError } from '../errors.ts';
import { checkName } from '../records/keys.ts';
import { randomName } from '../records/random-name.ts';
import type { CallOptions } from '../records/backend.ts';
import { changeFact, checkActive, newRow, type Apply } from './change-facts.ts';
import { checkSecrets, checkTags, checkText, unionTags } from './checks.ts';
import { disagrees } from './disagreement.ts';
import { factOf, type Fact, type FactTable, type StoredFact } from './fact.ts';
import { factTable, untilDone, writeFacts, type FactDependencies } from './fact-table.ts';
import type { RememberedFact, RememberFactOptions } from './facts-api.ts';
import { foldText } from './fold.ts';
import { recallFacts } from './recall-facts.ts';

/** A fact with this many terms of the text is similar, even if they are too few to answer a question. */
const COMMON_TERMS = 3;
const MAX_SIMILAR = 3;
/** The part of a long text that similar facts are searched by, in UTF-16 code units. */
const MAX_QUERY = 2000;
/** The facts among which a new text may have an equal one. */
const MAX_COMPARED = 8;

/** Returns the text, the tags and the readers of a new fact. @throws {MemoryError} */
function checkNew(
  { limits }: FactDependencies,
  text: unknown,
  options: RememberFactOptions,
): Omit<StoredFact, 'id' | 'createdAt'> {
  const { stream = DEFAULT_STREAM, shared = stream === DEFAULT_STREAM, source, pinned, allowSecret } = options;
  const content = checkText(text, limits);
  const tags = checkTags(options.tags ?? []);
  checkName(stream, 'stream');
  if (source !== undefined) checkName(source, 'source');
  checkSecrets([content, ...tags, source ?? ''], allowSecret);
  return {
    text: content,
    ...(stream !== DEFAULT_STREAM && { stream }),
    ...(shared && { shared }),
    tags,
    source,
    ...(pinned === true && { pinned }),
    ...(allowSecret === true && { allowSecret }),
  };
}

/** Adds tags to a fact; `undefined` when it is no longer there. */
async function addTags(
  dependencies: FactDependencies,
  id: string,
  { tags = [], pinned, allowSecret }: Pick<StoredFact, 'tags' | 'pinned' | 'allowSecret'>,
  options: CallOptions & { readonly table: FactTable },
): Promise<Fact | undefined> {
  const apply: Apply = (stored) => {
    checkActive(stored);
    return {
      tags: unionTags(stored.tags ?? [], tags),
      ...(pinned === true && { pinned }),
      ...(allowSecret && { allowSecret }),
    };
  };
  try {
    return await changeFact(dependencies, id, options, { by: 'update', apply });
  } catch (error) {
    const isGone = MemoryError.isInstance(error) && (error.code === 'UNKNOWN_FACT' || error.code === 'FACT_ARCHIVED');
    if (isGone) return undefined;
    throw error;
  }
}

export async function rememberFact(
  dependencies: FactDependencies,
  text: string,
  options: RememberFactOptions,
): Promise<RememberedFact> {
  const { backend, project: ownProject } = dependencies;
  const { scope = 'project', project = ownProject, stream, signal } = options;
  const table = factTable(scope, project);
  const added = checkNew(dependencies, text, options);
  const query = added.text.slice(0, MAX_QUERY);
  // The text of a fact has many words that no other fact has: to correct them would take longer than to write it.
  const search = { query, project, stream, limit: MAX_COMPARED, findsRelated: false, signal };
  const recalled = await recallFacts(dependencies, search);
  const similarTo = (id: string): Pick<RememberedFact, 'similar' | 'disagreesWith'> => {
    const others = recalled.facts.filter((fact) => fact.id !== id);
    const disagreeing = others.filter((fact) => disagrees(fact.text, added.text));
    const rest = others.filter(
      (fact) => !disagreeing.includes(fact) && (fact.isSimilar !== true || fact.matched.length >= COMMON_TERMS),
    );
    const shown = [...disagreeing, ...rest].slice(0, MAX_SIMILAR);
    const ids = shown.filter((fact) => disagreeing.includes(fact)).map((fact) => fact.id);
    return {
      similar: shown.map(
        ({ score: _, isSimilar: __, matched: ___, evidence: ____, disagreesWith: _____, ...fact }) => fact,
      ),
      ...(ids.length > 0 && { disagreesWith: ids }),
    };
  };
  // One that all streams recall. The store finds one of the same stream, in the step that writes.
  const folded = foldText(added.text);
  let equal = recalled.facts.find(
    (fact) => fact.scope === scope && fact.shared === true && foldText(fact.text) === folded,
  )?.id;
  const attempt = async (): Promise<RememberedFact | undefined> => {
    if (equal !== undefined) {
      const fact = await addTags(dependencies, equal, added, { table, signal });
      if (fact !== undefined) return { fact, isNew: false, ...similarTo(fact.id) };
    }
    const nowMs = await backend.now({ signal });
    const stored: StoredFact = {
      id: `fact_${randomName()}`,
      ...added,
      createdAt: nowMs,
      updatedAt: nowMs,
      revision: 1,
    };
    const result = await writeFacts(backend, table.key, [newRow(dependencies, stored)], { signal });
    if (result.isDone) return { fact: factOf(stored, table), isNew: true, ...similarTo(stored.id) };
    equal = result.reason === 'taken' ? result.id : undefined;
    return undefined;
  };
  return untilDone(backend, attempt, { key: table.key, signal });
}
