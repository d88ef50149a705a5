import { z } from "zod";
import { UserError } from "../../errors.ts";
import type { Ask } from "../../ask.ts";
import type { LinkCommand, VerbForms, Settings } from "../command.ts";
import type { FormField } from "../forms/form.ts";
import { makeForm } from "../forms/make-form.ts";
import { readVerb } from "../grammar/verb.ts";
import type { AccountOwner } from "../../accounts/resolve.ts";
import type { EngineInfo } from "../../../api/engine-info.ts";
import { type Field, fields, header, section } from "../../views/kit/blocks.ts";
import { code, firstOf, type Inline, moment, person, words } from "../../views/kit/inline.ts";
import { type Message, post } from "../../views/kit/post.ts";
import { counted, grouped } from "../../views/kit/text.ts";

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
  phrases: [["connect account", "connect"]],
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

export const whoami = readVerb({
  name: "whoami",
  helpGroup: "Set up",
  summary: "Show your account, region and API usage",
  example: "whoami",
  aliases: ["me"],
  near: ["who", "account"],
  phrases: [
    ["what account [is] [it] [use|mine]|who is", "whoami"],
    ["regions [use|know|exist|can|it]", "whoami"],
  ],
  args: z.object({}),
  forEverybody: true,
  async answer(_args, { account, settings, engine, region, asker }) {
    const [calls, running] = await Promise.all([account.calls(), engine()]);
    return whoamiMessage({
      ...settings,
      account: { ...account, calls },
      engine: running,
      region,
      slackUser: asker.userId,
    });
  },
});

type Whoami = Pick<Settings, "command" | "serviceUrl" | "regions" | "jobsRegion"> & {
  readonly account: {
    readonly owner: AccountOwner;
    readonly username: string;
    /** Of all replicas together, since a moment. */
    readonly calls: { readonly count: number; readonly since: Date };
  };
  /** Undefined when the workload API doesn't say. */
  readonly engine: EngineInfo | undefined;
  readonly region: string;
  readonly slackUser: string;
};

/** The account that a person's requests use. No part of its token is ever shown. */
export function whoamiMessage(who: Whoami): Message {
  const { account, command, serviceUrl, engine, region, regions, jobsRegion, slackUser } = who;
  const { count, since } = account.calls;
  const calls = counted(count, "request");
  return post(`Account ${account.username} (${whose[account.owner.kind]}) at ${serviceUrl}, ${calls} today`, [
    header("Your account"),
    ...fields([
      { label: "You", value: [person(slackUser)] },
      { label: "Account", value: [code(account.username, 100), words(`, ${whose[account.owner.kind]}`)] },
      { label: "Workload API", value: [words(serviceUrl)] },
      ...(engine === undefined ? [] : engineFields(engine)),
      {
        label: "Region",
        value: [words(region, 60), words(" (default for services; jobs run in "), words(jobsRegion, 60), words(")")],
      },
      { label: "Service regions", value: firstOf(regions, 20, (each) => words(each, 60)) },
      {
        label: "API requests",
        value: [moment(since.toISOString(), `${grouped(count)} since `)],
      },
    ]),
    section(...next[account.owner.kind](command)),
  ]);
}

/** `Kubernetes v1.20.2`, and what it can't do, with the regions where these differ. */
function engineFields({ title, regions }: EngineInfo): Field[] {
  const versions = byRegion(regions, ({ version }) => (version === undefined ? ["version unknown"] : [version]));
  const limits = byRegion(regions, ({ cannot }) => cannot);
  return [
    { label: "Engine", value: [words(title, 80), ...listed(versions, 5)] },
    ...(limits.length > 0 ? [{ label: "Not supported", value: firstOf(limits, 12, plain) }] : []),
  ];
}

/** Texts with commas between them; the placeholder of an empty list would follow the engine's name. */
const listed = (texts: readonly string[], max: number): Inline[] =>
  texts.length === 0 ? [] : [words(" "), ...firstOf(texts, max, plain)];
const plain = (text: string): Inline => words(text, 160);

/** Each text once; with its regions if it isn't about all of them. */
function byRegion(
  regions: EngineInfo["regions"],
  textsOf: (region: EngineInfo["regions"][number]) => readonly string[],
) {
  const texts = [...new Set(regions.flatMap(textsOf))];
  return texts.map((text) => {
    const where = regions.filter((region) => textsOf(region).includes(text)).map(({ name }) => name);
    return where.length === regions.length ? text : `${text} (${where.join(", ")})`;
  });
}

const whose: Readonly<Record<AccountOwner["kind"], string>> = {
  user: "your own account",
  channel: "this channel's account",
  workspace: "workspace account",
};

/** How to use another account. */
const next: Readonly<Record<AccountOwner["kind"], (command: string) => [string, ...string[]]>> = {
  user: (command) => [`To change it: \`${command} connect\`. To disconnect it: \`${command} disconnect\``],
  channel: (command) => [
    `To use your own account: \`${command} connect\`. To change this channel's: \`${command} connect channel\``,
  ],
  workspace: (command) => [
    `To use your own account: \`${command} connect\`. To set one for this channel: \`${command} connect channel\``,
  ],
};
