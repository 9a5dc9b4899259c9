export interface Sorting {
  readonly name: string;
  readonly down: boolean;
}

export interface SortableColumn<Row> {
  readonly name: string;
  readonly sort?: (row: Row) => number | string | undefined;
}

/** Sorts rows by one column. Rows without a value come last either way; equal ones keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  sorting: Sorting | undefined,
): readonly Row[] {
  const valueOf = columns.find(({ name }) => name === sorting?.name)?.sort;
  if (valueOf === undefined) return rows;
  const sign = sorting?.down === true ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: valueOf(row) }));
  keyed.sort((a, b) => {
    if (a.value === b.value) return 0;
    if (a.value === undefined) return 1;
    if (b.value === undefined) return -1;
    return a.value < b.value ? -sign : sign;
  });
  return keyed.map(({ row }) => row);
}
