import { z } from "zod";
import { pathSafe } from "../../../../api/request-limits.ts";
import type { FormField } from "../../forms/form.ts";
import { bindVerb } from "../../grammar/verb.ts";

const LONGEST = 100;

const Region = z.string().refine((text) => text.length <= LONGEST && pathSafe(text), "--region needs a region name.");
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
    isOptional: true,
    input: { kind: "region" },
  },
  {
    id: "names",
    label: "Names",
    hint: "Lists and suggestions show only these. Use * for any characters.",
    placeholder: "For example: shop-*",
    isOptional: true,
    input: { kind: "text", maxLength: LONGEST },
  },
  {
    id: "account",
    label: "Account",
    hint: "The user name of the account to use here.",
    isOptional: true,
    input: { kind: "text", maxLength: LONGEST },
  },
  {
    id: "lock",
    label: "Lock",
    isOptional: true,
    input: { kind: "tick", text: "Refuse other regions and names here" },
  },
  {
    id: "clear",
    label: "Remove the binding",
    isOptional: true,
    isMore: true,
    input: { kind: "tick", text: "Remove everything set for this channel" },
  },
];

export const use = bindVerb({
  name: "use",
  summary: "Show or set this channel's region, names and account",
  usage: 'use [--region R] [--names "shop-*"] [--account A] [--lock] [--clear]',
  example: 'use --region beijing1 --names "shop-*" --lock',
  near: ["bind", "switch", "context", "namespace"],
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
