import { limits } from "../../views/kit/blocks.ts";
import { z } from "zod";
import type { Service } from "../../../api/answers.ts";
import { isDomainName, requestLimits } from "../../../api/request-limits.ts";
import { UserError } from "../../errors.ts";
import { counted } from "../../views/kit/text.ts";
import { type FormFacts, serviceField } from "../forms/form.ts";
import { servicePrefill, aboutWorkload, onlyUpdate, serviceChange } from "../lookup/service-change.ts";
import { findService } from "../lookup/find.ts";
import { DomainList, Target } from "../grammar/argument-types.ts";
import { writeVerb } from "../grammar/verb.ts";
import type { VerbContext } from "../command.ts";

const badEdit = "Say what to do with the domains: add, remove or set.";

type Edit = "add" | "remove" | "set";

export const domains = writeVerb({
  name: "domains",
  summary: "Add, remove or set the domains of a service",
  example: "domains web add shop.example.com",
  question: {
    label: "Change domains of",
    amount: (args) => `: ${String(args["edit"])} ${[args["domains"]].flat().join(" ")}`,
  },
  button: "Change domains",
  aliases: ["domain"],
  near: ["dns", "url", "hostname"],
  phrases: [
    ["(add|point) [domains] DOMAIN NAME", "domains NAME add DOMAIN"],
    ["delete [domains] DOMAIN NAME", "domains NAME remove DOMAIN"],
    ["add domains NAME", "domains NAME add"],
  ],
  words: { name: "NAME", edit: "add|remove|set", domains: "DOMAIN…" },
  updates: "domains",
  args: z
    .object({
      name: Target,
      edit: z
        .string({ error: badEdit })
        .toLowerCase()
        .pipe(z.enum(["add", "remove", "set"], { error: badEdit })),
      domains: DomainList,
    })
    .refine(({ edit, domains }) => edit === "set" || domains.length > 0, {
      error: "Say at least one domain name.",
      path: ["domains"],
    }),
  form: {
    title: "Set domains",
    submit: "Set domains",
    fields: () => [
      serviceField,
      {
        id: "domains",
        label: "Domains",
        hint: "The complete list, one per line. An empty list removes all domains.",
        placeholder: "For example: shop.example.com",
        isOptional: true,
        input: { kind: "lines", maxLength: limits.inputLength },
      },
    ],
    // The form sets the whole list. The preview shows what that removes, in case the list is old or another service's.
    hasPreview: true,
    toArgs: ({ domains: all = [], ...raw }) => ({ ...raw, edit: "set", domains: all }),
    prefill: servicePrefill((service, { settings }) => currentDomains(service, settings.command)),
  },
  async propose({ name, edit, domains: typed }, context) {
    const service = await findService(name, context);
    const before = service.binding_domain_name;
    const after = before === undefined ? wholeList(service, { edit, typed }, context) : editList(before, edit, typed);
    if (after.length > requestLimits.domains) {
      const { command } = context.settings;
      throw new UserError(
        `${service.name} would have ${after.length} domains. The limit is ${requestLimits.domains}.`,
        { next: `Remove some first: ${command} domains service/${service.name} remove DOMAIN.` },
      );
    }
    return serviceChange(service, context, {
      op: "updateService",
      body: { binding_domain_name: after },
      diff: differences(before, after),
    });
  },
  /** A service can hold names that this verb refuses to set; then there is no undo. */
  undo(change) {
    const domains = onlyUpdate(change, "binding_domain_name") && change.before?.domains;
    if (domains === undefined || domains.length > requestLimits.domains) return undefined;
    return domains.every(isDomainName) ? { edit: "set", domains } : undefined;
  },
});

type Editing = { readonly edit: Edit; readonly typed: readonly string[] };

/** An update replaces the list, so one domain can't be added to or removed from a list that isn't known. */
function wholeList({ name }: Service, { edit, typed }: Editing, { settings }: VerbContext): string[] {
  if (edit === "set") return [...new Set(typed)];
  const what = edit === "add" ? "add to" : "remove from";
  throw new UserError(
    `Couldn't ${what} the domains of ${name}: the workload API doesn't report them, and an update replaces the whole list.`,
    {
      next: `Nothing was changed. Set the complete list: \`${settings.command} domains service/${name} set DOMAIN…\`.`,
    },
  );
}

/** The differences in words. Without the old list nobody knows which domains go. */
function differences(before: readonly string[] | undefined, after: readonly string[]): string[] {
  const isNew = (domain: string): boolean => before?.includes(domain) !== true;
  const added = after.filter(isNew).map((domain) => `+ domain ${domain}`);
  if (before === undefined)
    return [...added, "− all other domains, which the workload API doesn't report: this can't be undone"];
  const removed = before.filter((domain) => !after.includes(domain)).map((domain) => `− domain ${domain}`);
  return [...added, ...removed];
}

/** Throws for a list too long for the field: a shortened list would remove the other domains. */
function currentDomains({ name, binding_domain_name: now }: Service, command: string): FormFacts {
  if (now === undefined) {
    const notes = [
      aboutWorkload(
        name,
        " may have domains: the workload API doesn't report them. Those not listed here are removed.",
      ),
    ];
    return { notes, values: {} };
  }
  const list = now.join("\n");
  if (list.length > limits.inputLength) {
    throw new UserError(`${name} has ${now.length} domains, too many for a form.`, {
      next: `Use \`${command} domains service/${name} add DOMAIN\` or \`remove DOMAIN\`.`,
    });
  }
  const count = now.length === 0 ? "no domains" : counted(now.length, "domain");
  return { notes: [aboutWorkload(name, ` has ${count} now.`)], values: list === "" ? {} : { domains: list } };
}

/** The new list. The API only takes whole lists. Pure. */
function editList(before: readonly string[], edit: Edit, typed: readonly string[]): string[] {
  switch (edit) {
    case "add":
      return [...new Set([...before, ...typed])];
    case "remove":
      return before.filter((domain) => !typed.includes(domain.toLowerCase()));
    case "set":
      return [...new Set(typed)];
  }
}
