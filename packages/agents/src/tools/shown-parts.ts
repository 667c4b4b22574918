import { SHOWN_PARTS } from '@cairn/context/internal';
import type { AgentDefinition } from '@cairn/context';
import type { ShownPart } from '@cairn/tool';
import { AgentError } from '../errors.ts';
import { intersect, type ToolGrant } from './grant.ts';

/** The reason why an agent is not shown a part: its definition, an option of the run, or the run that started it. */
export type HiddenBy = 'definition' | 'option' | 'caller';

export interface ShownPartsOptions {
  readonly agent: Pick<AgentDefinition, 'name' | 'shows'>;
  readonly without?: readonly ShownPart[] | undefined;
  readonly within?: Pick<ToolGrant, 'shows'> | undefined;
}

/** @throws {AgentError} `INVALID_OPTION`: a part that does not exist would hide nothing. */
function checkParts(parts: readonly ShownPart[], option: 'shows' | 'without'): readonly ShownPart[] {
  const names = SHOWN_PARTS.join(', ');
  const fail = (what: string, hint: string): AgentError =>
    new AgentError('INVALID_OPTION', [`The option ${option} ${what}`, hint], { option });
  if (!Array.isArray(parts)) throw fail('is not a list', `Use a list of ${names}.`);
  const unknown = parts.find((part) => !SHOWN_PARTS.includes(part));
  if (unknown !== undefined) throw fail(`names ${JSON.stringify(unknown)}`, `Use ${names}.`);
  return parts;
}

/** Returns the reason why a run is not shown a part; `undefined` for a part that is shown. */
export function hiddenBy(part: ShownPart, { agent, without = [], within }: ShownPartsOptions): HiddenBy | undefined {
  if (agent.shows?.includes(part) === false) return 'definition';
  if (without.includes(part)) return 'option';
  return within?.shows?.has(part) === false ? 'caller' : undefined;
}

/** Returns the parts that a run is shown; `undefined` for everything. @throws {AgentError} `INVALID_OPTION` */
export function shownParts({ agent, without = [], within }: ShownPartsOptions): ReadonlySet<ShownPart> | undefined {
  const left = checkParts(without, 'without');
  const own = agent.shows && new Set(checkParts(agent.shows, 'shows'));
  const asked = left.length === 0 ? undefined : new Set(SHOWN_PARTS.filter((part) => !left.includes(part)));
  return intersect(intersect(own, asked), within?.shows);
}
