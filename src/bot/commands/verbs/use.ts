import { z } from "zod";
import { pathSafe } from "../../../api/request-limits.ts";
import { tick, type FormField } from "../forms/form.ts";
import { isRegionName } from "../grammar/argument-types.ts";
import { bindVerb } from "../grammar/verb.ts";
import type { Binding, BindingTerms } from "../../policy/binding.ts";
import { bullets, section, type Line, type Block } from "../../views/kit/blocks.ts";
import { channel, code, firstOf, moment, words } from "../../views/kit/inline.ts";
import { type Post, postOf } from "../../views/kit/post.ts";

const LONGEST = 100;

const Region = z.string().refine(isRegionName, "--region needs a region name.");
/** Must match the user names that the form of connect accepts. */
const Account = z
  .string()
  .regex(/^[!-~](?:[ -~]{0,98}[!-~])?$/u, "--account needs a user name in plain letters and digits.");
const Names = z
  .string()
  .refine(
    (text) => text.length <= LONGEST && pathSafe(text) && text.trim() === text,
    "--names needs a name, or a pattern such as shop-*.",
  )
  .refine((text) => !/^\*+$/u.test(text), "Leave out --names to allow every name.");

const fields: readonly FormField[] = [
  {
    id: "region",
    label: "Region",
    hint: "The default region for services here.",
    input: { kind: "region" },
  },
  {
    id: "names",
    label: "Names",
    hint: "Lists and suggestions show only these. Use * for any characters.",
    placeholder: "For example: shop-*",
    input: { kind: "text", maxLength: LONGEST },
  },
  {
    id: "account",
    label: "Account",
    hint: "The user name of the account to use here.",
    input: { kind: "text", maxLength: LONGEST },
  },
  {
    id: "lock",
    label: "Lock",
    input: { kind: "tick", text: "Refuse other regions and names here" },
  },
  tick("clear", "Remove the binding", "Remove everything set for this channel"),
];

export const use = bindVerb({
  name: "use",
  summary: "Show or set this channel's region, names and account",
  question: {
    label: "Change the settings of this channel",
    amount: ({ region }) => (typeof region === "string" ? `: region ${region}` : ""),
  },
  usage: 'use [--region R] [--names "shop-*"] [--account A] [--lock] [--clear]',
  example: 'use --region beijing1 --names "shop-*" --lock',
  near: ["bind", "switch", "context", "namespace"],
  phrases: [["use", "use"]],
  flags: {
    region: { value: "R", summary: "default region for services here" },
    names: { value: "PATTERN", summary: "list and suggest only these names; * matches anything" },
    account: { value: "A", summary: "use this account here" },
    lock: { summary: "refuse other regions and names here" },
    clear: { summary: "remove the binding" },
  },
  actions: [
    { op: "bindChannel", risk: "routine" },
    // Lifting another person's lock.
    { op: "bindChannel", risk: "destructive" },
  ],
  args: z
    .object({
      region: Region.optional(),
      names: Names.optional(),
      account: Account.optional(),
      lock: z.boolean().default(false),
      clear: z.boolean().default(false),
    })
    .superRefine(({ region, names, account, lock, clear }, context) => {
      const isBound = region !== undefined || names !== undefined;
      if (clear && (isBound || account !== undefined || lock)) {
        context.addIssue({
          code: "custom",
          path: ["clear"],
          message: "--clear removes the whole binding. Use it without other flags.",
        });
      } else if (lock && !isBound) {
        const message = "--lock needs --region or --names.";
        context.addIssue({ code: "custom", path: ["lock"], message });
      }
    }),
  // The form always sets the whole binding; an empty field is not bound.
  form: { title: "Bind this channel", submit: "Bind", fields: () => fields },
  binding({ region, names, account, lock, clear }) {
    if (clear) return { kind: "clear" };
    const isNothing = region === undefined && names === undefined && account === undefined;
    return isNothing ? { kind: "show" } : { kind: "bind", terms: { region, names, account, isLocked: lock } };
  },
});

