import type { UserError } from "../../errors.ts";
import { actions } from "../kit/blocks.ts";
import type { Message } from "../kit/message.ts";
import { openButton, type FormOpening } from "../forms/open-button.ts";
import { userErrorMessage } from "./user-error-message.ts";

type Mistake = Pick<UserError, "message" | "next" | "usage" | "example">;

/** What was missing in words to which no form can be opened, because a mention brings no trigger: a click does. */
export function usageWithForm(mistake: Mistake, opening: FormOpening, command: string): Message {
  const { text, blocks } = userErrorMessage(mistake, command);
  return { text, blocks: [...blocks, ...actions(openButton("Open form", opening, "primary"))] };
}
