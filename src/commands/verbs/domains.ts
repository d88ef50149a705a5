import { z } from "zod";
import type { Service } from "../../api/answers.ts";
import { isDomainName } from "../../api/names.ts";
import { requestLimits } from "../../api/request-limits.ts";
import { UserError } from "../../errors.ts";
import { counted } from "../../views/kit/text.ts";
import type { FormFacts } from "../forms/form.ts";
import { prefillFromService } from "../forms/prefill.ts";
import { findService } from "../lookup/find.ts";
import { serviceChange } from "../lookup/service-change.ts";
import { Target } from "../grammar/target.ts";
import { writeVerb } from "../grammar/verb.ts";
import { serviceField } from "../forms/fields.ts";

/** Lower-cased, without a scheme or a final dot. */
const Domain = z
  .string()
  .transform((typed) =>
    typed
      .toLowerCase()
      .replace(/^https?:\/\//u, "")
      .replace(/[/.]+$/u, ""),
  )
  .refine(isDomainName, { error: ({ input }) => `“${String(input)}” is not a domain name such as shop.example.com.` });

const tooMany = `At most ${requestLimits.domains} domains.`;

/** Domain names without duplicates. */
export const DomainList = z
  .array(Domain)
  .transform((domains) => [...new Set(domains)])
  .pipe(z.array(z.string()).max(requestLimits.domains, tooMany));

/** https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element: what a field can hold. */
const LONGEST_LIST = 3_000;

type Edit = "add" | "remove" | "set";

export const domains = writeVerb({
  name: "domains",
  summary: "Add, remove or set the custom domain names of a service",
  usage: "domains NAME add|remove|set DOMAIN…",
  example: "domains web add shop.example.com",
  flags: {},
  actions: [
    { op: "updateService", risk: "routine" },
    { op: "updateService", risk: "destructive" },
  ],
  words: Number.POSITIVE_INFINITY,
  args: z
    .object({
      name: Target,
      edit: z.enum(["add", "remove", "set"], { error: "Say what to do with the domains: add, remove or set." }),
      domains: DomainList,
    })
    .refine(({ edit, domains }) => edit === "set" || domains.length > 0, {
      error: "Say at least one domain name.",
      path: ["domains"],
    }),
  read: ({ positionals: [name, edit, ...rest] }) => ({ name, edit: edit?.toLowerCase(), domains: rest }),
  form: {
    title: "Set domains",
    submit: "Set domains",
    fields: () => [
      serviceField,
      {
        id: "domains",
        label: "Domains",
        hint: "All of them, one a line. With an empty list the service has none.",
        placeholder: "shop.example.com",
        isOptional: true,
        input: { kind: "lines", maxLength: LONGEST_LIST },
      },
    ],
    // The whole list is set, so what is lost by it is shown first: the list may not have been read, or be of another service.
    hasPreview: true,
    toArgs: ({ domains: all = [], ...raw }) => ({ ...raw, edit: "set", domains: all }),
    prefill: (values, context) =>
      prefillFromService(values, context, (service) => domainsNow(service, context.settings.command)),
  },
  target: ({ name }) => name,
  async propose({ name, edit, domains: given }, context) {
    const service = await findService(name, context);
    const before = service.binding_domain_name ?? [];
    const after = edited(before, edit, given);
    if (after.length > requestLimits.domains) {
      const { command } = context.settings;
      throw new UserError(
        `${service.name} would have ${after.length} domains. The limit is ${requestLimits.domains}.`,
        {
          next: `Remove some first: ${command} domains service/${service.name} remove DOMAIN.`,
        },
      );
    }
    const added = after.filter((domain) => !before.includes(domain)).map((domain) => `+ domain ${domain}`);
    const removed = before.filter((domain) => !after.includes(domain)).map((domain) => `− domain ${domain}`);
    return serviceChange(service, context, {
      op: "updateService",
      body: { binding_domain_name: after },
      diff: [...added, ...removed],
    });
  },
});

/** A list that the form cannot hold must not stand there in part: what is missing would be removed. */
function domainsNow({ name, binding_domain_name: now = [] }: Service, command: string): FormFacts {
  const list = now.join("\n");
  if (list.length > LONGEST_LIST) {
    throw new UserError(`${name} has ${now.length} domains, more than a form can hold.`, {
      next: `Use words: ${command} domains service/${name} add DOMAIN, or remove DOMAIN.`,
    });
  }
  const count = now.length === 0 ? "no domain" : counted(now.length, "domain");
  return { notes: [`${name} has ${count} of its own now.`], values: list === "" ? {} : { domains: list } };
}

/** The whole list as it shall be: the API takes no single additions. Pure. */
function edited(before: readonly string[], edit: Edit, given: readonly string[]): string[] {
  switch (edit) {
    case "add":
      return [...new Set([...before, ...given])];
    case "remove":
      return before.filter((domain) => !given.includes(domain.toLowerCase()));
    case "set":
      return [...new Set(given)];
  }
}
