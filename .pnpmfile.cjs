/**
 * pnpm calls this while it packs a package. The platform packages of the addon are generated at release and are never
 * installed in this repository, so their names are written into the packed manifest only.
 */

/** napi's name for each target. */
const platforms = {
  'x86_64-unknown-linux-gnu': 'linux-x64-gnu',
  'x86_64-unknown-linux-musl': 'linux-x64-musl',
  'aarch64-unknown-linux-gnu': 'linux-arm64-gnu',
  'aarch64-unknown-linux-musl': 'linux-arm64-musl',
  'x86_64-apple-darwin': 'darwin-x64',
  'aarch64-apple-darwin': 'darwin-arm64',
  'x86_64-pc-windows-msvc': 'win32-x64-msvc',
};

module.exports = {
  hooks: {
    beforePacking(manifest) {
      const { napi, scripts, devDependencies, ...published } = manifest;
      if (napi === undefined) return published;
      const optionalDependencies = {};
      for (const target of napi.targets) {
        const platform = platforms[target];
        if (platform === undefined) throw new Error(`.pnpmfile.cjs has no platform name for the target ${target}`);
        optionalDependencies[`${napi.packageName}-${platform}`] = manifest.version;
      }
      return { ...published, optionalDependencies };
    },
  },
};
