/** Calls of every public function of a memory, for tests of what they do when the store fails. */
import { MemoryError } from '@cairn/memory';
import type { Memory, WorkflowRun } from '@cairn/memory';
import { temporaryDirectory } from '../support/tree.ts';

const place = { stream: 's', group: 'g' };
const recall = { ...place, query: 'text', includeNotes: true, workflowId: 'w' };
const ann = { name: 'Ann', entityType: 'person', observations: ['likes tea'] };
const knows = { from: 'Ann', to: 'Bob', relationType: 'knows' };
const time = 1_703_123_456_789;
/** An export with a line of each kind. */
const lines = [
  { kind: 'export', version: 2 },
  { kind: 'fact', scope: 'user', fact: { id: 'fact_1', text: 'text', createdAt: time } },
  { kind: 'stream', name: 'plain', parents: [] },
  { kind: 'message', ...place, id: 'i', role: 'user', content: 'text', time },
  { kind: 'note', workflowId: 'w', content: 'text', source: 's', time, temporary: false },
  { kind: 'graph', graph: 'default', line: { type: 'entity', ...ann } },
  { kind: 'workflow', id: 'w', goal: 'g', todos: [], streamName: 's' },
  { kind: 'record', namespace: 'n', key: 'list', value: {}, time },
  { kind: 'document', namespace: 'n', key: 'document', document: 'text' },
  { kind: 'unreadable', key: 'ai:memory:s:g', record: 'text' },
  { kind: 'newer' },
].map((line) => JSON.stringify(line));

/** Runs a call with a fact, which may be missing when the store fails. */
async function withFact(memory: Memory, run: (id: string) => Promise<unknown>): Promise<unknown> {
  const { fact } = await memory.facts.remember(`text ${Math.random()}`);
  return run(fact.id);
}

async function withRun(memory: Memory, run: (run: WorkflowRun) => Promise<unknown>): Promise<unknown> {
  const { id } = await memory.workflows.create({ goal: 'g', todos: ['a'], streamName: 's', groupId: 'g' });
  const acquired = await memory.workflows.acquire(id);
  try {
    return await run(acquired);
  } finally {
    await acquired.release();
  }
}

/** Returns a stream of the memory. */
function streamOf(memory: Memory): ReturnType<Memory['stream']> {
  return memory.streamNames().includes('s')
    ? memory.stream('s')
    : memory.defineStream({ name: 's', functions: { f: { description: 'd', run: () => 'x' } } } as never);
}

