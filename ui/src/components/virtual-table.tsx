import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Sorting, sortRows } from "./sort-rows.ts";

export interface Column<Row> {
  readonly name: string;
  /** The heading. @default the name */
  readonly title?: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /** The sort key; a column without one can't be sorted. Missing values come last. */
  readonly sort?: (row: Row) => number | string | undefined;
  /** A CSS width; columns without one share the rest. */
  readonly width?: string;
  readonly align?: "end";
}

export interface VirtualTableProps<Row> {
  /** The table's caption. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** Pixels; every row has the same height. @default 36 */
  readonly rowHeight?: number;
  /** Enter, or a click next to links and buttons. */
  readonly onOpen?: (row: Row) => void;
  /** Shown instead of rows when there are none. */
  readonly empty: ComponentChildren;
}

/** Extra rows above and below the visible ones, so that scrolling doesn't show gaps. */
const spare = 12;

/** A table of any length that draws only the visible rows and supports keyboard navigation. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, rows, columns, rowKey, rowHeight = 36, onOpen, empty } = props;
  const [sorting, setSorting] = useState<Sorting>();
  const sorted = useMemo(() => sortRows(rows, columns, sorting), [rows, columns, sorting]);
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const current = Math.min(active, Math.max(sorted.length - 1, 0));
  const from = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const to = Math.min(sorted.length, Math.ceil((view.top + view.height) / rowHeight) + spare);
  const shown = sorted.slice(from, to).map((row, at) => ({ row, index: from + at }));

  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const row = box.current?.querySelector<HTMLElement>(`tr[data-index="${current}"]`);
    if (row === null || row === undefined) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  function moveTo(index: number): void {
    const element = box.current;
    const next = Math.max(0, Math.min(sorted.length - 1, index));
    wantsFocus.current = true;
    setActive(next);
    if (element === null) return;
    const head = element.querySelector("thead")?.clientHeight ?? 0;
    const [top, bottom] = [next * rowHeight, (next + 1) * rowHeight + head];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isRow = event.target instanceof HTMLTableRowElement;
    if (!isRow || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = sorted[current];
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 2);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: sorted.length - 1,
      PageDown: current + page,
      PageUp: current - page,
    };
    const move = moves[event.key];
    if (move !== undefined) moveTo(move);
    else if (event.key === "Enter" && row !== undefined) onOpen?.(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const turn = (name: string) =>
    setSorting((known) => ({ name, down: known?.name === name ? !known.down : false }));

  if (sorted.length === 0) return <div class="empty">{empty}</div>;
  return (
    <div
      class="virtual-table"
      ref={box}
      onScroll={({ currentTarget }) =>
        setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
      onKeyDown={onKeyDown}
    >
      <table aria-rowcount={sorted.length + 1} style={{ minWidth: sumOf(columns) }}>
        <caption class="unseen">{label}</caption>
        <colgroup>
          {columns.map(({ name, width }) => (
            <col key={name} style={width === undefined ? {} : { width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.name} column={column} sorting={sorting} onTurn={turn} />
            ))}
          </tr>
        </thead>
        <tbody>
          {from > 0 && <Spacer height={from * rowHeight} columns={columns.length} />}
          {shown.map(({ row, index }) => (
            <tr
              key={rowKey(row)}
              data-index={index}
              aria-rowindex={index + 2}
              tabIndex={index === current ? 0 : -1}
              style={{ height: `${rowHeight}px` }}
              class={onOpen === undefined ? "" : "opens"}
              onFocus={() => setActive(index)}
              onClick={(event) => {
                if (!isControl(event.target)) onOpen?.(row);
              }}
            >
              {columns.map(({ name, cell, align }) => (
                <td key={name} class={align}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          {to < sorted.length && (
            <Spacer height={(sorted.length - to) * rowHeight} columns={columns.length} />
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Below this width, the box scrolls sideways instead of squeezing the columns. */
const sumOf = (columns: readonly Pick<Column<never>, "width">[]): string =>
  `calc(${columns.map(({ width = "8rem" }) => width).join(" + ")})`;

function Heading<Row>({
  column: { name, title, sort, align },
  sorting,
  onTurn,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting | undefined;
  readonly onTurn: (name: string) => void;
}) {
  const isSorted = sorting?.name === name;
  const order = sorting?.down === true ? "descending" : "ascending";
  return (
    <th scope="col" class={align} aria-sort={isSorted ? order : undefined}>
      {sort === undefined ? (
        (title ?? name)
      ) : (
        <button type="button" class="sort" onClick={() => onTurn(name)}>
          {title ?? name}
          <span aria-hidden="true">{isSorted ? (sorting.down ? " ▾" : " ▴") : ""}</span>
        </button>
      )}
    </th>
  );
}

const Spacer = ({ height, columns }: { readonly height: number; readonly columns: number }) => (
  <tr aria-hidden="true" class="spacer">
    <td colSpan={columns} style={{ height: `${height}px` }} />
  </tr>
);

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, button, input, label, summary") !== null;
