import { type Area, type Finding, type State, worstOf } from "../../health/finding.ts";
import { actions, context, header, type Line, section, type Block } from "../kit/blocks.ts";
import { channel, sentence, strong, words } from "../kit/inline.ts";
import { type Message, postOf } from "../kit/post.ts";
import { counted } from "../kit/text.ts";
import { runButton } from "../kit/ask-buttons.ts";
import { withCommand } from "./sentences.ts";

export type StatusFor = {
  readonly findings: readonly Finding[];
  readonly command: string;
  /** All lines, for an admin; otherwise only whether each part works. `shared`: others would read them too. */
  readonly details: "shown" | "others" | "shared" | "unchecked";
  /** The channel in which it was asked, when the bot isn't in it. */
  readonly outside: { readonly channelId: string; readonly botName: string } | undefined;
};

const dots: Readonly<Record<State, string>> = { ok: "🟢", warning: "🟡", broken: "🔴" };
const areas: readonly Area[] = ["Slack", "Workload API", "Database", "Gantry"];

/** Whether Gantry works, for everybody; with `details`, each line and what to do about it. */
export function statusMessage(status: StatusFor): Message {
  const { findings, details } = status;
  const title = headline(findings);
  const shown = areas.flatMap((area) => {
    const lines = findings.filter((each) => each.area === area);
    return lines.length === 0 ? [] : [{ area, lines }];
  });
  const blocks = details === "shown" ? shown.map((each) => areaBlock(each, status.command)) : [summary(shown)];
  return postOf([
    header(`${dots[worstOf(findings)]} ${title}`),
    ...blocks,
    ...(status.outside === undefined ? [] : [outsideBlock(status.outside)]),
    ...noteBlocks(status),
    ...actions(runButton("Check again", { verb: "status", share: false, args: {} }, { at: 0 })),
  ]);
}

function headline(findings: readonly Finding[]): string {
  const count = (state: State): number => findings.filter((each) => each.state === state).length;
  if (count("broken") > 0) return `Gantry has ${counted(count("broken"), "problem")}`;
  return count("warning") === 0
    ? "Gantry is working"
    : `Gantry is working, with ${counted(count("warning"), "warning")}`;
}

type Part = { readonly area: Area; readonly lines: readonly Finding[] };

const states: Readonly<Record<State, string>> = {
  ok: "works",
  warning: "works, with warnings",
  broken: "has a problem",
};

function summary(parts: readonly Part[]): Block {
  const [first, ...rest] = parts.map(({ area, lines }): Line => {
    const state = worstOf(lines);
    return [words(`${dots[state]} `), strong(area), words(` ${states[state]}`)];
  });
  return section(first ?? [words("Nothing could be checked.")], ...rest);
}

function areaBlock({ area, lines }: Part, command: string): Block {
  const text = (finding: Finding): Line[] => {
    const says = sentence(withCommand(finding.says, command));
    const line: Line = [words(`${dots[finding.state]} `), ...says];
    return finding.state === "ok" ? [line] : [line, [words("→ "), ...sentence(withCommand(finding.todo, command))]];
  };
  return section([strong(area)], ...lines.flatMap(text));
}

function outsideBlock({ channelId, botName }: NonNullable<StatusFor["outside"]>): Block {
  return section([
    words("🟡 I'm not in "),
    channel(channelId),
    ...sentence(`, so cards and threads can't be posted here. Invite me with \`/invite @${botName}\`.`),
  ]);
}

/** Where the details are, for those who don't see them. */
function noteBlocks({ details, command, findings }: StatusFor): Block[] {
  if (details === "shown") return [];
  if (details === "shared")
    return [context(`Workspace admins see the details with ${command} status, outside a thread.`)];
  if (details === "unchecked") {
    return [
      context(
        "Slack didn't say whether you're a workspace admin, so the details are hidden. npm run doctor shows them where Gantry runs.",
      ),
    ];
  }
  if (worstOf(findings) !== "broken") return [context("Workspace admins see the details here.")];
  return [context("If this keeps happening, contact your Gantry admin. Workspace admins see the details here.")];
}
