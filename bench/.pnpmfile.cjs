/** Packages that are here for the documentation they carry: what they would need to run is not installed. */
const onlyRead = new Set(['antd-mini', 'ecc-universal', 'fastify', 'novel-writer-cn', 'npm', 'openclaw-cn', 'undici']);

module.exports = {
  hooks: {
    readPackage(manifest) {
      if (!onlyRead.has(manifest.name)) return manifest;
      return { ...manifest, dependencies: {}, optionalDependencies: {}, peerDependencies: {}, bin: undefined };
    },
  },
};
