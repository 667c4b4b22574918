import { MODES, type ContextManager, type ContextMode, type UnifiedMessage } from '@cairn/context';
import { labelOf } from '@cairn/context/internal';
import { AgentError } from '../errors.ts';

interface Histories {
  readonly main: readonly UnifiedMessage[];
  readonly own: readonly UnifiedMessage[];
  /** The first run of the chain that the request continues. */
  readonly continues: string | undefined;
}

/** Returns the first run of the chain that a run of an agent belongs to. @throws {AgentError} `UNKNOWN_RUN` */
function chainOf(run: string, history: readonly UnifiedMessage[], agent: string): string {
  const message = history.findLast((one) => labelOf(one).run === run && labelOf(one).agent === agent);
  if (message !== undefined) return labelOf(message).continues ?? run;
  throw new AgentError('UNKNOWN_RUN', [
    `The history of the agent ${agent} has no run ${JSON.stringify(run)}`,
    'Continue a run of this agent, in the same session and mode, or begin a new one without it.',
  ]);
}

/** Returns the histories as they are now, of a continued run the turns of its chain only. @throws {AgentError} `UNKNOWN_RUN` */
export function historiesOf(
  contexts: ContextManager,
  { agent, mode, run }: { readonly agent: string; readonly mode: ContextMode; readonly run: string | undefined },
): Histories {
  const main = contexts.main.conversationHistory;
  if (MODES[mode].writes === 'main') {
    return { main, own: [], continues: run === undefined ? undefined : chainOf(run, main, agent) };
  }
  const own = contexts.getContext(agent, mode).conversationHistory;
  if (run === undefined) return { main, own, continues: undefined };
  const continues = chainOf(run, own, agent);
  const chain = own.filter((message) => {
    const label = labelOf(message);
    return label.run === continues || label.continues === continues;
  });
  // A fork reads no history of its own, but continues its run.
  if (MODES[mode].reads === 'main') return { main: [...main, ...chain], own: [], continues };
  return { main, own: chain, continues };
}
