import { Option } from 'commander';
import { ASSET_TYPE_NAMES } from './types.ts';
import { filled, oneOf } from '../../terminal/options.ts';

/** The options that set fields of an asset, as parsed. */
export interface FieldFlags {
  readonly type?: (typeof ASSET_TYPE_NAMES)[number];
  readonly productLine?: string;
  readonly title?: string;
  readonly tag?: readonly string[];
  readonly path?: readonly string[];
}

function repeated(flag: string): (value: string, values: readonly string[] | undefined) => readonly string[] {
  return (value, values) => [...(values ?? []), ...filled(flag)(value).split(',')];
}

export function typeOption(description: string): Option {
  return new Option('--type <type>', description).argParser(oneOf('--type', ASSET_TYPE_NAMES));
}

export function productLineOption(description: string): Option {
  return new Option('--product-line <name>', description).argParser(filled('--product-line'));
}

export function fieldOptions(): Option[] {
  return [
    typeOption(`type: ${ASSET_TYPE_NAMES.join(', ')}`),
    productLineOption('product line, such as exchange/core (default: general)'),
    new Option('--title <title>', 'title of one line').argParser(filled('--title')),
    new Option('--tag <name>', 'add a tag; repeat it for more').argParser(repeated('--tag')),
    new Option('--path <glob>', 'files that the asset is about, such as src/**/*.ts; repeat it for more').argParser(
      repeated('--path'),
    ),
  ];
}
