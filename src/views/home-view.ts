import type { HomeView } from "@slack/types";
import type { AccountOwner } from "../accounts/account.ts";
import type { HistoryEvent } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Entry } from "../commands/directory.ts";
import { actButton, actions, bullets, divider, header, limits, section, type Line } from "./blocks.ts";
import { historyLine } from "./history-line.ts";
import { homeAccount } from "./home-account.ts";
import { homeChanges } from "./home-changes.ts";
import { homeWorkloads } from "./home-workloads.ts";
import { moment, strong, words } from "./inline.ts";
import { menu } from "./menu.ts";
import type { Block } from "./message.ts";
import { openButton } from "./open-button.ts";
import { numbered } from "./post.ts";

/** What Home shows of somebody: everything there is to know, as far as it is known yet. */
export type HomeState = {
  readonly command: string;
  /** The person's real name; "" where it is not known. */
  readonly who: string;
  /** With which account Gantry acts for them, and where services are looked for when they say nothing else. */
  readonly account?: { readonly owner: AccountOwner; readonly username: string; readonly region: string };
  /** Why there is no account: complete sentences. */
  readonly accountProblem?: string | undefined;
  /** Undefined: not known. */
  readonly services?: readonly Entry[] | undefined;
  readonly jobs?: readonly Entry[] | undefined;
  /** Whether the service was asked and has not answered yet. */
  readonly isReading: boolean;
  /** Why something is missing or old: complete sentences. */
  readonly problems: readonly string[];
  /** What they asked for that waits, and what waits for their vote. */
  readonly mine: readonly StoredChange[];
  readonly waiting: readonly StoredChange[];
  /** Newest first. */
  readonly recent: readonly HistoryEvent[];
  /** What this person may do with those in trouble: verbs by `service/web`. */
  readonly mayDo: ReadonlyMap<string, readonly string[]>;
  /** Those that have a form, and that this person may use. */
  readonly verbs: readonly { readonly name: string; readonly summary: string }[];
  /** Known regions, and the configured one. */
  readonly regions: readonly string[];
  readonly defaultRegion: string;
  /** When the service told what runs. */
  readonly readAt: Date;
};

/** What stands for "none of my own" among the regions. */
export const NO_REGION = "!default";

const PROBLEMS = 4;
const RECENT = 5;

/** The Home tab: what to do, what runs, what waits, what happened, and with which account. */
export function homeView(state: HomeState): HomeView {
  const blocks = [
    header("Gantry"),
    ...actions(...doing(state)),
    ...state.problems.slice(0, PROBLEMS).map((problem) => section([words(`⚠️ ${problem}`, 600)])),
    ...homeWorkloads(state),
    ...homeChanges(state),
    ...recent(state),
    divider,
    ...homeAccount(state, regionMenu(state)),
    section([
      words("Last read: "),
      moment(state.readAt.toISOString()),
      words(". It is read anew when you open this tab."),
    ]),
  ];
  return { type: "home", blocks: numbered(blocks).slice(0, limits.viewBlocks) };
}

function doing({ account, verbs }: HomeState) {
  const names = new Set(verbs.map(({ name }) => name));
  const opening = (label: string, verb: string) =>
    account !== undefined && names.has(verb) ? openButton(label, { verb, values: {} }) : undefined;
  const all = verbs.map(({ name, summary }) => ({ value: name, text: name, description: summary }));
  return [
    opening("Create workload", "create"),
    opening("Find workload", "show"),
    actButton({ label: "Refresh", act: "home:refresh", value: "refresh" }),
    account === undefined ? undefined : menu({ act: "home:do", placeholder: "Do something…", options: all }),
  ];
}

function recent({ recent: events, command }: HomeState): Block[] {
  const [first, ...rest] = events
    .slice(0, RECENT)
    .map((event): Line => [moment(event.at.toISOString()), words(`  ${historyLine(event)}`, 400)]);
  if (first === undefined) return [];
  return [section([strong("Recent changes")]), bullets([first, ...rest]), section(`All of it: \`${command} history\``)];
}

/** The person's own region among the known ones; what they chose need not be one of those. */
function regionMenu({ account, regions, defaultRegion }: HomeState) {
  const region = account?.region ?? defaultRegion;
  const others = [region, ...regions].filter((each) => each !== defaultRegion);
  const own = [...new Set(others)].toSorted().map((each) => ({ value: each, text: each }));
  return menu({
    act: "home:region",
    placeholder: "Your region…",
    options: [{ value: NO_REGION, text: `${defaultRegion} (the default)` }, ...own],
    chosen: region === defaultRegion ? NO_REGION : region,
  });
}
