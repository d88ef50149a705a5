import type { UserError } from "../../errors.ts";
import { fields, section } from "../kit/blocks.ts";
import { code } from "../kit/inline.ts";
import type { Message } from "../kit/message.ts";
import { post } from "../kit/post.ts";

/** What the person can mend: what was wrong, the next step, and how the verb is written. */
export function userErrorMessage(
  { message, next, usage, example }: Pick<UserError, "message" | "next" | "usage" | "example">,
  command: string,
): Message {
  const written = usage === undefined ? [] : [`Usage: ${command} ${usage}`];
  return post([message, ...(next === undefined ? [] : [next]), ...written].join("\n"), [
    section(message, ...(next === undefined ? [] : [next])),
    ...fields([
      { label: "Usage", value: usage === undefined ? [] : [code(`${command} ${usage}`, 500)] },
      { label: "Example", value: example === undefined ? [] : [code(`${command} ${example}`, 500)] },
    ]),
  ]);
}
