import { Ask } from "../../src/bot/ask.ts";
import { decodeAction } from "../../src/bot/views/kit/action-id.ts";
import type { Block } from "../../src/bot/views/kit/blocks.ts";
import { clickablesIn } from "./clickables.ts";
import { openingIn } from "../../src/bot/slack/modals/open-form.ts";
import { jsonIn } from "../../src/bot/slack/receive/payload.ts";
import { knownCommand, readIn } from "../../src/bot/slack/receive/read-click.ts";

/** The labels of the buttons in these blocks whose click would be answered by "this button can't do that". */
export function refusedButtons(blocks: readonly Block[]): readonly string[] {
  return clickablesIn(blocks).flatMap(({ actionId: id, value, label }) => {
    const action = decodeAction(id);
    switch (action?.kind) {
      case "read":
      case "readBeside":
        return typeof readIn(jsonIn(value)) === "string" ? [`${label} (${value})`] : [];
      case "run": {
        const ask = Ask.safeParse(jsonIn(value)).data;
        return ask === undefined || knownCommand(ask) === undefined ? [`${label} (${value})`] : [];
      }
      case "openForm":
        return openingIn(action, value) === undefined ? [`${label} (${value})`] : [];
      default:
        return action === undefined ? [`${label} (${id})`] : [];
    }
  });
}
