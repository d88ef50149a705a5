import type { ActionsBlock, ActionsBlockElement, Overflow } from "@slack/types";
import { overflow } from "../kit/menu.ts";

const PREFIX = "of:";
/** https://docs.slack.dev/reference/block-kit/blocks/actions-block: 255 characters. */
const LONGEST = 255;

type Named = {
  /** `service/web` or `job/report`. */
  readonly name: string;
  readonly region: string;
};

export type MenuOption = { readonly verb: string; readonly label: string };

/** A row of buttons with a "…" menu at its end. An option is too short for a long name, so the row's id holds it. */
export function rowWithMenu(
  buttons: readonly ActionsBlockElement[],
  options: readonly MenuOption[],
  workload: Named,
): ActionsBlock | undefined {
  const id = menuId(workload);
  const menu: Overflow | undefined =
    id === undefined
      ? undefined
      : overflow({
          action: { kind: "formMenu" },
          options: options.map(({ verb, label }) => ({ value: verb, text: label })),
        });
  const elements = [...buttons, ...(menu === undefined ? [] : [menu])];
  if (elements.length === 0) return undefined;
  return { type: "actions", elements, ...(menu !== undefined && id !== undefined && { block_id: id }) };
}

/** Undefined for names that don't fit or that could be read in two ways; their options become buttons. */
export function menuId({ name, region }: Named): string | undefined {
  const id = `${PREFIX}${region}:${name}`;
  return /^of:[\w.-]+:(?:service|job)\/[\w.-]+$/u.test(id) && id.length <= LONGEST ? id : undefined;
}

/** The workload of a menu's row. */
export function workloadOfMenu(blockId: string): Named | undefined {
  const [, region, name] = /^of:([\w.-]+):((?:service|job)\/[\w.-]+)$/u.exec(blockId) ?? [];
  return region === undefined || name === undefined ? undefined : { region, name };
}
