/**
 * Does a model follow the layers of knowledge? Compares two wordings of the text at the start of a session.
 *
 *     CAIRN_MODEL=<id> [CAIRN_BASE_URL=…] npm run bench -- knowledge-agent [--questions 40] [--half tuning]
 *
 * Each question is a run of its own, with the tools of `@cairn/knowledge` that change nothing. The answers are not judged.
 */
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '40' },
    half: { type: 'string', default: 'tuning' },
    host: { type: 'string', default: 'claude' },
  },
});

if ((process.env['CAIRN_MODEL'] ?? '') === '') {
  process.stdout.write(
    'not measured: CAIRN_MODEL is not set; set it to the id of a model, and CAIRN_BASE_URL to its server\n',
  );
} else {
  const { measureAgent } = await import('./measure.ts');
  await measureAgent({ questions: Number(values.questions), half: values.half, host: values.host });
}
