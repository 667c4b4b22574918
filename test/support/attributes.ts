import { spawnSync } from 'node:child_process';

/** Extended attributes by name, with their values in hexadecimal digits. An access list is one of them. */
export type ExtendedAttributes = Readonly<Record<string, string>>;

const script = `
import json, os, sys
path, given = sys.argv[1], json.loads(sys.argv[2])
for name, value in given.items():
    os.setxattr(path, name, bytes.fromhex(value))
print(json.dumps({name: os.getxattr(path, name).hex() for name in sorted(os.listxattr(path))}))
`;

function run(path: string, given: ExtendedAttributes): ExtendedAttributes {
  const { status, stdout, stderr, error } = spawnSync(
    'python3',
    ['-I', '-S', '-c', script, path, JSON.stringify(given)],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`cannot use extended attributes: ${error?.message ?? stderr}`);
  return JSON.parse(stdout) as ExtendedAttributes;
}

/** Sets extended attributes and returns all that the file then has. Needs Python, because Node has no interface for them. */
export function setAttributes(path: string, attributes: ExtendedAttributes): ExtendedAttributes {
  return run(path, attributes);
}

/** Returns all extended attributes of a file. */
export function attributesOf(path: string): ExtendedAttributes {
  return run(path, {});
}

/** Returns whether extended attributes can be set on this file. */
export function hasAttributes(path: string): boolean {
  try {
    run(path, { 'user.probe': '' });
    return true;
  } catch {
    return false;
  }
}

const ANYONE = 0xffff_ffff;

/**
 * Returns an access list in the system's form: the given permissions (0 to 7) for the user 4321, read and write for the owner, read
 * for the group, nothing for others.
 */
export function accessList(permissions: number): string {
  const entries = [
    [1, 6, ANYONE],
    [2, permissions, 4321],
    [4, 4, ANYONE],
    [16, 7, ANYONE],
    [32, 0, ANYONE],
  ] as const;
  const bytes = Buffer.alloc(4 + entries.length * 8);
  bytes.writeUInt32LE(2, 0);
  for (const [index, [tag, allowed, id]] of entries.entries()) {
    bytes.writeUInt16LE(tag, 4 + index * 8);
    bytes.writeUInt16LE(allowed, 6 + index * 8);
    bytes.writeUInt32LE(id, 8 + index * 8);
  }
  return bytes.toString('hex');
}
