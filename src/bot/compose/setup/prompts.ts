import type { Readable, Writable } from "node:stream";
import { cancel, intro, isCancel, log, outro, password, select, spinner, text } from "@clack/prompts";
import { type Asker, Cancelled, type Question } from "./asker.ts";

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
    plain: (line) => void output.write(`\n${line}\n`),
    end: (line) => outro(line, { output }),
  };
}

function answered(value: string | symbol | undefined, terminal: Terminal): string {
  return isCancel(value) ? stopped(terminal) : String(value ?? "");
}

function stopped({ output }: Terminal): never {
  cancel("Stopped. Nothing was written.", { output });
  throw new Cancelled();
}

function wrong(value: string, problem: Question["problem"]): string | undefined {
  const typed = value.trim();
  return typed === "" ? "Enter a value." : problem?.(typed);
}
