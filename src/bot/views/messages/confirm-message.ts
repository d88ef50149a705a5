import type { Ask } from "../../ask.ts";
import type { Command } from "../../commands/command.ts";
import { actionButton, context, section, suggesting } from "../kit/blocks.ts";
import { code, strong, words, type Inline } from "../kit/inline.ts";
import { type Post, postOf } from "../kit/post.ts";
import { truncateMiddle, visible, capital } from "../kit/text.ts";
import { isDangerous, runButton } from "../kit/ask-buttons.ts";

type Asked = { readonly command: Pick<Command, "name" | "actions" | "question">; readonly ask: Ask };

/** "Restart *web*?" with a button: a sentence changes nothing before its author says so. */
export function confirmMessage(asked: Asked): Post {
  const action = actionOf(asked);
  const label = actionOf(asked, IN_BUTTON)
    .map((piece) => (piece.type === "text" ? piece.text : ""))
    .join("");
  const { reason } = asked.ask;
  return postOf([
    section([...action, words("?")], ...(reason === undefined ? [] : [[words(`Reason: ${reason}`, 300)]])),
    context("Nothing changes until you confirm."),
    ...suggesting(
      runButton(label, asked.ask, { at: 0, style: isDangerous(asked.command.actions) ? "danger" : undefined }),
      actionButton({ label: "Cancel", action: { kind: "dismiss" }, value: "cancel" }),
    ),
  ]);
}

/** What a command does, before the name of a workload: "Roll back", "Set memory of". */
export function imperative({ name, question }: Pick<Command, "name" | "question">): string {
  return question?.label ?? capital(name);
}

/** Characters of a name, and of what to do with it. A button has room for 75, and its end says to how many. */
const IN_BUTTON = 40;

/** "Scale *web* to 3", "Restart *web* in beijing2", "Approve `K7Q2MX`". */
function actionOf({ command, ask: { args, region } }: Asked, most = 255): Inline[] {
  const name = nameIn(args);
  const label = imperative(command);
  const { amount } = command.question ?? {};
  const id = textIn(args, "id");
  if (name === undefined && id === undefined) return [words(`${label}${amount?.(args) ?? ""}`, 70)];
  if (name === undefined) return [words(`${label} `), code(id ?? "", 60)];
  const how = amount?.(args) ?? "";
  return [
    words(`${label} `),
    strong(truncateMiddle(visible(name), most), most),
    ...(how === "" ? [] : [words(how, most)]),
    // Apart, because a long image or many domains must not push it out.
    ...(region === undefined ? [] : [words(` in ${region}`, 80)]),
  ];
}

/** Answers that take the place of a question and its buttons. */
export const confirmed = {
  requested: (asked: Asked) => postOf([section([...actionOf(asked), words(" · confirmed")])]),
  cancelled: () => postOf([section("Cancelled. Nothing was changed.")]),
  used: () => postOf([section("This button was used already. Nothing was requested again.")]),
  expired: () => postOf([section("This button expired after an hour. Nothing was changed. Ask again.")]),
} as const;

const NAMED = 3;

/** "web", or "web, worker and 3 more". */
function nameIn(args: Ask["args"]): string | undefined {
  const { names } = args;
  if (!Array.isArray(names)) return textIn(args, "name")?.replace(/^service\//u, "");
  const shown = names.slice(0, NAMED).map((name) => String(name).replace(/^service\//u, ""));
  const all = names.length > NAMED ? [...shown, `${names.length - NAMED} more`] : shown;
  return all.join(", ").replace(/, ([^,]*)$/u, " and $1");
}

function textIn(args: Ask["args"], name: string): string | undefined {
  const { [name]: value } = args;
  return typeof value === "string" ? value : undefined;
}
