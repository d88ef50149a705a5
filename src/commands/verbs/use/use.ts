import { z } from "zod";
import { pathSafe } from "../../../api/names.ts";
import { useForm } from "./form.ts";
import { bindVerb } from "../../grammar/verb.ts";

const LONGEST = 100;

const Region = z
  .string()
  .refine((text) => text.length <= LONGEST && pathSafe(text), "--region cannot be the name of a region.");
/** As it can be linked: see the form of connect. */
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
    // This lifts another person's lock.
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
  form: useForm,
  binding({ region, names, account, lock, clear }) {
    if (clear) return { kind: "clear" };
    const isNothing = region === undefined && names === undefined && account === undefined;
    return isNothing ? { kind: "show" } : { kind: "bind", terms: { region, names, account, isLocked: lock } };
  },
});
