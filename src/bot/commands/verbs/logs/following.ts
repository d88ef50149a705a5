import { z } from "zod";
import { section, actionButton, actions, askButton, context, preformatted } from "../../../views/kit/blocks.ts";
import { post, type Post } from "../../../views/kit/post.ts";
import { truncate, visible, counted } from "../../../views/kit/text.ts";
import { Target } from "../../grammar/argument-types.ts";
import { isLink } from "../../grammar/manners.ts";
import { readVerb } from "../../grammar/verb.ts";
import type { Ask } from "../../../ask.ts";
import { openButton } from "../../../views/kit/ask-buttons.ts";
import { code, type Inline, joined, strong, words } from "../../../views/kit/inline.ts";
import { span } from "../../../views/kit/time.ts";

/** Ends what `logs --follow` began, as its button does. The workflow ends it, where it is stored. */
export const unfollow = readVerb({
  name: "unfollow",
  summary: "Stop following a log, or all that you follow here",
  example: "unfollow web",
  aliases: ["stop following", "stop tailing"],
  near: ["untail"],
  phrases: [["(stop|quit) (follow|logs) [logs] [it] [NAME]", "unfollow NAME"]],
  words: { name: "[NAME]" },
  args: z.object({ name: Target.optional() }),
  forEverybody: true,
  unfollow: meant,
  async answer(args) {
    const name = meant(args)?.name;
    const what =
      name === undefined ? "No log is followed here" : `The log of ${truncate(visible(name), 63)} isn't followed here`;
    const sentence = `${what}. Nothing was changed.`;
    return post(sentence, [section(sentence)]);
  },
});

/** "stop following it" names none. */
function meant({ name }: { readonly name?: Target | undefined }): Target | undefined {
  return name !== undefined && isLink(name.name) ? undefined : name;
}

/** What is followed, as its messages say it. */
export type FollowFacts = {
  readonly id: string;
  readonly ask: Ask;
  readonly name: string;
  readonly requester: string;
  readonly forMs: number;
};

/** The message that a follow begins with, until it is stored where it is: one whose confirmation is lost stays so, and follows nothing. */
export function followOpening({ name }: Pick<FollowFacts, "name">): Post {
  const facts = [words("⏳ Starting to follow "), strong(name, 255)];
  return post(`Starting to follow the logs of ${visible(name)}`, [
    section(facts),
    context("Stays like this? Then nothing is followed here: try again."),
  ]);
}

/** The same message while it follows. Its thread has the lines. */
export function followHead({ id, ask, name, requester, forMs }: FollowFacts): Post {
  const facts = [words("▶️ Following "), strong(name, 255), ...filters(ask), words(` · for ${span(forMs)}`)];
  return post(`Following the logs of ${visible(name)} for ${span(forMs)}`, [
    section(facts),
    context(`New lines appear in the thread. Requested by ${truncate(visible(requester), 80)}`),
    ...actions(actionButton({ label: "Stop following", action: { kind: "follow", act: "stop" }, value: id })),
  ]);
}

export type FollowEnd = FollowFacts & {
  /** Why it ended: "stopped by Dana Reyes". */
  readonly why: string;
  readonly afterMs: number;
  readonly shown: number;
  readonly skipped: number;
};

/** The same message when the follow is over. */
export function followEnded({ ask, name, requester, why, afterMs, shown, skipped }: FollowEnd): Post {
  const lines = `${counted(shown, "line")}${skipped > 0 ? `, ${counted(skipped, "line")} skipped` : ""}`;
  const { args } = ask;
  return post(`Followed the logs of ${visible(name)} for ${span(afterMs)}: ${why}`, [
    section(
      [words("⏹️ Followed "), strong(name, 255), ...filters(ask), words(` for ${span(afterMs)} · ${lines}`)],
      [words(`${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`)],
    ),
    context(`Requested by ${truncate(visible(requester), 80)}`),
    ...actions(
      askButton("Follow again", { ...ask, args: { ...args, follow: true } }),
      askButton("Logs", { ...ask, args }),
    ),
  ]);
}

/** Its messages say the same, but may be elsewhere. */
export function unfollowed(names: readonly string[]): Post {
  const shown = names.map((name) => visible(name));
  return post(`Stopped following ${shown.join(", ")}`, [
    section([
      words("⏹️ Stopped following "),
      ...joined(
        names.map((name) => strong(name, 255)),
        ", ",
      ),
    ]),
  ]);
}

const MOST_OFFERED = 3;

/** A bare `stop` while logs are followed. */
export function stopWhat(followed: readonly string[]): Post {
  const offers = followed.slice(0, MOST_OFFERED).map((name) =>
    askButton(`Stop following ${name.slice(name.indexOf("/") + 1)}`, {
      verb: "unfollow",
      share: false,
      args: { name },
    }),
  );
  const sentence = "Stop what? A log is followed. Nothing was changed.";
  return post(sentence, [
    section(sentence),
    ...actions(...offers, openButton("Stop a service…", { verb: "stop", values: {} })),
  ]);
}

function filters({ args: { grep, instance } }: Ask): Inline[] {
  return [
    ...(typeof instance === "string" ? [words(` · instance ${visible(instance)}`)] : []),
    ...(typeof grep === "string" ? [words(" · "), code(grep, 200)] : []),
  ];
}

/** A message with lines, as far as it has come; with `end`, its last words. */
export function followLines(name: string, text: string, end?: string): Post {
  const said = `Logs of ${visible(name)}`;
  if (end === undefined) return post(said, [preformatted(text)]);
  return post(`${said}. ${end}`, [preformatted(text), context(end)]);
}

/** The last words, where the message with the lines can't have them. */
export function followOver(name: string, end: string): Post {
  return post(`Logs of ${visible(name)}. ${end}`, [context(end)]);
}

/** A message whose lines follow at once. */
export function followBegins(name: string): Post {
  return post(`Logs of ${visible(name)}`, [context("Reading new lines…")]);
}
