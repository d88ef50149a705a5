import { actionButton, actions, askButton, context, header, type Line, section, withBlockId } from "../kit/blocks.ts";
import { homeRows, HOME_PAGE, type HomeRows, type Row, targetOf } from "./rows.ts";
import type { HomeState } from "./state.ts";
import { strong, words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { openButton } from "../forms/open-button.ts";
import { dotOf, statusWords } from "../kit/status.ts";
import { counted, grouped, truncate, visible, truncateMiddle } from "../kit/text.ts";
import { shortAge } from "../kit/time.ts";
import { menuOf, workloadRow } from "./workload-row.ts";

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
  const since = shortAge(health?.since, state.now);
  const facts = [
    truncate(health === undefined ? visible(status) : statusWords(health, state.now), 80) || "status unknown",
    ...(health?.reason === undefined ? [] : [truncate(visible(health.reason), 160)]),
    ...(since === undefined ? [] : [since]),
  ];
  const line: Line = [
    words(`${dotOf(row)} ${kind === "job" ? "job " : ""}`),
    strong(truncateMiddle(visible(name), 120), 120),
    words(` ${facts.join(" · ")}`, 400),
  ];
  const target = { name: targetOf(row) };
  const ask = { verb: "why", ...regionFor(row, state), share: false, args: target };
  const { id, menu } = menuOf(row, { ...state, place: "trouble" });
  return [section(line), ...withBlockId(actions(askButton("Why", ask), menu), id)];
}

function regionFor({ kind }: Row, { account }: HomeState) {
  return kind === "service" && account !== undefined ? { region: account.region } : {};
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
    ...actions(openButton("Create", { verb: "create", values: {} }, "primary")),
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
