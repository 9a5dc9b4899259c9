/** Starts a night on this machine, every day, also when nobody is at it. One job for each project. */
export interface Timer {
  readonly name: TimerName;
  /** Puts the job in the place of the one that the project had. Throws `timer-failed` and changes nothing when it cannot. */
  install(job: TimerJob): Promise<TimerChange>;
  /** Undefined when the project had none. */
  remove(project: string): Promise<TimerChange | undefined>;
  /** What is installed, exactly as it was given. */
  list(): Promise<readonly TimerJob[]>;
}

export const timerNames = ["cron", "systemd", "launchd", "schtasks"] as const;

export type TimerName = (typeof timerNames)[number];

export interface TimerJob {
  /** Absolute; the job starts in it. */
  readonly project: string;
  /** Local time, `HH:MM`. */
  readonly at: string;
  /** The whole command with all its flags; the first word is a program's absolute path. */
  readonly argv: readonly string[];
  /** Absolute; what it prints is added to this file. */
  readonly log: string;
}

export interface TimerChange {
  /** What was changed, for messages. */
  readonly where: string;
  /** Commands that a person still has to run for it to hold; none when it holds. */
  readonly todo: readonly string[];
  /** Why they were not run, when they were tried. */
  readonly because?: string;
}

/** Ends the command of a second look, for timers that do not make up for a time that passed while the machine was off. */
export const ifDueFlag = "--if-due";
