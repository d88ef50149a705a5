import type { Entry } from "../../commands/lookup/directory.ts";
import { actions, button, section, type Line } from "../kit/blocks.ts";
import type { HomeState } from "./state.ts";
import { strong, words } from "../kit/inline.ts";
import type { Block } from "../kit/message.ts";
import { openButton } from "../forms/open-button.ts";
import { levelOf } from "../../api/workload-status.ts";
import { dotOf } from "../kit/status.ts";
import { counted, grouped, truncate, visible } from "../kit/text.ts";

const LISTED = 10;
const STATUSES = 6;

/** Counts by status, and the failing workloads with buttons. */
export function homeWorkloads(state: HomeState): Block[] {
  const { services, jobs, isReading, account, command } = state;
  if (account === undefined) return [];
  const lines: Line[] = [
    ...(services === undefined ? [] : [countLine(services, "service", ` in ${visible(account.region)}`)]),
    ...(jobs === undefined ? [] : [countLine(jobs, "job", "")]),
    ...(isReading ? ["⏳ Reading what runs…"] : []),
  ];
  const title = section([strong("What runs")], ...(lines.length === 0 ? ["Not known."] : lines));
  if (services?.length === 0 && jobs?.length === 0) {
    return [title, section(`Begin with the first one: “Create workload”, or in words \`${command} help create\``)];
  }
  return [title, ...troubled(state)];
}

/** "12 services in us: 1 Failed, 9 Running, 2 Stopped". */
function countLine(all: readonly Entry[], one: string, where: string): Line {
  const byStatus = Map.groupBy(all, ({ status }) => status);
  const counts = [...byStatus]
    .map(([status, { length }]) => ({ status, length, isTrouble: inTrouble({ status }) }))
    .sort((a, b) => Number(b.isTrouble) - Number(a.isTrouble) || b.length - a.length);
  const shown = counts
    .slice(0, STATUSES)
    .map(({ status, length }) => `${grouped(length)} ${truncate(visible(status) || "with no status told", 40)}`);
  const others = counts.slice(STATUSES).reduce((sum, { length }) => sum + length, 0);
  const what = [...shown, ...(others > 0 ? [`${grouped(others)} others`] : [])].join(", ");
  return [words(`${counted(all.length, one)}${truncate(where, 60)}${what === "" ? "" : `: ${what}`}`, 500)];
}

/** Services use different words; see ServiceStatus in openapi.yaml. */
function inTrouble({ status }: Pick<Entry, "status">): boolean {
  return /fail|error|crash|back-?off|unhealthy|degraded/iu.test(status);
}

export type Troubled = Entry & { readonly kind: "service" | "job" };

type Known = Pick<HomeState, "services" | "jobs">;

/** The failing workloads that Home lists, and the number of the rest. Pure. */
export function troubledIn({ services = [], jobs = [] }: Known): {
  readonly shown: readonly Troubled[];
  readonly more: number;
} {
  const all: Troubled[] = [
    ...services.filter(inTrouble).map((each) => ({ ...each, kind: "service" as const })), // a word, not any text
    ...jobs.filter(inTrouble).map((each) => ({ ...each, kind: "job" as const })), // likewise
  ];
  return { shown: all.slice(0, LISTED), more: all.length - LISTED };
}

export function targetOf({ kind, name }: Pick<Troubled, "kind" | "name">): string {
  return `${kind}/${name}`;
}

function troubled(state: HomeState): Block[] {
  const { command } = state;
  const { shown: all, more } = troubledIn(state);
  const shown = all.flatMap((each) => row(each, state));
  return more > 0
    ? [...shown, section(`${counted(more, "more is", "more are")} in trouble: \`${command} list --status Failed\``)]
    : shown;
}

/** Only the person sees Home, so actions that the policy refuses have no button. */
function row({ kind, name, status }: Troubled, { account, mayDo }: HomeState): Block[] {
  const target = targetOf({ kind, name });
  const where = kind === "service" && account !== undefined ? { region: account.region } : {};
  const may = new Set(mayDo.get(target));
  const opening = (label: string, verb: string, style?: "danger") =>
    may.has(verb) ? openButton(label, { verb, values: { name: target }, ...where }, style) : undefined;
  const ask = (verb: string) => ({ verb, ...where, share: false, args: { name: target } });
  return [
    section([
      words(`${dotOf({ level: levelOf(status) })} ${truncate(visible(status), 60)}  ${kind} `),
      strong(name, 255),
    ]),
    ...actions(
      button({ label: "Show", ask: ask("show") }),
      may.has("logs") ? button({ label: "Logs", ask: ask("logs") }) : undefined,
      kind === "service" ? opening("Restart", "restart") : undefined,
      opening("Delete", "delete", "danger"),
    ),
  ];
}
