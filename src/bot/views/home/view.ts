import type { HomeView, StaticSelect } from "@slack/types";
import {
  actionButton,
  actions,
  askButton,
  divider,
  header,
  limits,
  listed,
  section,
  suggesting,
  type Block,
  context,
  menu,
} from "../kit/blocks.ts";
import { historyLine } from "../cards/history-line.ts";
import { homeRows, type HomeRows, type HomeState } from "./state.ts";
import { homeTrouble, homeWorkloads } from "./workloads.ts";
import { code, moment, words } from "../kit/inline.ts";
import { openButton } from "../kit/ask-buttons.ts";
import { blocksFor, numbered } from "../kit/post.ts";
import { grouped, truncate, visible } from "../kit/text.ts";
import { shortSpan } from "../kit/time.ts";
import type { AccountOwner } from "../../accounts/resolve.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { approvalsText, askedBy, decisionButtons, requestTitle } from "../cards/request-lines.ts";

/** The menu value for "no region of my own". */
export const NO_REGION = "!default";

const PROBLEMS = 4;
const RECENT = 5;

/** The Home tab: whether there is something to do, what needs somebody, then everything that runs, what happened, and the account. */
export function homeView(state: HomeState): HomeView {
  const { account, readAt } = state;
  const rows = homeRows(state);
  const blocks = [
    ...headline(state, rows),
    ...actions(...quickActions(state)),
    ...problemLines(state),
    ...(account === undefined ? homeStart(state) : homeTrouble(state, rows)),
    ...homeRequests(state),
    ...homeWorkloads(state),
    ...recent(state),
    divider,
    ...homeAccount(state, regionMenu(state)),
    section([moment(readAt.toISOString(), "Updated ")]),
  ];
  const shown = numbered(blocks).slice(0, limits.viewBlocks);
  return {
    type: "home",
    blocks: account === undefined ? shown : blocksFor(account.username, shown),
    // Clicks carry it back, so that a redraw stays on the page.
    private_metadata: JSON.stringify({ page: rows.page }),
  };
}

/** Instead of a Home that Slack didn't take. */
export function refusedHome(reason: string, reference: string): HomeView {
  const sentence = `Home couldn't be drawn: ${reason}. The slash command still works. Contact your Gantry admin.`;
  return {
    type: "home",
    blocks: [
      section([words(`⚠️ ${sentence} Reference `), code(reference, 20)]),
      ...actions(actionButton({ label: "Refresh", action: { kind: "home", act: "refresh" }, value: "refresh" })),
    ],
  };
}

/** "2 failing · 1 waits for you": whether there is something to do, in the first line. Nothing while that is unknown. */
function headline(
  { account, services, jobs, apiProblem, problems, isReading, waiting, mayWaitMore }: HomeState,
  { levels }: HomeRows,
) {
  if (account === undefined) return [];
  const waits = mayWaitMore === true ? "or more wait for you" : `${waiting.length === 1 ? "waits" : "wait"} for you`;
  const facts = [
    ...(levels.failing > 0 ? [`${grouped(levels.failing)} failing`] : []),
    ...(waiting.length > 0 ? [`${waiting.length} ${waits}`] : []),
  ];
  if (facts.length > 0) return [header(facts.join(" · "))];
  const isKnown = services !== undefined && jobs !== undefined && apiProblem === undefined && problems.length === 0;
  if (!isKnown || isReading || services.length + jobs.length === 0) return [];
  return [
    header(levels.busy > 0 ? `Nothing is failing · ${grouped(levels.busy)} not ready yet` : "Nothing is failing"),
  ];
}

function quickActions({ account, verbs, services, jobs }: HomeState) {
  const names = new Set(verbs.map(({ name }) => name));
  const opening = (label: string, verb: string) =>
    account !== undefined && names.has(verb) ? openButton(label, { verb, values: {} }) : undefined;
  const all = verbs.map(({ name, summary }) => ({ value: name, text: name, description: summary }));
  const isEmpty = services?.length === 0 && jobs?.length === 0;
  return [
    // An empty list has its own button.
    isEmpty ? undefined : opening("Create", "create"),
    opening("Find workload", "show"),
    actionButton({ label: "Refresh", action: { kind: "home", act: "refresh" }, value: "refresh" }),
    account === undefined
      ? undefined
      : menu({ action: { kind: "home", act: "do" }, placeholder: "More…", options: all }),
  ];
}

