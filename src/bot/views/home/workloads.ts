import type { Overflow, SectionBlock } from "@slack/types";
import { z } from "zod";
import {
  actionButton,
  actions,
  askButton,
  context,
  header,
  type Line,
  section,
  suggesting,
  withBlockId,
  type Block,
  limits,
  overflow,
} from "../kit/blocks.ts";
import { homeRows, HOME_PAGE, type HomeRows, type Row, targetOf, type HomeState } from "./state.ts";
import { strong, words } from "../kit/inline.ts";
import { openButton } from "../kit/ask-buttons.ts";
import { dotOf, statusWithAge } from "../kit/health.ts";
import { counted, grouped, truncate, visible, truncateMiddle, plain } from "../kit/text.ts";

/** Workloads that need somebody; nothing while all is well. */
export function homeTrouble(state: HomeState, { troubled, moreTroubled }: HomeRows): Block[] {
  if (troubled.length === 0) return [];
  const more = counted(moreTroubled, "more workload is", "more workloads are");
  return [
    header("Needs attention"),
    ...troubled.flatMap((row) => trouble(row, state)),
    ...(moreTroubled > 0 ? [context(`${more} not healthy: see the list below`)] : []),
  ];
}

/** "🔴 *flaky* exit 2, 6 restarts in 4 min", and what to do about it. */
function trouble(row: Row, state: HomeState): Block[] {
  const { name, health, status, kind } = row;
  const facts = [
    (health === undefined ? truncate(visible(status), 80) : statusWithAge(health, state.now)) || "status unknown",
    ...(health?.reason === undefined ? [] : [truncate(visible(health.reason), 160)]),
  ];
  const line: Line = [
    words(`${dotOf(row)} ${kind === "job" ? "job " : ""}`),
    strong(truncateMiddle(visible(name), 120), 120),
    words(` ${facts.join(" · ")}`, 400),
  ];
  const target = { name: targetOf(row) };
  const region = kind === "service" && state.account !== undefined ? { region: state.account.region } : {};
  const ask = { verb: "why", ...region, share: false, args: target };
  const { id, menu } = menuOf(row, { ...state, place: "trouble" });
  const isOffered = (state.mayDo.get(target.name) ?? []).some((command) => command.name === "watch");
  const tell = isOffered ? openButton("Tell me", { verb: "watch", values: target, ...region }) : undefined;
  return [section(line), ...withBlockId(actions(askButton("Why", ask), tell, menu), id)];
}

/** All workloads by name, one page of them, each with a menu. */
export function homeWorkloads(state: HomeState): Block[] {
  const { account, services, jobs, isReading, apiProblem } = state;
  if (account === undefined) return [];
  const title = header(`Workloads (${truncate(visible(account.region), 60)})`);
  if (isReading && services === undefined && jobs === undefined) return [title, section("Reading workloads…")];
  if (services === undefined && jobs === undefined) return [title, section("Unknown right now.")];
  const rows = homeRows(state);
  if (rows.total === 0) return apiProblem === undefined ? [title, ...nothingRuns(state)] : [];
  return [title, context(summary(rows)), ...rows.rows.map((row) => workloadRow(row, state)), ...pages(rows)];
}

function nothingRuns({ verbs }: HomeState): Block[] {
  if (verbs.every(({ name }) => name !== "create")) return [section("No workloads that you can see.")];
  return [
    section("No workloads yet. Create the first one: an image and a name are enough."),
    ...suggesting(openButton("Create", { verb: "create", values: {} })),
  ];
}

/** "213 workloads · 1 failing · 2 busy · 205 healthy · 5 stopped or complete". */
function summary({ total, levels: { failing, busy, healthy, idle } }: HomeRows): string {
  const counts = [
    [failing, "failing"],
    [busy, "busy"],
    [healthy, "healthy"],
    [idle, "stopped or complete"],
  ] as const; // pairs
  const shown = counts.filter(([count]) => count > 0).map(([count, level]) => `${grouped(count)} ${level}`);
  return [counted(total, "workload"), ...shown].join(" · ");
}