/** The calls by the names of the functions. */
export const everyCall: Readonly<Record<string, (memory: Memory) => unknown>> = {
  defineStream: (memory) => memory.defineStream({ name: 'one' }),
  mergeStreams: (memory) => {
    for (const name of ['one', 'two']) memory.defineStream({ name });
    return memory.mergeStreams({ main: 'one', secondary: ['two'] }).addMessage('g', { content: 'text' });
  },
  stream: (memory) => memory.stream('none'),
  streamNames: (memory) => memory.streamNames(),
  storeNote: (memory) => memory.storeNote('w', 'text', 's'),
  getNotes: (memory) => memory.getNotes('w'),
  removeNotes: (memory) => memory.removeNotes('w'),
  'messages.addAll': (memory) =>
    memory.messages.addAll(place, [{ content: 'text' }, { id: 'x', content: 'text', time }]),
  'messages.add': (memory) => memory.messages.add(place, { id: `${Math.random()}`, content: 'text' }),
  'messages.get': (memory) => memory.messages.get(place, 'i'),
  'messages.history': (memory) => memory.messages.history(place),
  'messages.remove': async (memory) => {
    await memory.messages.remove(place, 'i');
    return memory.messages.remove({ stream: 's', group: 'gone' }, undefined);
  },
  'workflows.create': (memory) => memory.workflows.create({ goal: 'g', todos: ['a'], streamName: 's' }),
  'workflows.get': (memory) => memory.workflows.get('w'),
  'workflows.list': (memory) => memory.workflows.list(),
  'workflows.waiting': (memory) => memory.workflows.waiting({ stream: 's', group: 'g' }),
  'workflows.acquire': (memory) => withRun(memory, async () => undefined),
  'workflows.editTodos': (memory) => memory.workflows.editTodos('w', [{ content: 'a' }]),
  'workflows.cancel': (memory) => memory.workflows.cancel('w'),
  'workflows.remove': (memory) => memory.workflows.remove('w'),
  'workflows.restore': (memory) =>
    memory.workflows.restore({
      id: `w${Math.random()}`,
      goal: 'g',
      todos: [],
      notes: [],
      streamName: 's',
      status: 'running',
      createdAt: time,
      updatedAt: time,
      revision: 0,
    }),
  'run.update': (memory) => withRun(memory, (run) => run.update({ addTodos: ['b'], state: 1 })),
  'run.updateTodo': (memory) => withRun(memory, (run) => run.updateTodo('todo_0', { status: 'done', result: 1 })),
  'run.addTodos': (memory) => withRun(memory, (run) => run.addTodos(['b'])),
  'run.setState': (memory) => withRun(memory, (run) => run.setState({ a: 1 })),
  'run.wait': (memory) => withRun(memory, (run) => run.wait({ question: 'q' })),
  'run.finish': (memory) => withRun(memory, (run) => run.finish()),
  'run.release': (memory) => withRun(memory, (run) => run.release()),
  'facts.remember': (memory) => memory.facts.remember(`text ${Math.random()}`),
  'facts.get': (memory) => withFact(memory, (id) => memory.facts.get(id)),
  'facts.history': (memory) => withFact(memory, (id) => memory.facts.history(id)),
  'facts.update': (memory) => withFact(memory, (id) => memory.facts.update(id, { text: `text ${Math.random()}` })),
  'facts.supersede': (memory) => withFact(memory, (id) => memory.facts.supersede(id, `text ${Math.random()}`)),
  'facts.archive': (memory) => withFact(memory, (id) => memory.facts.archive(id)),
  'facts.restore': (memory) =>
    withFact(memory, async (id) => {
      await memory.facts.archive(id);
      return memory.facts.restore(id);
    }),
  'facts.forget': (memory) => withFact(memory, (id) => memory.facts.forget(id)),
  'facts.list': (memory) => memory.facts.list(),
  'facts.recall': (memory) => memory.facts.recall({ query: 'text' }),
  'facts.startBlock': (memory) => memory.facts.startBlock(),
  'facts.toMarkdown': (memory) => memory.facts.toMarkdown(),
  'facts.applyMarkdown': async (memory) => {
    const original = await memory.facts.toMarkdown();
    return memory.facts.applyMarkdown(`${original}\n## new\n\ntext ${Math.random()}\n`, { original });
  },
  'facts.moveProject': (memory) => memory.facts.moveProject('p', 'q'),
  'facts.projects': (memory) => memory.facts.projects(),
  graph: (memory) => memory.graph(),
  namespace: (memory) => memory.namespace('n'),
  recall: (memory) => memory.recall(recall),
  retrieveRelevantContexts: (memory) => {
    streamOf(memory);
    return memory.retrieveRelevantContexts(recall);
  },
  listGroups: (memory) => memory.listGroups(),
  listNotes: (memory) => memory.listNotes(),
  forget: async (memory) => {
    await memory.forget({ ...place, message: 'i' });
    await memory.forget({ workflow: 'gone' });
    await memory.forget({ unreadable: true });
    return memory.forget({ everything: true });
  },
  stats: (memory) => memory.stats(),
  export: async (memory) => {
    await Array.fromAsync(memory.export({ format: 'markdown' }));
    return Array.fromAsync(memory.export());
  },
  import: (memory) => memory.import(lines),
  unreadable: (memory) => memory.unreadable(),
  backup: (memory) => memory.backup(`${temporaryDirectory()}/copy.db`),
  close: (memory) => memory.close(),
  'graph().read': (memory) => memory.graph().read(),
  'graph().createEntities': (memory) => memory.graph().createEntities([ann]),
  'graph().createRelations': (memory) => memory.graph().createRelations([knows]),
  'graph().addObservations': (memory) =>
    memory.graph().addObservations([{ entityName: 'Ann', contents: [`${Math.random()}`] }]),
  'graph().deleteEntities': (memory) => memory.graph().deleteEntities(['Bob']),
  'graph().deleteObservations': (memory) =>
    memory.graph().deleteObservations([{ entityName: 'Ann', contents: ['likes tea'] }]),
  'graph().deleteRelations': (memory) => memory.graph().deleteRelations([knows]),
  'graph().search': (memory) => memory.graph().search('tea'),
  'graph().open': (memory) => memory.graph().open(['Ann']),
  'namespace().storeKey': (memory) => memory.namespace('n').storeKey('list'),
  'namespace().append': (memory) => memory.namespace('n').append('list', [{ text: 'text' }]),
  'namespace().list': (memory) => memory.namespace('n').list('list'),
  'namespace().changes': (memory) => memory.namespace('n').changes('list'),
  'namespace().remove': async (memory) => {
    const records = await memory.namespace('n').append('list', [{ text: 'text' }]);
    return memory.namespace('n').remove('list', records);
  },
  'namespace().read': (memory) => memory.namespace('n').read('document'),
  'namespace().swap': (memory) => memory.namespace('n').swap('document', { expected: undefined, next: 'text' }),
  'namespace().keys': (memory) => memory.namespace('n').keys(),
  'namespace().forget': (memory) => memory.namespace('n').forget(),
  'stream().storeNote': (memory) => streamOf(memory).storeNote('w', 'text', 's'),
  'stream().getNotes': (memory) => streamOf(memory).getNotes('w'),
  'stream().removeNotes': (memory) => streamOf(memory).removeNotes('w'),
  'stream().addMessage': (memory) => streamOf(memory).addMessage('g', { content: 'text' }),
  'stream().history': (memory) => streamOf(memory).history('g'),
  'stream().retrieveRelevantContexts': (memory) => {
    const { stream: _, ...options } = recall;
    return streamOf(memory).retrieveRelevantContexts(options);
  },
  'stream().buildFunctionsPrompt': (memory) => streamOf(memory).buildFunctionsPrompt(),
  'stream().buildSystemPrompt': (memory) => streamOf(memory).buildSystemPrompt({ group: 'g' }),
  'stream().buildTodoPrompt': (memory) =>
    streamOf(memory).buildTodoPrompt({ goal: 'g', todos: [], notes: [] }, { content: 'a' }),
  'stream().execute': (memory) => streamOf(memory).execute({ type: 'none', params: {} } as never),
};

