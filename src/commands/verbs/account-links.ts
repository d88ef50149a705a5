import { z } from "zod";
import { UserError } from "../../errors.ts";
import type { Ask } from "../ask.ts";
import type { LinkCommand } from "../command.ts";
import type { FormField } from "../forms/form.ts";
import { makeForm } from "../forms/make-form.ts";

type Link = {
  readonly name: "connect" | "disconnect";
  readonly summary: string;
  /** Of its form, like `submit`. */
  readonly title: string;
  readonly submit: string;
};

const Args = z.object({ whose: z.enum(["mine", "channel"]).default("mine") });

const whoseField: FormField = {
  id: "whose",
  label: "Whose account",
  input: {
    kind: "choice",
    style: "radio",
    options: [
      { value: "mine", text: "My own", description: "For what I ask, wherever I ask" },
      { value: "channel", text: "The channel's", description: "For everybody there without one of their own" },
    ],
  },
};

/** Takes `channel` or nothing: any other word may be a token. */
function linkVerb({ name, summary, title, submit }: Link): LinkCommand {
  const usage = `${name} [channel]`;
  return {
    effect: "link",
    name,
    summary,
    usage,
    example: name,
    options: [],
    actions: [],
    parse(words): Ask {
      const [word, ...more] = words;
      const isChannel = word?.toLowerCase() === "channel";
      if (more.length > 0 || (word !== undefined && !isChannel)) throw maybeToken(name, usage);
      return { verb: name, share: false, args: { whose: isChannel ? "channel" : "mine" } };
    },
    form: makeForm({ verb: name, args: Args, form: { title, submit, fields: () => [whoseField] }, common: [] }),
    link: (ask) => ({ kind: name, whose: Args.parse(ask.args).whose }),
  };
}

/** Doesn't quote the word: it may be a token, and everybody who can read Slack's logs has it already. */
function maybeToken(name: string, usage: string): UserError {
  return new UserError(`${name} takes no other word than channel, and what was typed after it may be a token.`, {
    next: "If it was one, revoke it now: whoever can read what is typed here could use it. A token is asked for in a form, after connect alone.",
    usage,
    example: name,
  });
}

export const connect = linkVerb({
  name: "connect",
  summary: "Link your own account, or one for this channel; a form asks for the token",
  title: "Connect an account",
  submit: "Go on",
});

export const disconnect = linkVerb({
  name: "disconnect",
  summary: "Unlink your own account, or this channel's",
  title: "Unlink an account",
  submit: "Unlink",
});
