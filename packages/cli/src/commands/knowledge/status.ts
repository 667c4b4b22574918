/** The commands that state whether an asset still holds. */
import { Option } from 'commander';
import type { Asset, Knowledge } from '@cairn/knowledge';
import type { AssetChange } from '@cairn/knowledge/internal';
import { findAsset } from '../../knowledge/assets.ts';
import { addKnowledgeOptions, type KnowledgeFlags } from '../../knowledge/open.ts';
import { UsageError } from '../../terminal/errors.ts';
import { filled } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { changeAsset } from './change.ts';

export const knowledgeVerifyCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Confirm that an asset still holds: writes the date as verified_at, and clears the reports of readers that marked it for review.',
    )
    .summary('confirm that an asset still holds')
    .argument('<asset>', 'product_line/name, or the name')
    .action(async (given: string, flags: KnowledgeFlags) => {
      const nowMs = Date.now();
      const day = new Date(nowMs).toISOString().slice(0, 10);
      const verified = ({ id, status }: Asset): string =>
        `verified ${id} on ${day}${status === 'active' ? '' : `; it is still ${status}`}`;
      const changes = { fields: { verifiedMs: nowMs } };
      done(await changeAsset(given, { flags, changeOf: () => changes, done: verified }, session));
    });
  addKnowledgeOptions(command);
};

interface DeprecateFlags extends KnowledgeFlags {
  readonly supersededBy?: string;
  readonly active?: boolean;
}

/** Returns the asset that replaces another one. */
async function findSuccessor(
  knowledge: Knowledge,
  asset: Asset,
  { given, signal }: { readonly given: string; readonly signal: AbortSignal },
): Promise<Asset> {
  const successor = await findAsset(knowledge, given, signal);
  if (successor.id === asset.id) {
    throw new UsageError(`${asset.id} cannot be superseded by itself`, 'use --superseded-by with another asset');
  }
  if (successor.status === 'active') return successor;
  const state = successor.supersededBy === undefined ? 'deprecated' : `superseded by ${successor.supersededBy}`;
  throw new UsageError(`${successor.id} is ${state}`, 'use --superseded-by with an active asset');
}

async function deprecate(given: string, flags: DeprecateFlags, session: Session): Promise<number> {
  const { supersededBy, active, ...common } = flags;
  const changeOf = async (asset: Asset, knowledge: Knowledge): Promise<AssetChange> => {
    if (active === true) return { fields: { status: 'active', supersededBy: null } };
    if (supersededBy !== undefined) {
      const { id } = await findSuccessor(knowledge, asset, { given: supersededBy, signal: session.signal });
      return { fields: { supersededBy: id } };
    }
    return asset.status === 'superseded' ? {} : { fields: { status: 'deprecated' } };
  };
  const deprecated = ({ id }: Asset): string =>
    active === true ? `${id} is active again` : `deprecated ${id}; agents no longer see it; --active takes that back`;
  return changeAsset(given, { flags: common, changeOf, done: deprecated }, session);
}

export const knowledgeDeprecateCommand: CommandFactory = (command, session, done) => {
  command
    .description('Take an asset that no longer holds out of the index and of searches, and keep its text.')
    .summary('take an asset that no longer holds out of the index')
    .argument('<asset>', 'product_line/name, or the name')
    .action(async (given: string, flags: DeprecateFlags) => done(await deprecate(given, flags, session)));
  addKnowledgeOptions(command, [
    new Option('--superseded-by <asset>', 'name the asset that replaces it').argParser(filled('--superseded-by')),
    new Option('--active', 'make it active again').conflicts('supersededBy'),
  ]);
};
