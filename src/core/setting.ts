import { z } from "zod";

/** The facts that some defaults depend on. */
export interface DefaultFacts {
  readonly effort: "quick" | "standard" | "thorough";
  readonly track: "body" | "description";
  readonly editBudget: number;
  /** Train tasks. */
  readonly train: number;
  /** Val tasks. */
  readonly val: number;
  /** Tasks of all splits. */
  readonly tasks: number;
  /** How many tasks have several checks, all of which must pass. */
  readonly severalChecks: number;
  /** Whether train and val are the same few tasks. */
  readonly shared: boolean;
  /** Whether a person answers a role's calls. */
  readonly byHand: boolean;
}

/** How to give a setting, and its default. Its doc comment is shown in editors, `--help` and docs/config.md. */
export interface SettingWords {
  /** The default in words, if its value isn't clear by itself. */
  readonly otherwise?: string;
  /** In commander's syntax: `--epochs <n>`, `--no-baselines`. */
  readonly flag?: string;
  /** The flag's own help, if it differs from the setting's, as with `--no-…`. */
  readonly flagHelp?: string;
  /** Only these commands have the flag; `measure` means eval and compare. @default all commands that work on a skill */
  readonly only?: "train" | "sleep" | readonly ("train" | "measure" | "prune")[];
}

/** One row of the table of settings. */
export interface Setting<Schema extends z.ZodType = z.ZodType, Given = unknown, Filled = unknown>
  extends SettingWords {
  readonly schema: Schema;
  readonly default?: Filled | ((facts: DefaultFacts) => Filled);
  /** The rows of a setting that is itself an object. */
  readonly rows?: Settings;
  /** For types only; never set. */
  readonly given?: Given;
}

export type Settings = Readonly<Record<string, Setting>>;

/** Settings as a person may write them. */
export type GivenSettings<Rows extends Settings> = { [Key in keyof Rows]?: Rows[Key]["given"] };

/** The same with defaults filled in. A setting without a default may be missing. */
export type FilledSettings<Rows> = {
  readonly [Key in keyof Rows as undefined extends FilledBy<Rows[Key]> ? never : Key]: FilledBy<Rows[Key]>;
} & {
  readonly [Key in keyof Rows as undefined extends FilledBy<Rows[Key]> ? Key : never]?: FilledBy<Rows[Key]>;
};

export type FilledBy<Row> = Row extends Setting<z.ZodType, unknown, infer Filled> ? Filled : never;

type WithDefault<Value> = SettingWords & {
  readonly default: Value | ((facts: DefaultFacts) => Value);
};

export function setting<Schema extends z.ZodType>(
  schema: Schema,
  more: WithDefault<z.output<Schema>>,
): Setting<Schema, z.input<Schema>, z.output<Schema>>;
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  more?: SettingWords,
): Setting<Schema, z.input<Schema>, z.output<Schema> | undefined>;
export function setting(schema: z.ZodType, more: SettingWords = {}): Setting {
  return { schema, ...more };
}

/** A setting that is an object of settings. */
export function settingGroup<Rows extends Settings>(
  rows: Rows,
  more: SettingWords & { readonly default?: FilledSettings<Rows> } = {},
): Setting<z.ZodType, GivenSettings<Rows>, FilledSettings<Rows>> {
  const shape = mapRows(rows, ({ schema }) => z.exactOptional(schema));
  return { schema: z.strictObject(shape), rows, ...more };
}

/** The schema of an object with these settings, each of which may be left out. */
export const settingsSchema = (rows: Settings) =>
  z.strictObject(mapRows(rows, ({ schema }) => schema.optional()));

/** Fills in defaults for settings that weren't given. A default may depend on the settings before it. */
export function fillSettings<Rows extends Settings>(
  rows: Rows,
  given: GivenSettings<Rows>,
  facts: Partial<DefaultFacts> = {},
): FilledSettings<Rows> {
  const filled: Record<string, unknown> = {};
  for (const [key, row] of Object.entries(rows)) {
    const own = (given as Readonly<Record<string, unknown>>)[key];
    const value = own ?? defaultOf(row, { ...facts, ...filled });
    const inner = row.rows === undefined || own !== value ? {} : fillSettings(row.rows, {});
    if (row.rows !== undefined) filled[key] = { ...inner, ...(value as object | undefined) };
    else if (value !== undefined) filled[key] = value;
  }
  return filled as FilledSettings<Rows>;
}

/** The default of a setting. */
export function defaultOf<Filled>(
  row: Setting<z.ZodType, unknown, Filled>,
  facts: Partial<DefaultFacts> = {},
): Filled {
  const plain: DefaultFacts = {
    effort: "standard",
    track: "body",
    editBudget: 0,
    train: 0,
    val: 0,
    tasks: 0,
    severalChecks: 0,
    shared: false,
    byHand: false,
  };
  const standing = row.default;
  const isRule = (value: typeof standing): value is (facts: DefaultFacts) => Filled =>
    typeof value === "function";
  return isRule(standing) ? standing({ ...plain, ...facts }) : (standing as Filled);
}

const mapRows = <Value>(rows: Settings, map: (row: Setting) => Value): Record<string, Value> =>
  Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, map(row)]));

/** Rules with messages that follow the word "it". */
export const someText = z.string("must be a string").min(1, "must not be empty");
export const yesOrNo = z.boolean("must be true or false");
export const wholeFrom = (least: number) => {
  const rule = `must be a whole number, ${least} or more`;
  return z.int(rule).min(least, rule);
};
export const numberUpTo = (most: number) => {
  const rule = `must be a number from 0 to ${most}`;
  return z.number(rule).min(0, rule).max(most, rule);
};
export const amount = z.number("must be a number, 0 or more").min(0, "must be a number, 0 or more");
export const oneWordOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, `must be ${words.map((word) => `"${word}"`).join(" or ")}`);
