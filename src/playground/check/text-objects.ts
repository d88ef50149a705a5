import type { LimitId } from "../rules/limits.ts";
import { byType, type Check, flag, may, must, object, text, word } from "./shape.ts";

/** https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
function plainObject(limit: LimitId): Check {
  return object({ type: must(word("plain_text")), text: must(text(limit)), emoji: may(flag) });
}

function mrkdwnObject(limit: LimitId): Check {
  return object({ type: must(word("mrkdwn")), text: must(text(limit)), verbatim: may(flag) });
}

export function plain(limit: LimitId): Check {
  return byType({ plain_text: plainObject(limit) }, "object.value");
}

export function plainOrMrkdwn(limit: LimitId): Check {
  return byType({ plain_text: plainObject(limit), mrkdwn: mrkdwnObject(limit) }, "object.value");
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
export const confirm: Check = object({
  title: may(plain("confirm.title")),
  text: must(plainOrMrkdwn("confirm.text")),
  confirm: may(plain("confirm.button")),
  deny: may(plain("confirm.button")),
  style: may(word("primary", "danger")),
});
