type Sqlite = typeof import("node:sqlite");

/** `node:sqlite` without the one experimental warning that Node 22 prints for it. */
export function loadSqlite(): Sqlite {
  const emitWarning: typeof process.emitWarning = Reflect.get(process, "emitWarning");
  process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]) => {
    if (!String(warning).includes("SQLite is an experimental feature")) {
      Reflect.apply(emitWarning, process, [warning, ...rest]);
    }
  };
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
