/** Starts a night on this machine every day, even when nobody uses it. One job for each project. */
export interface Timer {
  readonly name: TimerName;
  /** Installs the job in place of the project's earlier one. If it can't, it throws `timer-failed` and changes nothing. */
  install(job: TimerJob): Promise<TimerChange>;
  /** Removes the project's job; undefined if it had none. */
  remove(project: string): Promise<TimerChange | undefined>;
  /** The installed jobs, exactly as they were given. */
  list(): Promise<readonly TimerJob[]>;
}

export const timerNames = ["cron", "systemd", "launchd", "schtasks"] as const;

export type TimerName = (typeof timerNames)[number];

export interface TimerJob {
  /** Absolute path. The job starts in it. */
  readonly project: string;
  /** Local time, `HH:MM`. */
  readonly at: string;
  /** The whole command with all its flags. The first word is a program's absolute path. */
  readonly argv: readonly string[];
  /** Absolute path. The job's output is appended to this file. */
  readonly log: string;
}

export interface TimerChange {
  /** The thing that was changed, for messages. */
  readonly where: string;
  /** Commands that a person still has to run before the change takes effect; empty if there are none. */
  readonly todo: readonly string[];
  /** Why they couldn't be run, if they were tried. */
  readonly because?: string;
}

/** Added to the command of a second check, for timers that don't catch up on a time when the machine was off. */
export const ifDueFlag = "--if-due";
