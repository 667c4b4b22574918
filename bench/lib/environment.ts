/** The environment of everything that is measured: without user settings. */
export function neutralEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^FS_(?:SCAN|CONTENT_INDEX)_/.test(name));
  return { ...Object.fromEntries(kept), HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent', ...extra };
}
