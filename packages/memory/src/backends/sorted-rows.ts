/** Rows in an order in which no two are equal. Finding one costs its logarithm, adding or removing one a copy of the rows after it. */
export class SortedRows<Row> {
  readonly #rows: Row[] = [];
  readonly #compare: (left: Row, right: Row) => number;

  constructor(compare: (left: Row, right: Row) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#rows.length;
  }

  at(index: number): Row | undefined {
    return this.#rows[index];
  }

  /** Returns the number of rows for which `isBefore` holds: it holds for none after the first for which it does not. */
  countBefore(isBefore: (row: Row) => boolean): number {
    let [first, end] = [0, this.#rows.length];
    while (first < end) {
      const middle = (first + end) >> 1;
      const row = this.#rows[middle];
      if (row !== undefined && isBefore(row)) first = middle + 1;
      else end = middle;
    }
    return first;
  }

  add(row: Row): void {
    // Mostly, a new row is the last one.
    const last = this.#rows.at(-1);
    if (last === undefined || this.#compare(last, row) < 0) this.#rows.push(row);
    else this.#rows.splice(this.#placeOf(row), 0, row);
  }

  remove(row: Row): void {
    this.#rows.splice(this.#placeOf(row), 1);
  }

  #placeOf(row: Row): number {
    return this.countBefore((one) => this.#compare(one, row) < 0);
  }
}
