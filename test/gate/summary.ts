import type { Fault, PartResult } from "./run-part.ts";

/** A part that could not run, and why. It counts neither as passed nor as failed. */
export type NotRun = { readonly name: string; readonly notRun: string };

/** The closing lines of a run, the last one with what passed and failed. */
export function summaryOf(results: readonly (PartResult | NotRun)[], totalSeconds: number): string {
  const ran = results.filter((result) => "seconds" in result);
  const budget = ran.reduce((sum, part) => sum + part.budget, 0);
  const passed = ran.reduce((sum, part) => sum + part.passed, 0);
  const failed = ran.reduce((sum, part) => sum + part.failed.length, 0);
  const flaky = ran.flatMap((part) => part.flaky);
  const quarantined = ran.flatMap((part) => part.quarantined);
  return [
    ...results.map((result) => ("notRun" in result ? `not run: ${result.name}: ${result.notRun}` : linesOf(result))),
    `${time(totalSeconds, budget)}  in all`,
    ...listed("flaky: failed once, and passed when its file was repeated alone", flaky),
    ...listed("quarantined: failed twice, and may for now", quarantined),
    `${passed} passed, ${failed} failed`,
    "",
  ].join("\n");
}

/** One line of JSON about a part, for whoever compares runs. */
export function ledgerLine(commit: string, result: PartResult | NotRun): string {
  if ("notRun" in result) return `${JSON.stringify({ commit, part: result.name, notRun: result.notRun })}\n`;
  const { name: part, seconds, load, passed, failed, flaky, quarantined } = result;
  const titles = (faults: readonly Fault[]) => faults.map(({ title }) => title);
  const row = { commit, part, seconds, load, passed, failed: titles(failed), flaky: titles(flaky) };
  return `${JSON.stringify({ ...row, ...(quarantined.length > 0 && { quarantined: titles(quarantined) }) })}\n`;
}

function linesOf({ name, seconds, budget, passed, failed, flaky }: PartResult): string {
  const counts = `${String(passed).padStart(5)} passed  ${String(failed.length).padStart(3)} failed`;
  const more = flaky.length > 0 ? ` (${flaky.length} flaky)` : "";
  return [`${time(seconds, budget)}  ${counts}  ${name}${more}`, ...failed.flatMap(faultLines)].join("\n");
}

function faultLines({ title, said }: Fault): readonly string[] {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  return [`    ${title}`, ...lines.slice(0, 35).map((line) => `      ${line.slice(0, 500)}`)];
}

function time(seconds: number, budget: number): string {
  return `${String(seconds).padStart(5)} s of ${String(budget).padStart(4)}${seconds > budget ? ", over" : "      "}`;
}

function listed(heading: string, faults: readonly Fault[]): readonly string[] {
  if (faults.length === 0) return [];
  const rows = faults.map(
    ({ title, said }) => `    ${title}\n      ${said.trim().split("\n", 1)[0]?.slice(0, 300) ?? ""}`,
  );
  return [`${faults.length} ${heading}`, ...rows];
}
