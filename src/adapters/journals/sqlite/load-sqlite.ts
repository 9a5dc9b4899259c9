import { isLooking, refuseInLook } from "../../look-only.ts";

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
    const { DatabaseSync, ...rest } = process.getBuiltinModule("node:sqlite");
    return { ...rest, DatabaseSync: isLooking() ? readingOnly(DatabaseSync) : DatabaseSync };
  } finally {
    process.emitWarning = emitWarning;
  }
}

const readingOnly = (own: Sqlite["DatabaseSync"]): Sqlite["DatabaseSync"] =>
  new Proxy(own, {
    construct(target, args: ConstructorParameters<Sqlite["DatabaseSync"]>) {
      if (args[1]?.readOnly !== true) refuseInLook("write a database");
      return new target(...args);
    },
  });
