import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { checkSchema } from "./sqlite-schema.ts";

test("a view without an end in place of the version is damage, and isn't read", () => {
  const database = new DatabaseSync(":memory:");
  database.exec(
    "CREATE VIEW meta AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS version FROM c",
  );
  expect(() => checkSchema(database, "here")).toThrow("its tables aren't the ones Whetstone created");
  database.close();
});
