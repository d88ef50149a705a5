import { decodeAction } from "../../src/bot/views/kit/action-id.ts";
import type { Block } from "../../src/bot/views/kit/blocks.ts";
import { carriedByOption } from "../../src/bot/views/kit/menu-options.ts";

/** A button, or an option of a ⋯ menu: what people read on it and what a click carries. */
export type Clickable = { readonly label: string; readonly actionId: string; readonly value: string };

export function clickablesIn(blocks: readonly Block[]): readonly Clickable[] {
  return blocks.flatMap((block) =>
    block.type !== "actions"
      ? []
      : block.elements.flatMap((each): Clickable[] => {
          const { action_id: actionId = "" } = each;
          if (each.type === "button") return [{ label: each.text.text, actionId, value: each.value ?? "" }];
          if (each.type !== "overflow" || decodeAction(actionId)?.kind !== "more") return [];
          return each.options.map(({ text, value = "" }) => ({
            label: text.text,
            ...carriedByOption(value, block.block_id ?? ""),
          }));
        }),
  );
}
