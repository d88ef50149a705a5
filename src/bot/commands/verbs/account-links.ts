import { z } from "zod";
import { UserError } from "../../errors.ts";
import type { Ask } from "../../ask.ts";
import type { LinkCommand, VerbForms } from "../command.ts";
import type { FormField } from "../forms/form.ts";
import { makeForm } from "../forms/make-form.ts";

type Link = VerbForms & {
  readonly name: "connect" | "disconnect";
  readonly summary: string;
  /** Of its form, like `submit`. */
  readonly title: string;
  readonly submit: string;
};

const Args = z.object({ whose: z.enum(["mine", "channel", "workspace"]).default("mine") });

const whoseField: FormField = {
  id: "whose",
  label: "Use it for",
  isOptional: false,
  input: {
    kind: "choice",
    style: "radio",
    options: [
      { value: "mine", text: "Only me", description: "Your requests, in every channel" },
      { value: "channel", text: "This channel", description: "Everybody here without their own account" },
      { value: "workspace", text: "The workspace", description: "Everybody else. Only workspace admins can" },
    ],
  },
};

/** Takes `channel`, `workspace` or nothing: any other word may be a token. */
function linkVerb({ name, summary, title, submit, ...known }: Link): LinkCommand {
  const usage = `${name} [channel|workspace]`;
  return {
    effect: "link",
    name,
    ...known,
    summary,
    usage,
    example: name,
    options: [],
    actions: [],
    parse(words): Ask {
      const [word, ...more] = words;
      const whose = word === undefined ? "mine" : word.toLowerCase();
      const isKnown = whose === "mine" ? word === undefined : whose === "channel" || whose === "workspace";
      if (more.length > 0 || !isKnown) throw maybeToken(name, usage);
      return { verb: name, share: false, args: { whose } };
    },
    form: makeForm({ verb: name, args: Args, form: { title, submit, fields: () => [whoseField] }, common: [] }),
    link: (ask) => ({ kind: name, whose: Args.parse(ask.args).whose }),
  };
}

/** Doesn't quote the word: it may be a token, and everybody who can read Slack's logs has it already. */
function maybeToken(name: string, usage: string): UserError {
  return new UserError(
    `\`${name}\` takes only the word \`channel\` or \`workspace\`. If you typed a token, it isn't safe any more.`,
    {
      next: "Revoke that token now: others may be able to read it. Then use `/gantry connect`, which asks for the token in a form.",
      usage,
      example: name,
    },
  );
}

export const connect = linkVerb({
  name: "connect",
  question: { label: "Connect an account" },
  summary: "Connect your account, or one for this channel or the workspace",
  near: ["login", "signin", "link", "auth"],
  phrases: [["(connect|link) my account", "connect"]],
  title: "Connect an account",
  submit: "Continue",
});

export const disconnect = linkVerb({
  name: "disconnect",
  question: { label: "Disconnect the account" },
  summary: "Disconnect your account, this channel's or the workspace's",
  near: ["logout", "signout", "unlink"],
  title: "Disconnect an account",
  submit: "Disconnect",
});
