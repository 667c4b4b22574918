import { isObject } from '@cairn/tool/kernel';

/** Parses a JSON object; `undefined` for another text. */
export function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A record of a newer version, or of another program. */
export interface UnknownFields {
  /** The fields that this version does not know. They survive an export and an import. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the fields of a record that this version does not know, as a part of its value. */
export function unknownFields(fields: Readonly<Record<string, unknown>>): UnknownFields {
  return Object.keys(fields).length === 0 ? {} : { fields };
}
