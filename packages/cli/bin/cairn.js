#!/usr/bin/env node
// What `cairn` runs first. It must run in old versions of Node too, to name the version that is needed: no import before the
// check, and no syntax that is newer than ES2018.

// The range of "engines" in package.json, which a test compares.
const range = '^22.22.3 || >=24.15.0';
const [major, minor, patch] = process.versions.node.split('.').map(Number);
const isSupported =
  major > 24 || (major === 24 && minor >= 15) || (major === 22 && (minor > 22 || (minor === 22 && patch >= 3)));

function run() {
  // Node 22 warns that it can run TypeScript and open SQLite. Standard error is for notices and errors of commands.
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return;
    for (const print of printers) print.call(process, warning);
  });
  // `src/main.ts` in a clone, `dist/main.js` in the package. A failure ends the process with its stack trace.
  void import('#main');
}

function refuse() {
  const args = process.argv.slice(2);
  const end = args.indexOf('--');
  const message = `Node ${process.versions.node} is not supported: cairn needs ${range}`;
  const fix = 'install Node 24 from https://nodejs.org';
  if ((end === -1 ? args : args.slice(0, end)).includes('--json')) {
    process.stdout.write(`${JSON.stringify({ error: { code: 'UNSUPPORTED_NODE', message, fix } })}\n`);
  } else {
    process.stderr.write(`cairn: ${message}; ${fix}\n`);
  }
  // A failure of the hook must not keep the session of a host from starting.
  process.exitCode = args[0] === 'hook' && args[1] === 'session-start' ? 0 : 2;
}

if (isSupported) run();
else refuse();
