import { askUntil, type Prompter } from '../../terminal/ask.ts';
import { UsageError } from '../../terminal/errors.ts';
import type { ASSET_TYPE_NAMES } from './options.ts';
import { READ_TYPES, readType, typeParser } from './options.ts';

/** The fields that a person is asked for. A field with a value is not asked for. */
export interface AskedFields {
  readonly title?: string | undefined;
  readonly type?: (typeof ASSET_TYPE_NAMES)[number] | undefined;
  readonly area?: string | undefined;
}

const DEFAULT_AREA = 'general';

function readOr<T>(parse: (answer: string) => T): (answer: string) => T | undefined {
  return (answer) => {
    try {
      return parse(answer);
    } catch (error) {
      // The question is asked again.
      if (error instanceof UsageError) return undefined;
      throw error;
    }
  };
}

/**
 * Asks for the fields of an asset that are not given, with defaults for Enter.
 *
 * @param standard the title that Enter takes. @default an answer is needed
 */
export async function askFields(
  prompter: Prompter,
  { title, type, area }: AskedFields,
  standard?: string,
): Promise<Required<AskedFields>> {
  const titleOr = (answer: string): string | undefined => answer || standard;
  const shown = standard === undefined ? 'Title, one line: ' : `Title [${standard}]: `;
  const typeOr = readOr((answer) => typeParser('type')(answer || readType('discovery')));
  return {
    title: title ?? (await askUntil(prompter, shown, titleOr)),
    type: type ?? (await askUntil(prompter, `Type, one of ${READ_TYPES.join(', ')} [note]: `, typeOr)),
    area: area ?? (await askUntil(prompter, `Area [${DEFAULT_AREA}]: `, (answer) => answer || DEFAULT_AREA)),
  };
}
