/** Dies with its process: counts operations and, from the chosen one on, answers nobody. */
export interface CrashPoint {
  /** Does one operation. At the fatal one, and after it, the promise never settles. */
  operate<T>(action: () => Promise<T>): Promise<T>;
  /** Gives the value on, unless the process has died meanwhile. */
  survive<T>(promise: Promise<T>): Promise<T>;
  /** Operations begun so far, the fatal one included. */
  readonly operations: number;
  readonly crashed: boolean;
  /** Resolves at the moment of death. */
  readonly death: Promise<void>;
}

export interface CrashPointOptions {
  /** The operation to die at, from 1. @default none */
  readonly at?: number;
  /** Before it has any effect, or when it has taken effect and nobody has been told. @default "before" */
  readonly moment?: "before" | "after";
}

/**
 * Lets a test die at any operation without ending its process: what waits then, waits for ever.
 *
 * @example
 * const crash = crashPoint({ at: 3, moment: "after" });
 * const dying = (journal: Journal) => faultyJournal(journal, crash);
 * await crash.death;
 */
export function crashPoint({ at, moment = "before" }: CrashPointOptions = {}): CrashPoint {
  let operations = 0;
  let crashed = false;
  const { promise: death, resolve: reportDeath } = Promise.withResolvers<void>();

  function die(): void {
    crashed = true;
    reportDeath();
  }

  async function survive<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise;
      return crashed ? await never() : value;
    } catch (error) {
      return crashed ? never() : Promise.reject(error);
    }
  }

  async function operate<T>(action: () => Promise<T>): Promise<T> {
    if (crashed) return never();
    operations += 1;
    const isFatal = operations === at;
    if (isFatal && moment === "before") {
      die();
      return never();
    }
    return survive(
      action().finally(() => {
        if (isFatal) die();
      }),
    );
  }

  return {
    operate,
    survive,
    death,
    get operations() {
      return operations;
    },
    get crashed() {
      return crashed;
    },
  };
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});