/** Returns the names of all functions of a memory. */
export async function functionsOf(memory: Memory): Promise<string[]> {
  const found: string[] = [];
  const collect = (value: object, prefix: string): void => {
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'function') found.push(`${prefix}${name}`);
      else if (typeof one === 'object' && one !== null && name !== 'backend') collect(one, `${prefix}${name}.`);
    }
  };
  collect(memory, '');
  collect(memory.graph(), 'graph().');
  collect(memory.namespace('n'), 'namespace().');
  collect(streamOf(memory), 'stream().');
  await withRun(memory, async (run) => collect(Object.fromEntries(methodsOf(run)), 'run.'));
  return found.toSorted();
}

/** The record and the signal of a run are values. */
function methodsOf(run: WorkflowRun): [string, unknown][] {
  return Object.entries(run).filter(([, value]) => typeof value === 'function');
}

/** Returns the code of the error of a call, or `done`. A failure without a code is returned as its text. */
export async function outcomeOf(memory: Memory, name: string): Promise<string> {
  try {
    await everyCall[name]?.(memory);
    return 'done';
  } catch (error) {
    return MemoryError.isInstance(error) ? error.code : `raw: ${String(error)}`;
  }
}

/** Writes something under every kind of key. */
export async function fillMemory(memory: Memory): Promise<void> {
  await memory.import(lines);
  await memory.facts.remember('text of the project');
  await memory.storeNote('w', 'text', 's');
  await memory.namespace('n').append('list', [{ text: 'text' }]);
}
