/** What a person has typed and set so far. */
export interface Typed {
  readonly flags: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string>>;
}

/** What only a person can know or do, beside what was printed. */
export interface Person {
  /** What belongs into `<…>`. */
  readonly knows: (blank: string) => string;
  readonly startServer: () => Promise<void>;
  readonly runs: (command: string) => Promise<void>;
}

/** Does the first thing that a next step says, and nothing else; undefined where it says nothing that can be done. */
export async function followNext(next: string, typed: Typed, person: Person): Promise<Typed | undefined> {
  const found = steps
    .flatMap(({ pattern, follow }) => {
      const match = pattern.exec(next);
      return match === null ? [] : [{ at: match.index, match, follow }];
    })
    .toSorted((a, b) => a.at - b.at);
  const [first] = found;
  return first?.follow(first.match, typed, person);
}

interface Step {
  readonly pattern: RegExp;
  readonly follow: (match: RegExpExecArray, typed: Typed, person: Person) => Promise<Typed>;
}

const filled = (value: string, person: Person): string =>
  value.replace(/<([^>]*)>/, (_, blank: string) => person.knows(blank));

const steps: readonly Step[] = [
  {
    pattern: /(?:Give|Add) (--[\w-]+) ((?:[^\s<;,]*<[^>]*>)|[^\s;,]+)/,
    follow: async ([, flag = "", value = ""], { flags, env }, person) => ({
      flags: new Map([...flags, [flag, filled(value, person)]]),
      env,
    }),
  },
  {
    pattern: /export (\w+)=(<[^>]*>|\S+)/,
    follow: async ([, name = "", value = ""], { flags, env }, person) => ({
      flags,
      env: { ...env, [name]: filled(value, person) },
    }),
  },
  {
    pattern: /^Start the server at/,
    follow: async (_, typed, person) => {
      await person.startServer();
      return typed;
    },
  },
  {
    pattern: /^`([^`]+)` loads it there/,
    follow: async ([, command = ""], typed, person) => {
      await person.runs(command);
      return typed;
    },
  },
  { pattern: /(?:[Ss]tart|[Rr]un) the same command again/, follow: async (_, typed) => typed },
];
