import { writeFileSync } from "node:fs";
import { runProgram } from "../support/program.ts";
import { measureAcks, type AckResult } from "./ack.ts";
import { ackCases, gapCases, messageCases, viewCases } from "./cases.ts";
import { comparison } from "./compare.ts";
import { memoryOf } from "./memory.ts";
import { readOptions, usage, type Options } from "./options.ts";
import { endAll } from "./remote.ts";
import { type GapResult, measureGap } from "./refresh-gap.ts";
import { machine, missed, report, type Figures } from "./report.ts";
import { measureMessages, type MessageResult } from "./slash-to-message.ts";
import { measureRows } from "./rows/rows.ts";
import { setStage } from "./stage.ts";
import { measureView, type ViewResult } from "./view-drawn.ts";

/** Side by side in one run: the bot and a bare Bolt app under the same load. Loopback only; ends by itself. */

const LONGEST_RUN_MS = 45 * 60_000;

const none: Figures = { rows: [], acks: [], gaps: [], messages: [], views: [], memoryBefore: [], memoryAfter: [] };

async function measure(options: Options): Promise<Figures> {
  const rows = await measureRows(options, progress);
  // What is measured there only has processes of its own.
  if (options.only.startsWith("speed:")) return { ...none, rows };
  const stage = await setStage(options.program);
  const memoryBefore = memoryOf(stage);
  // First those of single commands: they want a machine that has not just been under load.
  const messages: MessageResult[] = [];
  for (const each of messageCases(stage, options)) {
    progress(each.name);
    messages.push(await measureMessages(stage, each));
  }
  const acks: AckResult[] = [];
  for (const each of ackCases(stage, options)) {
    progress(`${each.name}, concurrency ${each.concurrency}`);
    acks.push(await measureAcks(stage, each));
  }
  const gaps: GapResult[] = [];
  for (const each of gapCases(options)) {
    progress(each.name);
    gaps.push(await measureGap(stage, each));
  }
  const memoryAfter = memoryOf(stage);
  // After the memory was looked at: dozens of accounts with thousands of services each are no usual load.
  const views: ViewResult[] = [];
  for (const each of viewCases(stage, options)) {
    progress(each.name);
    views.push(await measureView(stage, each));
  }
  return { rows, acks, gaps, messages, views, memoryBefore, memoryAfter };
}

function progress(what: string): void {
  process.stderr.write(`measuring: ${what}\n`);
}

async function main(options: Options): Promise<number> {
  process.stdout.write(`Gantry bench, ${machine()}\n\n`);
  const figures = await measure(options);
  process.stdout.write(`${report(figures)}\n`);
  if (options.against !== undefined) process.stdout.write(`\n${comparison(figures, options.against)}\n`);
  if (options.json !== undefined) {
    const { requests, repetitions } = options;
    const all = { machine: machine(), at: new Date().toISOString(), requests, repetitions, ...figures };
    writeFileSync(options.json, `${JSON.stringify({ ...all, missed: missed(figures) }, undefined, 2)}\n`);
  }
  return options.check && missed(figures).length > 0 ? 1 : 0;
}

await runProgram({ name: "The bench", longestMs: LONGEST_RUN_MS, usage, readOptions, main, atExit: endAll });
