import type { Overflow, SectionBlock } from "@slack/types";
import { z } from "zod";
import { limits } from "../kit/blocks.ts";
import { overflow } from "../kit/menu.ts";
import { dotOf } from "../kit/status.ts";
import { plain, truncate, visible, truncateMiddle } from "../kit/text.ts";
import { type Row, targetOf } from "./rows.ts";
import type { HomeState } from "./state.ts";

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

/** "🟢 *web* 2/2" with the menu at the end of the line. */
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
  const instances = size?.includes("/") === false ? `${size} instance${size === "1" ? "" : "s"}` : size;
  if (kind === "job") return `${words} · job`;
  return level === "healthy" && instances !== undefined ? instances : words;
}
