/** The commands that change fields of an asset. */
import { Option } from 'commander';
import type { Asset, Knowledge } from '@cairn/knowledge';
import type { AssetChange } from '@cairn/knowledge/internal';
import { assetDocument, findAsset } from '../../knowledge/assets.ts';
import { addKnowledgeOptions, withKnowledge, type KnowledgeFlags } from '../../knowledge/open.ts';
import { CommandError } from '../../terminal/errors.ts';
import { ExitCode } from '../../terminal/exit.ts';
import { filled, oneOf } from '../../terminal/options.ts';
import type { Session } from '../../terminal/session.ts';
import type { CommandFactory } from '../command.ts';
import { productLineOption } from './options.ts';
import { ASSET_TYPE_NAMES } from './types.ts';

type TypeName = (typeof ASSET_TYPE_NAMES)[number];

/** Changes an asset as the change that is made for it says. */
export async function changeAsset(
  given: string,
  {
    flags,
    changeOf,
    done = (asset) => `changed ${asset.id}`,
  }: {
    readonly flags: KnowledgeFlags;
    readonly changeOf: (asset: Asset, knowledge: Knowledge) => AssetChange | Promise<AssetChange>;
    /** Returns the change of an asset. */
    readonly done?: (asset: Asset) => string;
  },
  session: Session,
): Promise<number> {
  const { signal } = session;
  return withKnowledge(session, {
    flags,
    run: async (knowledge, { print, notice }) => {
      const before = await findAsset(knowledge, given, signal);
      const asset = await knowledge.store.change(before.id, await changeOf(before, knowledge), { signal });
      const isChanged = asset.hash !== before.hash || asset.reports.wrong !== before.reports.wrong;
      notice(isChanged ? done(before) : `${before.id} has this already; nothing was changed`);
      await print([asset.id], { ...(await assetDocument(asset)), changed: isChanged });
      return isChanged ? ExitCode.Hit : ExitCode.None;
    },
  });
}

export const knowledgeConvertCommand: CommandFactory = (command, session, done) => {
  command
    .description('Give an asset another type, such as a discovery that became a pitfall.')
    .summary('give an asset another type')
    .argument('<asset>', 'product_line/name, or the name')
    .argument('<type>', ASSET_TYPE_NAMES.join(', '))
    .action(async (given: string, type: string, flags: KnowledgeFlags) => {
      const changes = { fields: { type: oneOf<TypeName>('type', ASSET_TYPE_NAMES)(type) } };
      done(await changeAsset(given, { flags, changeOf: () => changes }, session));
    });
  addKnowledgeOptions(command);
};

interface RenameFlags extends KnowledgeFlags {
  readonly productLine?: string;
}

export const knowledgeRenameCommand: CommandFactory = (command, session, done) => {
  command
    .description('Give an asset another name or another product line, in one step.')
    .summary('give an asset another name or product line')
    .argument('<asset>', 'product_line/name, or the name')
    .argument('<name>', 'the new name')
    .action(async (given: string, name: string, flags: RenameFlags) => {
      const changes = { fields: { name, productLine: flags.productLine } };
      done(await changeAsset(given, { flags, changeOf: () => changes }, session));
    });
  addKnowledgeOptions(command, [productLineOption('the new product line (default: the line of the asset)')]);
};

interface ReportFlags extends KnowledgeFlags {
  readonly note?: string;
}

async function report(given: string, verdict: string, flags: ReportFlags, session: Session): Promise<number> {
  const { signal } = session;
  return withKnowledge(session, {
    flags,
    run: async (knowledge, { print, notice }) => {
      const { id } = await findAsset(knowledge, given, signal);
      const value = oneOf('report', ['helpful', 'wrong'] as const)(verdict);
      const asset = await knowledge.store.report(id, value, { note: flags.note, signal });
      const { helpful, wrong } = asset.reports;
      notice(
        `${id}: ${helpful} helpful, ${wrong} wrong${wrong > 1 ? `; it is marked for review: correct it, or run 'cairn knowledge verify ${id}'` : ''}`,
      );
      await print([id], await assetDocument(asset));
      return ExitCode.Hit;
    },
  });
}

export const knowledgeReportCommand: CommandFactory = (command, session, done) => {
  command
    .description(
      'Report an asset as helpful or wrong. Two reports as wrong mark it for review, until it is changed or verified.',
    )
    .summary('report an asset as helpful or wrong')
    .argument('<asset>', 'product_line/name, or the name')
    .argument('<report>', 'helpful or wrong')
    .action(async (given: string, verdict: string, flags: ReportFlags) =>
      done(await report(given, verdict, flags, session)),
    );
  addKnowledgeOptions(command, [new Option('--note <text>', 'what is wrong').argParser(filled('--note'))]);
};

interface RemoveFlags extends KnowledgeFlags {
  readonly yes?: boolean;
}

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

const erasures = {
  done: 'the text is erased from the local store',
  pending: 'the text is erased from the file when no other process reads it',
  log: 'the text is gone from the data; logs and backups of the server keep it until they are rewritten',
} as const;

async function remove(given: string, { yes, ...flags }: RemoveFlags, session: Session): Promise<number> {
  const { signal } = session;
  return withKnowledge(session, {
    flags,
    run: async (knowledge, { print, notice }) => {
      const { id, hash, isPromoted } = await findRemovable(knowledge, given, signal);
      if (isPromoted && yes !== true) {
        throw new CommandError({
          code: 'CONFIRMATION_NEEDED',
          message: `the team store has ${id}; the next push removes it there too`,
          fix: 'add --yes to confirm',
          changed: false,
        });
      }
      const { erasure } = await knowledge.store.remove(id, { expected: hash, signal });
      notice(`removed ${id}; ${erasures[erasure]}`);
      if (isPromoted) notice("the team store has it until 'cairn knowledge team push'");
      await print([], { id, removed: 1, erased: erasure });
      return ExitCode.Hit;
    },
  });
}

export const knowledgeRemoveCommand: CommandFactory = (command, session, done) => {
  command
    .description('Erase an asset from the local store. The next push removes it from the team store.')
    .summary('erase an asset')
    .argument('<asset>', 'product_line/name, or the name')
    .action(async (given: string, flags: RemoveFlags) => done(await remove(given, flags, session)));
  addKnowledgeOptions(command, [new Option('--yes', 'confirm the removal of an asset that the team has')]);
};
