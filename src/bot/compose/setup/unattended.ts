import { type Asker, type Question, SetupError } from "./asker.ts";

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
      plain: () => undefined,
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
