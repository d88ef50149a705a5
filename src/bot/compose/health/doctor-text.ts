import { styleText } from "node:util";
import { type Area, type Finding, type State, worstOf } from "../../health/finding.ts";

const colours = { ok: "green", warning: "yellow", broken: "red" } as const;
const areas: readonly Area[] = ["Slack", "Workload API", "Database", "Gantry"];
/** "warning" and two spaces. */
const INDENT = 11;

export type TextOptions = {
  readonly columns: number;
  readonly isColoured: boolean;
  readonly title: string;
};

/** The findings for a terminal: a group for each part, and a line for each check with what to do below it. */
export function doctorText(findings: readonly Finding[], { columns, isColoured, title }: TextOptions): string {
  const paint = (state: State, text: string): string =>
    isColoured ? styleText(colours[state], text, { validateStream: false }) : text;
  const lineOf = (finding: Finding): string[] => {
    const [first = "", ...more] = wrapped(finding.says, columns - INDENT);
    const state = paint(finding.state, finding.state.padEnd(INDENT - 2));
    const todo = finding.state === "ok" ? [] : wrapped(finding.todo, columns - INDENT - 2);
    return [
      `  ${state}${first}`,
      ...more.map((each) => " ".repeat(INDENT) + each),
      ...todo.map((each, at) => `${" ".repeat(INDENT)}${at === 0 ? "→ " : "  "}${each}`),
    ];
  };
  const groups = areas.flatMap((area) => {
    const lines = findings.filter((each) => each.area === area).flatMap(lineOf);
    return lines.length === 0 ? [] : [[area, ...lines].join("\n")];
  });
  const count = (state: State): number => findings.filter((each) => each.state === state).length;
  const [fine, warnings, problems] = [count("ok"), count("warning"), count("broken")];
  const summary =
    problems + warnings === 0
      ? `All ${fine} checks are ok.`
      : `${problems} broken, ${warnings} ${warnings === 1 ? "warning" : "warnings"}, ${fine} ok.`;
  return [title, ...groups, paint(worstOf(findings), summary)].join("\n\n");
}

/** Lines of whole words; a longer word stays whole, so that addresses can be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
