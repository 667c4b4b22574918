import fc from 'fast-check';

/** Compares a function with an oracle on random input. */
export interface Fuzzer {
  readonly name: string;
  /** The largest number of cases in a batch, which shares a tree on the disk. */
  readonly casesPerBatch: number;
  /** Checks N random batches. */
  readonly check: (options: CheckOptions) => Promise<CheckResult>;
}

interface CheckOptions {
  readonly seed: number;
  readonly batches: number;
  /** Where a counterexample was, to see only that again. */
  readonly path?: string | undefined;
  /** Called after each batch with the number of its cases. */
  readonly onBatch?: ((cases: number) => void) | undefined;
}

interface CheckResult {
  readonly cases: number;
  /** How many cases were more than two empty answers. */
  readonly hits: number;
  /** The smallest counterexample, how it differs, and how to see it again; undefined when there is none. */
  readonly failure: string | undefined;
}

/** Trying smaller counterexamples ends after so long. */
const shrinkMs = 60_000;

/** What a batch has shown. */
export interface BatchResult {
  readonly cases: number;
  /** Describes what differs; empty when nothing does. */
  readonly differences: readonly string[];
  /** How many of its cases were more than two empty answers. */
  readonly hits: number;
}

interface FuzzerSource<Batch> {
  readonly name: string;
  readonly casesPerBatch: number;
  readonly batch: fc.Arbitrary<Batch>;
  readonly compare: (batch: Batch) => Promise<BatchResult>;
}

/** Makes a fuzzer of what to try and how to tell whether it went well. */
export function createFuzzer<Batch>({ name, casesPerBatch, batch, compare }: FuzzerSource<Batch>): Fuzzer {
  const check = async ({ seed, batches, path, onBatch }: CheckOptions): Promise<CheckResult> => {
    let firstFailure: number | undefined;
    let cases = 0;
    let hits = 0;
    const property = fc.asyncProperty(batch, async (given) => {
      if (firstFailure !== undefined && Date.now() > firstFailure + shrinkMs) return;
      const result = await compare(given);
      if (firstFailure === undefined) {
        cases += result.cases;
        hits += result.hits;
        onBatch?.(result.cases);
      }
      if (result.differences.length === 0) return;
      firstFailure ??= Date.now();
      throw new Error(result.differences.join('\n'));
    });
    // Small values are not preferred at first: a long run is of many short checks.
    const parameters = { seed, numRuns: batches, unbiased: true, ...(path !== undefined && { path }) };
    const details = await fc.check(property, parameters);
    if (!details.failed) return { cases, hits, failure: undefined };
    const [counterexample] = details.counterexample ?? [];
    const again = `npm run fuzz -- --only ${name} --seed ${details.seed} --path ${details.counterexamplePath}`;
    const reason = details.errorInstance instanceof Error ? details.errorInstance.message : 'it did not end';
    return { cases, hits, failure: `${again}\n${fc.stringify(counterexample)}\n${reason}` };
  };
  return { name, casesPerBatch, check };
}
