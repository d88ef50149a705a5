import { type Judged, worstOf } from "../../health/finding.ts";
import { isQuoted } from "../../../platform/settings.ts";
import { botSettings } from "../settings.ts";
import type { EnvChanges } from "./env-file.ts";
import type { Readable, Writable } from "node:stream";
import { cancel, intro, isCancel, log, outro, password, select, spinner, text } from "@clack/prompts";

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

/** Takes what is set already, and asks nobody. */
export function unattended(print: (line: string) => void): Asker {
  const take = ({ flag, current, problem }: Question): Promise<string> => {
    const wrong = current === undefined ? undefined : problem?.(current);
    if (wrong !== undefined) throw new SetupError(`--${flag}: ${wrong}`);
    return Promise.resolve(current ?? missing(flag));
  };
  return {
    isInteractive: false,
    choose: ({ flag, current, options }) =>
      Promise.resolve(current ?? missing(`${flag} ${options.map(({ value }) => value).join("|")}`)),
    text: take,
    secret: take,
    show: {
      title: print,
      step: () => undefined,
      judged(judged) {
        print(`${judged.state.padEnd(9)}${judged.state === "ok" ? judged.says : `${judged.says}. ${judged.todo}`}`);
      },
      end: print,
    },
    during: (_, work) => work(),
  };
}

function missing(flag: string): never {
  throw new SetupError(
    `--${flag} is missing. Without a terminal each answer has to be an option or a variable; --help lists them.`,
  );
}

/** What the answers so far say, by the names of variables. */
export type Known = {
  readonly asker: Asker;
  /** From the command line: these aren't asked for. */
  readonly given: EnvChanges;
  /** From the environment and the file: these are suggested. */
  readonly set: EnvChanges;
};

/** One variable: from the command line, else asked for. */
export async function askFor({ asker, given, set }: Known, name: string, byDefault?: string): Promise<string> {
  const { setup, secrets } = botSettings[name] ?? {};
  const { option: flag = name, question: message = name } = setup ?? {};
  const problem = (value: string): string | undefined => problemOf(name, value);
  const answer = given[name];
  if (answer === undefined) {
    const question: Question = { flag, message, current: set[name] ?? byDefault, problem };
    return secrets === undefined ? asker.text(question) : asker.secret(question);
  }
  const wrong = problem(answer);
  if (wrong !== undefined) throw new SetupError(`--${flag}: ${wrong}`);
  return answer;
}

/** One of several ways: from the command line, else asked for. */
export async function askWhich<Value extends string>(
  asker: Asker,
  option: string | undefined,
  choice: Choice<Value>,
): Promise<Value> {
  if (option === undefined) return asker.choose(choice);
  const values = choice.options.map(({ value }) => value);
  const found = values.find((value) => value === option);
  if (found === undefined) throw new SetupError(`--${choice.flag} takes ${values.join(" or ")}.`);
  return found;
}

/** Why the variable can't have this value, as a sentence. */
function problemOf(name: string, value: string): string | undefined {
  if (isQuoted(value)) return "Enter it without quotes.";
  const message = botSettings[name]?.schema.safeParse(value).error?.issues[0]?.message;
  return message === undefined ? undefined : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

type Checked<Answer> = {
  readonly asker: Asker;
  readonly what: string;
  /** Called again after a failed check; then without what was set or given. */
  readonly ask: (isAgain: boolean) => Promise<Answer>;
  readonly check: (answer: Answer) => Promise<readonly Judged[]>;
  readonly skipsChecks: boolean;
};

/** Asks until the check is content, or the person goes on without it. Without a terminal, a failed check ends the set-up. */
export async function checkedAnswer<Answer>(parts: Checked<Answer>): Promise<Answer> {
  const { asker, what, ask, check, skipsChecks } = parts;
  let answer = await ask(false);
  if (skipsChecks) return answer;
  for (;;) {
    const current = answer;
    const findings = await asker.during(`Checking ${what}`, () => check(current));
    for (const finding of findings) asker.show.judged(finding);
    if (worstOf(findings) !== "broken") return answer;
    if (!asker.isInteractive)
      throw new SetupError("Nothing was written. Correct the settings above, or use --skip-checks.");
    const next = await asker.choose({
      flag: "skip-checks",
      message: "What now?",
      current: "again",
      options: [
        { value: "again", label: "Enter it again" },
        { value: "retry", label: "Check again", hint: "after you have changed something elsewhere" },
        { value: "anyway", label: "Go on anyway", hint: "Gantry won't work until it is corrected" },
      ],
    });
    if (next === "anyway") return answer;
    if (next === "again") answer = await ask(true);
  }
}

export type Terminal = { readonly input: Readable; readonly output: Writable };

/** Asks in a terminal. */
export function promptsIn(terminal: Terminal): Asker {
  return {
    isInteractive: true,
    async choose({ message, options, current }) {
      // The library's own type of an option differs per type of value.
      const chosen = await select<string>({
        ...terminal,
        message,
        options: options.map((each) => ({ ...each })),
        showInstructions: false,
        ...(current !== undefined && { initialValue: current }),
      });
      const answer = answered(chosen, terminal);
      return options.find(({ value }) => value === answer)?.value ?? stopped(terminal);
    },
    ...typedIn(terminal),
    show: shownIn(terminal),
    async during(what, work) {
      const turning = spinner({ output: terminal.output });
      turning.start(what);
      try {
        return await work();
      } finally {
        turning.stop(what);
      }
    },
  };
}

function typedIn(terminal: Terminal): Pick<Asker, "text" | "secret"> {
  return {
    async text({ message, current, problem }) {
      const typed = await text({
        ...terminal,
        message,
        ...(current !== undefined && { initialValue: current }),
        validate: (value = "") => wrong(value, problem),
      });
      return answered(typed, terminal).trim();
    },
    async secret({ message, current, problem }) {
      const typed = await password({
        ...terminal,
        message: current === undefined ? message : `${message} (Enter keeps the one that is set)`,
        // The screen of a call or a recording would show how long it is, too, but people need to see that a paste worked.
        mask: "•",
        validate: (value = "") => (value === "" && current !== undefined ? undefined : wrong(value, problem)),
      });
      const value = answered(typed, terminal).trim();
      return value === "" && current !== undefined ? current : value;
    },
  };
}

function shownIn({ output }: Terminal): Asker["show"] {
  return {
    title: (line) => intro(line, { output }),
    step: (line) => log.step(line, { output }),
    judged(judged) {
      const says = { ok: log.success, warning: log.warn, broken: log.error }[judged.state];
      says(judged.state === "ok" ? judged.says : `${judged.says}\n${judged.todo}`, { output });
    },
    end: (line) => outro(line, { output }),
  };
}

function answered(value: string | symbol | undefined, terminal: Terminal): string {
  return isCancel(value) ? stopped(terminal) : String(value ?? "");
}

function stopped({ output }: Terminal): never {
  cancel("Stopped. The settings are as before.", { output });
  throw new Cancelled();
}

function wrong(value: string, problem: Question["problem"]): string | undefined {
  const typed = value.trim();
  return typed === "" ? "Enter a value." : problem?.(typed);
}
