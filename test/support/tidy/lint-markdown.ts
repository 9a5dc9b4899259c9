import { lint } from "markdownlint/sync";

/** The rules about form; what a text says and how long its lines are is its author's. */
const rules = {
  default: false,
  MD004: { style: "consistent" }, // one mark for bullets
  MD005: true, // items of a list are indented alike
  MD007: true, // and by two columns in a list
  MD012: true, // no blank lines in a row
  MD018: true, // a blank behind the marks of a heading
  MD019: true,
  MD022: true, // headings stand apart
  MD023: true, // and at the beginning of a line
  MD024: { siblings_only: true }, // no section twice
  MD027: true, // one blank behind the mark of a quote
  MD029: { style: "one_or_ordered" }, // numbers count on
  MD030: true, // one blank behind a marker
  MD031: true, // code stands apart
  MD032: true, // lists stand apart
  MD042: true, // no empty links
  MD047: true, // a line end at the end
  MD056: true, // tables: columns, standing apart; whether a new table has outer pipes is its author's
  MD058: true,
} as const;

/** The lines of the findings, by rule. */
function lintMarkdown(text: string): ReadonlyMap<string, readonly number[]> {
  const found = lint({ strings: { text: text.replaceAll("\r\n", "\n") }, config: rules })["text"] ?? [];
  const byRule = new Map<string, number[]>();
  for (const { ruleNames, lineNumber } of found) {
    const name = ruleNames[0] ?? "";
    byRule.set(name, [...(byRule.get(name) ?? []), lineNumber]);
  }
  return byRule;
}

/** What was found in the texts that edits begin with, which are few. */
const linted = new Map<string, ReadonlyMap<string, readonly number[]>>();

/**
 * The rules that a text breaks more often than it did before. Where a file mixes its marks and indentations already, a
 * list's new items are as its others are.
 */
export function newFindings(before: string, after: string): readonly string[] {
  const [old, now] = [linted.get(before) ?? lintMarkdown(before), lintMarkdown(after)];
  linted.set(before, old);
  return [...now].flatMap(([name, lines]) => {
    const known = old.get(name)?.length ?? 0;
    return lines.length > known && !(known > 0 && styles.has(name))
      ? [`${name} at lines ${lines.join(", ")}`]
      : [];
  });
}

const styles: ReadonlySet<string> = new Set(["MD004", "MD005", "MD007", "MD030"]);