/** A list older than this is said to be old. */
const OLD_MS = 60_000;

/** Problems stand above everything, because what follows may be old or incomplete. */
function problemLines({ problems, apiProblem, services, jobs, readAt, now, isReading }: HomeState): Block[] {
  const ageMs = now.getTime() - readAt.getTime();
  const isOld = ageMs > OLD_MS && (services !== undefined || jobs !== undefined);
  const old = isOld ? ` Showing workloads as they were ${shortSpan(ageMs)} ago.` : "";
  const all = [...(apiProblem === undefined || isReading ? [] : [`${apiProblem}${old}`]), ...problems];
  return all.slice(0, PROBLEMS).map((problem) => section([words(`⚠️ ${problem}`, 600)]));
}

function recent({ recent: events, account, now, defaultRegion }: HomeState): Block[] {
  const whose = account === undefined ? {} : { account: account.username };
  const drawing = { now, defaultRegion, ...whose, detail: "brief" } as const; // a literal detail
  if (events.length === 0) return [];
  const all = askButton("Full history", { verb: "history", share: false, args: {} });
  const lines = events.slice(0, RECENT).map((event) => historyLine(event, drawing));
  return [header("Recent"), ...listed(lines), ...actions(all)];
}

/** The person's region may be one that isn't known. */
function regionMenu({ account, regions, defaultRegion }: HomeState) {
  const region = account?.region ?? defaultRegion;
  const others = [region, ...regions].filter((each) => each !== defaultRegion);
  const own = [...new Set(others)].toSorted().map((each) => ({ value: each, text: each }));
  return menu({
    action: { kind: "home", act: "region" },
    placeholder: "Default region…",
    options: [{ value: NO_REGION, text: `${defaultRegion} (server default)` }, ...own],
    chosen: region === defaultRegion ? NO_REGION : region,
  });
}

/** Without an account: why, and how to get one. */
export function homeStart({ accountProblem }: Pick<HomeState, "accountProblem">): Block[] {
  return [
    header("Connect your account"),
    section([words(accountProblem ?? "Your workloads appear here as soon as your account is connected.", 600)]),
    ...suggesting(
      connect("Connect your account"),
      askButton("What can Gantry do?", { verb: "help", share: false, args: {} }),
    ),
  ];
}

/** "Acting as gantry (workspace account) · default region beijing1", and how to change both. */
export function homeAccount({ account }: Pick<HomeState, "account">, regions: StaticSelect | undefined): Block[] {
  if (account === undefined) return [];
  const { owner, username, region, jobsRegion } = account;
  const acting = `Acting as ${truncate(visible(username), 100)} (${whose[owner.kind]})`;
  return [
    context(`${acting} · default region ${place(region)} · jobs run in ${place(jobsRegion)}`),
    ...actions(regions, connect(connectLabels[owner.kind])),
  ];
}

function place(region: string): string {
  return truncate(visible(region), 60);
}

function connect(label: string) {
  return actionButton({ label, action: { kind: "home", act: "connect" }, value: "mine" });
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "your account",
  channel: "channel account",
  workspace: "workspace account",
};

const connectLabels: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "Connect another account",
  channel: "Connect your account",
  workspace: "Connect your account",
};

const LISTED = 6;

/** Requests that wait for this person's approval, then their own. */
export function homeRequests(state: HomeState): Block[] {
  const { mine, waiting, now } = state;
  const approvals = (change: StoredChange) => [words(approvalsText(change, { now }), 400)];
  return [
    ...part("Waiting for you", waiting, (change) => [
      section(requestTitle(change, state), askedBy(change, state), approvals(change)),
      ...decisionButtons(change, "decide"),
    ]),
    ...part("Your requests", mine, (change) => [
      section(requestTitle(change, state), approvals(change)),
      ...decisionButtons(change, "cancel"),
    ]),
  ];
}

function part(title: string, changes: readonly StoredChange[], draw: (change: StoredChange) => Block[]): Block[] {
  if (changes.length === 0) return [];
  const more = changes.length - LISTED;
  const all = { verb: "pending", share: false, args: {} };
  return [
    header(title),
    ...changes.slice(0, LISTED).flatMap(draw),
    ...(more > 0 ? actions(askButton(`${more} more …`, all)) : []),
  ];
}
