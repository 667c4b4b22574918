/**
 * Shows that something long is running: a live line with the elapsed seconds on a terminal, plain lines elsewhere.
 * Everything goes to stderr, so that stdout holds only what was asked for.
 */

const refreshMs = 200;
/** How often a log without a terminal reports that a step still runs. Long enough to keep a CI log readable. */
const heartbeatMs = 30_000;
const spinner = ['|', '/', '-', '\\'];

const live = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb' && process.env['CI'] === undefined;

/** Whether stderr is a terminal that can show a changing line. */
export const isLive = () => live;

/** @param {string} line */
export const say = (line) => process.stderr.write(`${line}\n`);

/** @param {number} sinceMs */
const elapsed = (sinceMs) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;

/**
 * @typedef {object} Progress
 * @property {(detail: string) => void} update Names what the step does right now.
 * @property {(line: string) => void} end Replaces the live line with the outcome.
 */

/**
 * @param {string} title
 * @param {{ plain?: boolean }} [options] `plain` when other output goes to the terminal meanwhile
 * @returns {Progress}
 */
export const startProgress = (title, { plain = false } = {}) => {
  const redraws = live && !plain;
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
  if (redraws) draw();
  else say(title);
  const timer = setInterval(redraws ? draw : beat, redraws ? refreshMs : heartbeatMs);
  return {
    update: (text) => {
      detail = text;
      // Plain output that goes on by itself needs no heartbeat.
      if (plain) timer.refresh();
    },
    end: (line) => {
      clearInterval(timer);
      if (redraws) process.stderr.write('\r\u001B[2K');
      say(`${line} (${elapsed(startedMs)})`);
    },
  };
};
