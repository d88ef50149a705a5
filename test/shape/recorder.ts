import { DatabaseSync, StatementSync } from "node:sqlite";
import { ENTER } from "./instrument.ts";

export type Entered = { readonly file: string; readonly name: string };

export type Recorder = {
  readonly entered: Entered[];
  readonly statements: string[];
  /** The stack at which the request was handed over to the queue. */
  queuedAt: string;
  /** The stack of the request that changed the workload, and how many calls were before it. */
  sentAt: string;
  enteredUntilSent: number;
  readonly sent: () => void;
  isOn: boolean;
};

/** Collects the calls that instrumented code reports, and every SQL statement on a database that `isOurs` picks. */
export function record(isOurs: (location: string) => boolean): Recorder {
  const recorder: Recorder = {
    entered: [],
    statements: [],
    queuedAt: "",
    sentAt: "",
    enteredUntilSent: 0,
    isOn: false,
    sent() {
      recorder.sentAt = new Error("here").stack ?? "";
      recorder.enteredUntilSent = recorder.entered.length;
    },
  };
  Object.assign(globalThis, {
    [ENTER]: (file: string, name: string) => {
      if (!recorder.isOn) return;
      recorder.entered.push({ file, name });
      if (recorder.queuedAt === "" && file.endsWith("/lanes.ts") && name.startsWith("add:"))
        recorder.queuedAt = new Error("here").stack ?? "";
    },
  });
  recordStatements(recorder, isOurs);
  return recorder;
}

function recordStatements(recorder: Recorder, isOurs: (location: string) => boolean): void {
  const sqlOf = new WeakMap<StatementSync, string>();
  // oxlint-disable-next-line typescript/unbound-method -- called below with the database it belongs to
  const prepare = DatabaseSync.prototype.prepare;
  DatabaseSync.prototype.prepare = function (...args) {
    const statement = prepare.apply(this, args);
    if (isOurs(this.location() ?? "")) sqlOf.set(statement, args[0]);
    return statement;
  };
  for (const method of ["all", "get", "run", "iterate"] as const) {
    const original = StatementSync.prototype[method] as (...args: unknown[]) => unknown; // one signature for the four
    Object.assign(StatementSync.prototype, {
      [method](this: StatementSync, ...args: unknown[]) {
        const sql = sqlOf.get(this);
        if (recorder.isOn && sql !== undefined) recorder.statements.push(sql);
        return original.apply(this, args);
      },
    });
  }
}
