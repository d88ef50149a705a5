import type { Judged } from "../../health/finding.ts";

export type Question = {
  /** The option of the command line that answers it, without its dashes. */
  readonly flag: string;
  readonly message: string;
  /** The value that is set already. */
  readonly current: string | undefined;
  /** Why a value can't be right, as a sentence. */
  readonly problem?: (value: string) => string | undefined;
};

export type Choice<Value extends string> = {
  readonly flag: string;
  readonly message: string;
  readonly current: Value | undefined;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: string }[];
};

/** Asks a person, or takes what the command line and the environment say. */
export type Asker = {
  /** False without a terminal: each question then needs an answer beforehand. */
  readonly isInteractive: boolean;
  readonly choose: <Value extends string>(choice: Choice<Value>) => Promise<Value>;
  readonly text: (question: Question) => Promise<string>;
  /** Shows nothing of what is typed. */
  readonly secret: (question: Question) => Promise<string>;
  readonly show: {
    readonly title: (text: string) => void;
    readonly step: (text: string) => void;
    readonly judged: (line: Judged) => void;
    /** Without decoration, to be copied. */
    readonly plain: (text: string) => void;
    readonly end: (text: string) => void;
  };
  readonly during: <Result>(what: string, work: () => Promise<Result>) => Promise<Result>;
};

/** The set-up can't go on; the message has the reasons, as lines. Nothing was written. */
export class SetupError extends Error {
  override readonly name = "SetupError";
}

/** Somebody pressed Ctrl-C. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}
