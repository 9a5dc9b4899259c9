/** A plain table of short texts; the first column names the row. */
export function FigureTable({
  caption,
  columns,
  rows,
  bars,
}: {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The length of a bar behind each row, as a share of the row's width. */
  readonly bars?: readonly number[];
}) {
  return (
    <table class="figures">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map((name, at) => (
            <th key={name} scope="col" class={at === 0 ? "" : "end"}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([head, ...cells], row) => (
          <tr
            key={row}
            class={bars === undefined ? "" : "bar-row"}
            style={bars === undefined ? {} : { "--share": `${100 * (bars[row] ?? 0)}%` }}
          >
            <th scope="row">{head}</th>
            {cells.map((cell, at) => (
              <td key={columns[at + 1]} class="end">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