function pages({ from, page, rows, others }: HomeRows): Block[] {
  if (others <= HOME_PAGE) return [];
  const left = others - from - rows.length;
  const turn = (label: string, act: "previous" | "next", to: number) =>
    actionButton({ label, action: { kind: "home", act }, value: String(to) });
  return [
    context(`${grouped(from + 1)}–${grouped(from + rows.length)} of ${grouped(others)}`),
    ...actions(
      page > 0 ? turn("Previous", "previous", page - 1) : undefined,
      left > 0 ? turn(`Next ${Math.min(left, HOME_PAGE)}`, "next", page + 1) : undefined,
    ),
  ];
}

/** A workload's menu by its state, most used first: at most as many as Slack's menu holds. */
const menus: Readonly<Record<"job" | "idle" | "running", readonly string[]>> = {
  job: ["show", "logs", "delete"],
  idle: ["show", "logs", "start", "scale", "delete"],
  running: ["show", "logs", "restart", "scale", "stop"],
};

export function isMenuVerb(verb: string): boolean {
  return Object.values(menus).flat().includes(verb);
}

/** A block's id names the workload, because an option's value is too short for long names. */
const RowId = z.tuple([z.enum(["row", "trouble"]), z.string(), z.string()]);

/** The workload of a menu, as `service/web`; undefined for other blocks. */
export function workloadOfBlock(blockId: string): { readonly region: string; readonly name: string } | undefined {
  const [, region, name] = RowId.safeParse(jsonOf(blockId)).data ?? [];
  return region === undefined || name === undefined ? undefined : { region, name };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Placed = Pick<HomeState, "account" | "mayDo"> & { readonly place: "row" | "trouble" };

/** The id of the workload's block and its menu; neither when the name is too long for an id. */
export function menuOf(
  row: Row,
  { account, mayDo, place }: Placed,
): { readonly id?: string; readonly menu?: Overflow | undefined } {
  const id = JSON.stringify([place, account?.region ?? "", targetOf(row)]);
  if (id.length > limits.blockId || !id.isWellFormed()) return {};
  const may = mayDo.get(targetOf(row)) ?? [];
  const state = row.level === "idle" ? "idle" : "running";
  const options = menus[row.kind === "job" ? "job" : state].flatMap((verb) => {
    // The workload is shown already, so it may be shown again.
    const text = verb === "show" ? "Show" : may.find(({ name }) => name === verb)?.button;
    return text === undefined ? [] : [{ value: verb, text }];
  });
  return { id, menu: overflow({ action: { kind: "home", act: "workload" }, options }) };
}

/** Slack reads nothing into these characters, so such a line can have a bold name. */
const PLAIN_NAME = /^[a-z0-9.-]+$/u;
const PLAIN_FACTS = /^[\w ,./()·–-]*$/u;

/** "🟢 *web* 2 of 2" with the menu at the end of the line. */
export function workloadRow(row: Row, state: HomeState): SectionBlock {
  const name = truncateMiddle(visible(row.name), 120);
  const facts = factsOf(row);
  const { id, menu } = menuOf(row, { ...state, place: "row" });
  const isPlain = PLAIN_NAME.test(name) && PLAIN_FACTS.test(facts) && !facts.includes("_");
  const text = `${dotOf(row)} ${isPlain ? `*${name}*` : name} ${facts}`;
  return {
    type: "section",
    text: isPlain ? { type: "mrkdwn", text, verbatim: true } : plain(text, limits.plainText),
    ...(id !== undefined && { block_id: id }),
    ...(menu !== undefined && { accessory: menu }),
  };
}

/** The size of a healthy service, else how it is. */
function factsOf({ kind, level, status, size }: Row): string {
  const words = truncate(visible(status), 80) || "status unknown";
  if (kind === "job") return `${words} · job`;
  return level === "healthy" && size !== undefined ? size : words;
}
