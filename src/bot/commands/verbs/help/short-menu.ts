import type { Ask } from "../../../ask.ts";
import { openButton } from "../../../views/forms/open-button.ts";
import { actionButton, actions, context, section } from "../../../views/kit/blocks.ts";
import { strong } from "../../../views/kit/inline.ts";
import type { Message } from "../../../views/kit/message.ts";
import { post } from "../../../views/kit/post.ts";

const question = "What would you like to do?";

/** The answer to the command alone, and to a greeting. `command` is the slash command. */
export function shortMenu(command: string): Message {
  const typed = `${command} restart web · ${command} logs web --grep error · ${command} help`;
  return post(`${question} Or type: ${typed}`, [
    section([strong(question)]),
    ...actions(
      besideButton("List workloads", "list"),
      openButton("Show logs", { verb: "logs", values: {} }),
      openButton("Create", { verb: "create", values: {} }),
      besideButton("What needs my approval?", "pending"),
    ),
    context(`Or type: ${typed}`),
  ]);
}

/** Its answer is shown below the menu, to the person who clicked; a `read` would replace the menu for everybody. */
function besideButton(label: string, verb: string) {
  const ask: Ask = { verb, share: false, args: {} };
  return actionButton({ label, action: { kind: "readBeside", verb }, value: JSON.stringify(ask) });
}
