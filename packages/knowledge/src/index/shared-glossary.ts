import { createGlossary, parseGlossary, type Glossary, type GlossaryGroup } from '@cairn/retrieval';
import type { KnowledgeIndex } from './knowledge-index.ts';

const NONE: readonly GlossaryGroup[] = [];

/** The words that mean the same: Cairn's, the user's and the team's. Made again when one of them changed. */
export class SharedGlossary {
  readonly #index: Pick<KnowledgeIndex, 'glossary'>;
  readonly #readOwn: () => Promise<readonly GlossaryGroup[]>;
  #text = '';
  #team = NONE;
  #own = NONE;
  #glossary: Glossary = createGlossary();

  constructor(
    index: Pick<KnowledgeIndex, 'glossary'>,
    readOwn: (() => Promise<readonly GlossaryGroup[]>) | undefined = () => Promise.resolve(NONE),
  ) {
    this.#index = index;
    this.#readOwn = readOwn;
  }

  /** Returns the glossary as of the last call of the index. */
  async read(): Promise<Glossary> {
    const own = await this.#readOwn();
    const text = this.#index.glossary();
    if (own === this.#own && text === this.#text) return this.#glossary;
    if (text !== this.#text) this.#team = parseGlossary(text).groups;
    this.#own = own;
    this.#text = text;
    this.#glossary = createGlossary([...own, ...this.#team]);
    return this.#glossary;
  }
}
