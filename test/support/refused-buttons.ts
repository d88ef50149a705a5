import { Ask } from "../../src/bot/ask.ts";
import { decodeAction } from "../../src/bot/views/kit/action-id.ts";
import type { Block } from "../../src/bot/views/kit/blocks.ts";
import { openingIn } from "../../src/bot/slack/modals/open-form.ts";
import { jsonIn } from "../../src/bot/slack/receive/payload.ts";
import { knownCommand, readIn } from "../../src/bot/slack/receive/read-click.ts";

/** The labels of the buttons in these blocks whose click would be answered by "this button can't do that". */
export function refusedButtons(blocks: readonly Block[]): readonly string[] {
  return buttonsIn(blocks).flatMap(({ action_id: id = "", value = "", text }) => {
    const action = decodeAction(id);
    switch (action?.kind) {
      case "read":
      case "readBeside":
        return typeof readIn(jsonIn(value)) === "string" ? [`${text.text} (${value})`] : [];
      case "run": {
        const ask = Ask.safeParse(jsonIn(value)).data;
        return ask === undefined || knownCommand(ask) === undefined ? [`${text.text} (${value})`] : [];
      }
      case "openForm":
        return openingIn(action, value) === undefined ? [`${text.text} (${value})`] : [];
      default:
        return action === undefined ? [`${text.text} (${id})`] : [];
    }
  });
}

type Drawn = { readonly action_id?: string; readonly value?: string; readonly text: { readonly text: string } };

function buttonsIn(blocks: readonly Block[]): readonly Drawn[] {
  return blocks.flatMap((block) =>
    block.type === "actions" ? block.elements.flatMap((each) => (each.type === "button" ? [each] : [])) : [],
  );
}
