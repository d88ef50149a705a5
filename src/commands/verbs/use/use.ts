import { z } from "zod";
import { pathSafe } from "../../../api/names.ts";
import type { FormField } from "../../forms/form.ts";
import { bindVerb } from "../../grammar/verb.ts";

const LONGEST = 100;

const Region = z
  .string()
  .refine((text) => text.length <= LONGEST && pathSafe(text), "--region cannot be the name of a region.");
/** Must match the user names that the form of connect accepts. */
const Account = z
  .string()
  .regex(/^[!-~](?:[ -~]{0,98}[!-~])?$/u, "--account takes the user name of an account, in plain letters and digits.");
const Names = z
  .string()
  .refine(
    (text) => text.length <= LONGEST && pathSafe(text) && text.trim() === text,
    "--names takes a name, or a pattern such as shop-*.",
  )
  .refine((text) => !/^\*+$/u.test(text), "--names * means every name: leave it out.");

const fields: readonly FormField[] = [
  {
    id: "region",
    label: "Region",
    hint: "Meant for services when nothing else is said here.",
    isOptional: true,
    input: { kind: "region" },
  },
  {
    id: "names",
    label: "Names",
    hint: "Only these are listed and suggested; * stands for any characters.",
    placeholder: "shop-*",
    isOptional: true,
    input: { kind: "text", maxLength: LONGEST },
  },
  {
    id: "account",
    label: "Account",
    hint: "The user name of the account that Gantry acts with here.",
    isOptional: true,
    input: { kind: "text", maxLength: LONGEST },
  },
  {
    id: "lock",
    label: "Lock",
    isOptional: true,
    input: { kind: "tick", text: "Refuse other regions and other names here" },
  },
  {
    id: "clear",
    label: "Take the binding away",
    isOptional: true,
    isMore: true,
    input: { kind: "tick", text: "Bind this channel to nothing" },
  },
];

export const use = bindVerb({
  name: "use",
  summary: "Bind this channel to a region, to names or to an account; show what it is bound to",
  usage: 'use [--region R] [--names "shop-*"] [--account A] [--lock] [--clear]',
  example: 'use --region beijing1 --names "shop-*" --lock',
  flags: {
    region: { value: "R", summary: "the region that is meant here for services, without --region" },
    names: { value: "PATTERN", summary: "list and suggest only these; * stands for any characters" },
    account: { value: "A", summary: "act with the account of this user name here" },
    lock: { summary: "refuse other regions and other names here" },
    clear: { summary: "take the binding away" },
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
        context.addIssue({ code: "custom", path: ["clear"], message: "--clear stands alone: it takes all away." });
      } else if (lock && !isBound) {
        const message = "--lock needs --region or --names: it refuses what is not as they say.";
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
