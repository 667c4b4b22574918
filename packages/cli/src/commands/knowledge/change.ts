/** The commands that change fields of an asset, or remove it. */
import type { Asset, Knowledge } from '@cairn/knowledge';
import type { AssetChange } from '@cairn/knowledge/internal';
import { CommandError, UsageError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled, oneOf, type OptionRow } from '../../terminal/options.ts';
import type { FlagsOf } from '../../terminal/parsed.ts';
import type { CommandFactory, CommandTexts } from '../command.ts';
import { erasureOf } from '../memory/lines.ts';
import { assetDocument, findAsset } from './assets.ts';
import { knowledgeCommand } from './knowledge-command.ts';
import { areaOption, assetArgument, READ_TYPES, typeParser } from './options.ts';

/** What a change is made from. */
interface ChangeCall<Flags> {
  readonly knowledge: Knowledge;
  readonly flags: Flags;
  /** The argument after the asset. */
  readonly value: string;
  readonly signal: AbortSignal;
}

interface AssetChanging<Options extends readonly OptionRow[]> extends CommandTexts {
  readonly options?: Options;
  readonly changeOf: (asset: Asset, call: ChangeCall<FlagsOf<Options>>) => AssetChange | Promise<AssetChange>;
  readonly done?: (asset: Asset, flags: FlagsOf<Options>) => string;
}

function changeCommand<const Options extends readonly OptionRow[] = readonly []>({
  changeOf,
  done = ({ id }) => `changed ${id}`,
  args = [],
  ...texts
}: AssetChanging<Options>): CommandFactory {
  return knowledgeCommand({
    ...texts,
    args: [assetArgument, ...args],
    run: async ({ knowledge, signal, print, notice }, flags, given, value = '') => {
      const before = await findAsset(knowledge, given, signal);
      const change = await changeOf(before, { knowledge, flags, value, signal });
      const asset = await knowledge.store.change(before.id, change, { signal });
      const isChanged = asset.hash !== before.hash || asset.reports.wrong !== before.reports.wrong;
      notice(isChanged ? done(before, flags) : `${before.id} has this already; nothing was changed`);
      await print([asset.id], { ...(await assetDocument(asset)), changed: isChanged });
      return isChanged ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export const knowledgeConvertCommand: CommandFactory = changeCommand({
  description: 'Give an asset another type, such as a note that became a pitfall.',
  summary: 'give an asset another type',
  args: [['<type>', READ_TYPES.join(', ')]],
  changeOf: (_, { value }) => ({ fields: { type: typeParser('type')(value) } }),
});

export const knowledgeRenameCommand: CommandFactory = changeCommand({
  description: 'Give an asset another name or another area, in one step.',
  summary: 'give an asset another name or area',
  args: [['<name>', 'the new name']],
  options: [areaOption('the new area (default: the area of the asset)')],
  changeOf: (_, { value: name, flags }) => ({
    fields: { name, productLine: flags.area },
  }),
});

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

export const knowledgeVerifyCommand: CommandFactory = changeCommand({
  description:
    'Confirm that an asset still holds: writes the date as verified_at, and clears the reports of readers that marked it for review.',
  summary: 'confirm that an asset still holds',
  changeOf: () => ({ fields: { verifiedMs: Date.now() } }),
  done: ({ id, status }) => `verified ${id} on ${today()}${status === 'active' ? '' : `; it is still ${status}`}`,
});

function checkSuccessor({ id, status, supersededBy }: Asset, asset: Asset): void {
  if (id === asset.id) {
    throw new UsageError(`${asset.id} cannot be superseded by itself`, 'use --superseded-by with another asset');
  }
  if (status === 'active') return;
  const state = supersededBy === undefined ? 'deprecated' : `superseded by ${supersededBy}`;
  throw new UsageError(`${id} is ${state}`, 'use --superseded-by with an active asset');
}

export const knowledgeDeprecateCommand: CommandFactory = changeCommand({
  description: 'Take an asset that no longer holds out of the index and of searches, and keep its text.',
  summary: 'take an asset that no longer holds out of the index',
  options: [
    ['--superseded-by <asset>', 'name the asset that replaces it', filled],
    ['--active', 'make it active again', undefined, { conflicts: 'supersededBy' }],
  ],
  changeOf: async (asset, { knowledge, flags, signal }) => {
    const { active, supersededBy } = flags;
    if (active === true) return { fields: { status: 'active', supersededBy: null } };
    if (supersededBy === undefined) return asset.status === 'superseded' ? {} : { fields: { status: 'deprecated' } };
    const successor = await findAsset(knowledge, supersededBy, signal);
    checkSuccessor(successor, asset);
    return { fields: { supersededBy: successor.id } };
  },
  done: ({ id }, { active }) =>
    active === true ? `${id} is active again` : `deprecated ${id}; agents no longer see it; --active takes that back`,
});

export const knowledgeReportCommand: CommandFactory = knowledgeCommand({
  description:
    'Report an asset as helpful or wrong. Two reports as wrong mark it for review, until it is changed or verified.',
  summary: 'report an asset as helpful or wrong',
  args: [assetArgument, ['<report>', 'helpful or wrong']],
  options: [['--note <text>', 'what is wrong', filled]],
  run: async ({ knowledge, signal, print, notice }, flags, given, verdict) => {
    const { id } = await findAsset(knowledge, given, signal);
    const value = oneOf(['helpful', 'wrong'])('report')(verdict);
    const asset = await knowledge.store.report(id, value, { note: flags.note, signal });
    const { helpful, wrong } = asset.reports;
    const fix = `it is marked for review: correct it, or run 'cairn knowledge verify ${id}'`;
    notice(`${id}: ${helpful} helpful, ${wrong} wrong${wrong > 1 ? `; ${fix}` : ''}`);
    await print([id], await assetDocument(asset));
    return ExitCode.Hit;
  },
});

/** Returns the asset to remove, which may be unreadable. */
async function findRemovable(
  knowledge: Knowledge,
  given: string,
  signal: AbortSignal,
): Promise<Pick<Asset, 'id' | 'isPromoted'> & { readonly hash?: string }> {
  try {
    return await findAsset(knowledge, given, signal);
  } catch (error) {
    const { unreadable } = await knowledge.store.changes(undefined, { signal });
    const id = unreadable.find((one) => one === given.toLowerCase());
    if (id === undefined) throw error;
    return { id, isPromoted: false };
  }
}

export const knowledgeRemoveCommand: CommandFactory = knowledgeCommand({
  description: 'Erase an asset from the local store. The next push removes it from the team store.',
  summary: 'erase an asset',
  args: [assetArgument],
  options: [['--yes', 'confirm the removal of an asset that the team has']],
  run: async ({ knowledge, signal, print, notice }, { yes }, given) => {
    const { id, hash, isPromoted } = await findRemovable(knowledge, given, signal);
    if (isPromoted && yes !== true) {
      throw new CommandError({
        code: 'CONFIRMATION_NEEDED',
        message: `the team store has ${id}; the next push removes it there too`,
        fix: 'add --yes to confirm',
        changed: false,
      });
    }
    const { erasure, backups } = await knowledge.store.remove(id, { expected: hash, signal });
    notice(`removed ${id}; ${erasureOf(erasure, backups, 'the local store')}`);
    if (isPromoted) notice("the team store has it until 'cairn knowledge team push'");
    await print([], { id, removed: 1, erased: erasure, ...(backups !== undefined && { backups }) });
    return ExitCode.Hit;
  },
});
