import type { HomeView } from "@slack/types";
import { actionButton, actions, bullets, divider, header, limits, section, type Line } from "../kit/blocks.ts";
import { historyLine } from "../kit/history-line.ts";
import { homeAccount } from "./account.ts";
import { homeChanges } from "./changes.ts";
import type { HomeState } from "./state.ts";
import { homeWorkloads } from "./workloads.ts";
import { moment, strong, words } from "../kit/inline.ts";
import { menu } from "../kit/menu.ts";
import type { Block } from "../kit/message.ts";
import { openButton } from "../forms/open-button.ts";
import { numbered } from "../kit/post.ts";

/** The menu value for "no region of my own". */
export const NO_REGION = "!default";

const PROBLEMS = 4;
const RECENT = 5;

/** The Home tab: actions, workloads, pending changes, history, and the account. */
export function homeView(state: HomeState): HomeView {
  const blocks = [
    header("Gantry"),
    ...actions(...quickActions(state)),
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

function quickActions({ account, verbs }: HomeState) {
  const names = new Set(verbs.map(({ name }) => name));
  const opening = (label: string, verb: string) =>
    account !== undefined && names.has(verb) ? openButton(label, { verb, values: {} }) : undefined;
  const all = verbs.map(({ name, summary }) => ({ value: name, text: name, description: summary }));
  return [
    opening("Create workload", "create"),
    opening("Find workload", "show"),
    actionButton({ label: "Refresh", act: "home:refresh", value: "refresh" }),
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

/** The person's region may be one that isn't known. */
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
