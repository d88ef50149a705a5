import { limits } from "../../../views/kit/blocks.ts";
import { z } from "zod";
import type { Service } from "../../../../api/answers.ts";
import { requestLimits } from "../../../../api/request-limits.ts";
import { serviceSnapshot } from "../../../changes/updatable-fields.ts";
import { UserError } from "../../../errors.ts";
import { truncate, visible } from "../../../views/kit/text.ts";
import { type FormFacts, serviceField } from "../../forms/form.ts";
import {
  aboutWorkload,
  servicePrefill,
  containerField,
  ContainerName,
  containerPosition,
  containerUpdates,
  ofContainer,
  serviceChange,
} from "../../lookup/service-change.ts";
import { Target } from "../../grammar/argument-types.ts";
import { writeVerb } from "../../grammar/verb.ts";
import { findService } from "../../lookup/find.ts";
import { ENV_NAME, envPair } from "../create/container-arguments.ts";
import { backFrom } from "../../../changes/revisions.ts";
import { failureLine, OnFailure, onFailureField, onFailureFlag, judgedBy } from "./versions.ts";

const most = `At most ${requestLimits.env} environment variables.`;
const Name = z
  .string()
  .max(requestLimits.envName)
  .regex(ENV_NAME, "--unset takes the name of a variable, as in --unset LOG_LEVEL.");

/** Values are typed by people and sent to the workload API; they are never shown again. */
export const env = writeVerb({
  name: "env",
  extension: "environment",
  summary: "Set and remove environment variables of a service",
  example: "env web --unset OLD_FLAG",
  question: { label: "Change environment variables of" },
  aliases: ["set-env"],
  near: ["environment", "variables", "vars", "config", "unset"],
  phrases: [["(add|set|delete|unset) [env] VARIABLE NAME|env NAME|(show|what is|give) [all] env NAME", "env NAME"]],
  flags: {
    set: { value: "K=V", many: true, summary: "set a variable (repeatable)" },
    unset: { value: "K", many: true, summary: "remove a variable (repeatable)" },
    container: { value: "C", summary: "which container, if there are several" },
    "on-failure": onFailureFlag,
  },
  words: { name: "NAME" },
  updates: "env",
  args: z
    .object({
      name: Target,
      set: z.array(envPair("--set")).max(requestLimits.env, most).optional(),
      unset: z.array(Name).max(requestLimits.env, most).optional(),
      container: ContainerName.optional(),
      "on-failure": OnFailure,
    })
    .refine(({ set, unset }) => hasSome(set) || hasSome(unset), {
      error: "Say which variables to set or to remove.",
      path: ["set"],
      // It is missing from the beginning, whatever else is wrong.
      when: () => true,
    }),
  form: {
    title: "Environment variables",
    submit: "Change",
    fields: () => [
      serviceField,
      {
        id: "set",
        label: "Set",
        hint: "One per line, as NAME=value. Values aren't shown again.",
        placeholder: "For example: LOG_LEVEL=info",
        isSecret: true,
        input: { kind: "lines", maxLength: limits.inputLength },
      },
      {
        id: "unset",
        label: "Remove",
        hint: "Names, one per line.",
        input: { kind: "lines", maxLength: limits.inputLength },
      },
      containerField,
      onFailureField,
    ],
    prefill: servicePrefill((service) => ({ notes: namesNow(service), values: {} })),
  },
  async propose({ name, set = [], unset = [], container, "on-failure": onFailure }, context) {
    const both = set.find((each) => unset.includes(each.name))?.name;
    if (both !== undefined) {
      throw new UserError(`${both} can't be set and removed at once.`, {
        next: "Nothing was changed. Say one of the two.",
      });
    }
    const service = await findService(name, context);
    const at = containerPosition(service, container);
    const variables = [...new Map(set.map((each) => [each.name, each])).values()];
    const update = {
      ...(set.length > 0 && { set: variables }),
      ...(unset.length > 0 && { remove: [...new Set(unset)] }),
    };
    const changes = differences(service, at, update);
    const backTo = backFrom(service, await judgedBy(service, context));
    return serviceChange(service, context, {
      op: "updateService",
      body: {
        containers: containerUpdates(service, at, (named) => ({
          ...(named !== undefined && { name: named }),
          env: update,
        })),
      },
      diff:
        changes.length === 0
          ? []
          : [...changes, failureLine({ backTo, before: serviceSnapshot(service) }, onFailure === "stop")],
      backTo,
    });
  },
});

function hasSome(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

type Update = {
  readonly set?: readonly { readonly name: string; readonly value: string }[];
  readonly remove?: readonly string[];
};

/** Names only. What the workload API reports to be so already isn't among them. */
function differences(service: Service, at: number, { set = [], remove = [] }: Update): string[] {
  const env = service.containers?.[at]?.env;
  const now = env && new Map(env.map(({ name, value = "" }) => [name, value]));
  const line = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what} ${names.join(", ")}${ofContainer(service, at)}`];
  const names = (some: typeof set) => some.map(({ name }) => name);
  if (now === undefined) return [...line("sets", names(set)), ...line("removes", remove)];
  return [
    ...line("adds", names(set.filter(({ name }) => !now.has(name)))),
    ...line("changes", names(set.filter(({ name, value }) => now.has(name) && now.get(name) !== value))),
    ...line(
      "removes",
      remove.filter((name) => now.has(name)),
    ),
  ];
}

function namesNow({ name, containers = [] }: Service): FormFacts["notes"] {
  if (containers.every(({ env: variables }) => variables === undefined)) {
    return [aboutWorkload(name, ": the workload API doesn't report its variables.")];
  }
  const lists = containers.map(({ name: container, env: variables }) => {
    const names = variables?.map((variable) => variable.name).join(", ") ?? "not reported";
    return `${containers.length > 1 ? `${container ?? "unnamed"}: ` : ""}${names || "none"}`;
  });
  return [aboutWorkload(name, " has these variables (values hidden):"), truncate(visible(lists.join(" · ")), 1_000)];
}
