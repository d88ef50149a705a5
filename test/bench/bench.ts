import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runProgram } from "../support/program.ts";
import { comparison } from "./compare.ts";
import { machine } from "./machine.ts";
import { endAll } from "./remote.ts";
import { missedRows, rowTable } from "./row-table.ts";
import { measureRows } from "./rows.ts";

/** Side by side in one run: the bot and a bare Bolt app under the same load. Loopback only; ends by itself. */

const LONGEST_RUN_MS = 45 * 60_000;

const usage = `npm run bench -- [options]
  --quick        the rows of speed that take a few seconds, once: about a minute
  --reps N       repetitions of each case (3, with --quick 1)
  --only TEXT    only cases with TEXT in their name
  --json FILE    write the figures to FILE
  --against FILE compare with the figures that --json wrote to FILE earlier
  --check        end with 1 when a target is missed
`;

type Options = ReturnType<typeof readOptions>;

/** Throws an Error with one sentence when they make no sense. */
function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      reps: { type: "string" },
      only: { type: "string" },
      json: { type: "string" },
      against: { type: "string" },
      check: { type: "boolean", default: false },
    },
  });
  const { quick: isQuick, json, against, check } = values;
  const { reps = isQuick ? "1" : "3", only = isQuick ? "speed:" : "" } = values;
  if (!/^[1-9]\d?$/u.test(reps)) throw new Error(`--reps has to be a whole number from 1 to 99; "${reps}" is not`);
  return { isQuick, repetitions: Number(reps), only, json, against, check };
}

async function main(options: Options): Promise<number> {
  process.stdout.write(`Gantry bench, ${machine()}\n\n`);
  const rows = await measureRows(options, (name) => void process.stderr.write(`measuring: ${name}\n`));
  const missed = missedRows(rows);
  const ends = missed.length === 0 ? "Every goal is reached." : ["Missed:", ...missed].join("\n  ");
  process.stdout.write(`${rowTable(rows)}\n\n${ends}\n`);
  if (options.against !== undefined) process.stdout.write(`\n${comparison(rows, options.against)}\n`);
  if (options.json !== undefined) {
    const figures = { machine: machine(), at: new Date().toISOString(), rows, missed };
    writeFileSync(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  }
  return options.check && missed.length > 0 ? 1 : 0;
}

await runProgram({ name: "The bench", longestMs: LONGEST_RUN_MS, usage, readOptions, main, atExit: endAll });
