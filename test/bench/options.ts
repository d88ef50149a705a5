import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

export type Options = {
  readonly requests: number;
  /** Shorter rounds meet more beginnings of a burst, longer ones more of a drifting machine. */
  readonly rounds: number;
  readonly repetitions: number;
  /** Only cases with this in their name. */
  readonly only: string;
  readonly json: string | undefined;
  /** A file that `--json` wrote earlier. */
  readonly against: string | undefined;
  /** End with 1 when a target is missed. */
  readonly check: boolean;
  /** The bot's entry. */
  readonly program: string;
  /** Only rows of speed, each once, without those that take long. */
  readonly isQuick: boolean;
};

export const usage = `npm run bench -- [options]
  --requests N   measured commands per app and repetition (2000)
  --rounds N     rounds they are sent in, in turn with the bare app's (4)
  --quick        the rows of speed that take a few seconds, once: about a minute
  --reps N       repetitions of each case (3, with --quick 1)
  --only TEXT    only cases with TEXT in their name
  --json FILE    write the figures to FILE
  --against FILE compare with the figures that --json wrote to FILE earlier
  --check        end with 1 when a target is missed
  --program FILE another entry of the bot, to try a changed copy (src/gantry.js, started with the argument bot)
`;

/** Throws an Error with one sentence when they make no sense. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: "string", default: "2000" },
      rounds: { type: "string", default: "4" },
      quick: { type: "boolean", default: false },
      reps: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
      against: { type: "string" },
      check: { type: "boolean", default: false },
      program: { type: "string", default: fileURLToPath(new URL("../../src/gantry.js", import.meta.url)) },
    },
  });
  const { quick: isQuick, json, against, check, program } = values;
  const { reps = isQuick ? "1" : "3", only = isQuick ? "speed:" : "" } = values;
  const requests = count("--requests", values.requests, 100_000);
  const rounds = count("--rounds", values.rounds, 20);
  if (requests % rounds !== 0) throw new Error(`--requests has to be a multiple of the ${rounds} rounds`);
  const repetitions = count("--reps", reps, 50);
  return { requests, rounds, repetitions, only, json, against, check, program, isQuick };
}

function count(name: string, value: string, most: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new Error(`${name} has to be a whole number from 1 to ${most}; "${value}" is not`);
  }
  return number;
}