type InChannel = { readonly channelId: string; readonly command: string };

export type UseMessage =
  | (InChannel & {
      /** `same`: the binding was the same before. */
      readonly kind: "bound" | "same";
      readonly by: string;
      readonly terms: BindingTerms;
      /** The configured regions; others may exist. */
      readonly regions: readonly string[];
    })
  | (InChannel & { readonly kind: "shown"; readonly binding: Binding })
  | (InChannel & { readonly kind: "unbound"; readonly by: string })
  | (InChannel & { readonly kind: "nothing" })
  /** A conversation with the bot. */
  | { readonly kind: "direct"; readonly command: string };

/** The binding of a channel, for the person who asks and, when it changes, for the channel. */
export function useMessage(message: UseMessage): Post {
  switch (message.kind) {
    case "bound":
    case "same":
      return bound(message);
    case "shown":
      return shown(message);
    case "unbound":
      return postOf([
        section(
          [
            words("✅ "),
            words(message.by, 80),
            words(" removed the binding of "),
            channel(message.channelId),
            words("."),
          ],
          plain,
        ),
      ]);
    case "nothing":
      return postOf([
        section(
          [channel(message.channelId), words(" has no binding. "), words(plain)],
          `To bind it: \`${message.command} use --region R\`, \`--names "shop-*"\` or \`--account A\`. Add \`--lock\` to refuse everything else.`,
        ),
      ]);
    case "direct":
      return postOf([
        section(
          "You can bind only channels, not direct messages. Use it in a channel.",
          "To set your own default region, open my Home tab.",
        ),
      ]);
  }
}

const plain = "All regions and names are available, as far as policy allows.";

function bound({
  kind,
  by,
  terms,
  regions,
  channelId,
  command,
}: Extract<UseMessage, { readonly by: string; readonly terms: BindingTerms }>): Post {
  const head: Line =
    kind === "bound"
      ? [words("✅ "), words(by, 80), words(" set up "), channel(channelId), words(":")]
      : [channel(channelId), words(" already has this binding. Nothing to do.")];
  const { region } = terms;
  const isUnknown = region !== undefined && regions.length > 0 && !regions.includes(region);
  return postOf([
    section(head),
    ...meaning(terms),
    ...(isUnknown
      ? [
          section([
            words("⚠️ "),
            code(region, 100),
            words(" isn't a known region. Known regions: "),
            ...firstOf(regions, 8, (each) => code(each, 60)),
            words("."),
          ]),
        ]
      : []),
    section(`To see it: \`${command} use\`. To remove it: \`${command} use --clear\``),
  ]);
}

function shown({ binding, channelId, command }: Extract<UseMessage, { kind: "shown" }>): Post {
  const { boundBy, boundAt } = binding;
  const made = [words(`, set by ${boundBy.name}`, 120), moment(boundAt.toISOString(), ", "), words(":")];
  return postOf([
    section([words("Binding of "), channel(channelId), ...made]),
    ...meaning(binding),
    section(`To change it: \`${command} use --region R\`. To remove it: \`${command} use --clear\``),
  ]);
}

/** The effect of each part of the binding. */
function meaning({ region, names, account, isLocked }: BindingTerms): Block[] {
  const rest = {
    region: isLocked ? "Other regions are refused here." : "Use --region for another one.",
    names: isLocked ? "Other names are refused here." : "Other names still work when typed in full.",
  };
  const lines: Line[] = [];
  if (region !== undefined) {
    lines.push([
      words("Region "),
      code(region, 100),
      words(` is the default for services; jobs have their own region. ${rest.region}`),
    ]);
  }
  if (names !== undefined) {
    lines.push([words("Names "), code(names, 100), words(`: lists and suggestions show only these. ${rest.names}`)]);
  }
  if (account !== undefined) {
    lines.push([words("Account "), code(account, 100), words(" is used for requests here.")]);
  }
  return bullets(lines);
}
