/**
 * Shows that something long is running: a live line with the elapsed seconds on a terminal, plain lines elsewhere.
 * Everything goes to stderr, so that stdout holds only what was asked for.
 */

const refreshMs = 200;
/** How often a log without a terminal says that a step still runs. Long enough to keep a CI log readable. */
const heartbeatMs = 30_000;
const spinner = ['|', '/', '-', '\\'];

const live = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb' && process.env['CI'] === undefined;

export const isLive = () => live;

/** @param {string} line */
export const say = (line) => process.stderr.write(`${line}\n`);

/** @param {number} sinceMs */
export const elapsed = (sinceMs) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;

/**
 * @typedef {object} Progress
 * @property {(detail: string) => void} update Names what the step does right now.
 * @property {(line: string) => void} end Replaces the live line with the outcome.
 */

/**
 * @param {string} title
 * @returns {Progress}
 */
export const startProgress = (title) => {
  const startedMs = performance.now();
  let detail = '';
  let frame = 0;
  const seconds = () => Math.floor((performance.now() - startedMs) / 1000);
  const draw = () => {
    frame += 1;
    const text = `${spinner[frame % spinner.length]} ${title} ${seconds()} s${detail === '' ? '' : `  ${detail}`}`;
    process.stderr.write(`\r\u001B[2K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`);
  };
  const beat = () => say(`  ${title}: ${seconds()} s${detail === '' ? '' : `, ${detail}`}`);
  if (live) draw();
  else say(title);
  const timer = setInterval(live ? draw : beat, live ? refreshMs : heartbeatMs);
  return {
    update: (text) => {
      detail = text;
    },
    end: (line) => {
      clearInterval(timer);
      if (live) process.stderr.write('\r\u001B[2K');
      say(`${line} (${elapsed(startedMs)})`);
    },
  };
};
