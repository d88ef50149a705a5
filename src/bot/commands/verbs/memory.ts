import { z } from "zod";
import type { Service } from "../../../api/answers.ts";
import { memoryUpdate } from "../../../api/log-pages.ts";
import { isUpdateMemory, MEMORY_RANGE, parseMemoryMiB, updateMemoryMiB } from "../../../api/memory.ts";
import type { Change } from "../../changes/change.ts";
import { memoryBefore } from "../../changes/updatable-fields.ts";
import { UserError } from "../../errors.ts";
import { type FormFacts, serviceField } from "../forms/form.ts";
import {
  servicePrefill,
  aboutWorkload,
  containerField,
  ContainerName,
  containerPosition,
  containerUpdates,
  ofContainer,
  onlyUpdate,
  serviceChange,
} from "../lookup/service-change.ts";
import { findService } from "../lookup/find.ts";
import { Target } from "../grammar/argument-types.ts";
import { writeVerb } from "../grammar/verb.ts";
import type { VerbContext } from "../command.ts";
import { Memory } from "./create/container-arguments.ts";

const sizes = `${updateMemoryMiB.slice(0, -1).join(", ")} or ${updateMemoryMiB.at(-1)}`;

const takesOnly = `The workload API takes a memory limit of ${sizes} MiB.`;

export const memory = writeVerb({
  name: "memory",
  summary: "Set the memory limit of a service",
  example: "memory web 1024",
  question: { label: "Set memory of", amount: ({ mib }) => ` to ${String(mib)} MiB` },
  button: "Change memory",
  aliases: ["mem"],
  near: ["ram", "limit"],
  phrases: [
    ["(set|give) memory NAME [to] (MIB|COUNT)|give MIB [memory] NAME|set NAME MIB", "memory NAME MIB"],
    ["[need] (more|less|set) memory NAME", "memory NAME"],
  ],
  flags: { container: { value: "C", summary: "which container, if there are several" } },
  words: { name: "NAME", mib: "MIB" },
  updates: "memoryMiB",
  args: z.object({
    name: Target,
    mib: z.string({ error: `MIB must be a size ${MEMORY_RANGE}.` }).pipe(Memory),
    container: ContainerName.optional(),
  }),
  form: {
    title: "Set memory",
    submit: "Set memory",
    fields: () => [
      serviceField,
      {
        id: "mib",
        label: "Memory",
        hint: "The limit for each instance, as in 512 (MiB), 512Mi or 1Gi.",
        input: { kind: "text", maxLength: 20 },
      },
      containerField,
    ],
    prefill: servicePrefill(async (service, { engine }) => {
      const { notes, values } = currentMemory(service);
      const isAny = (await engine())?.takesAnyMemory === true;
      return { notes: isAny ? notes : [...notes, takesOnly], values };
    }),
  },
  async propose({ name, mib, container }, context) {
    await refuseUntaken(mib, context);
    const service = await findService(name, context);
    const at = containerPosition(service, container);
    const before = parseMemoryMiB(service.containers?.[at]?.resources?.limits?.memory);
    return serviceChange(service, context, {
      op: "updateService",
      body: {
        containers: containerUpdates(service, at, (named) => memoryUpdate(context.settings, { container: named, mib })),
      },
      diff: before === mib ? [] : [`memory${ofContainer(service, at)} ${memoryBefore(before)} → ${mib} MiB`],
    });
  },
  undo: oldMemory,
});

/** The API's document knows four sizes. Whatever takes others says so, and nobody is asked to approve what can't be. */
async function refuseUntaken(mib: number, { engine }: Pick<VerbContext, "engine">): Promise<void> {
  if (isUpdateMemory(mib) || (await engine())?.takesAnyMemory === true) return;
  throw new UserError(takesOnly, { next: "Nothing was changed. It doesn't say that it takes other limits." });
}

/** The update addresses a container by its position; with several containers the undo needs its name. */
function oldMemory(change: Change): { readonly mib: string; readonly container?: string } | undefined {
  const updated = onlyUpdate(change, "containers") ?? [];
  const memory = change.before?.memoryMiB ?? [];
  const at = updated.findIndex(({ resources, resource }) => resources !== undefined || resource !== undefined);
  const mib = memory[at];
  // A part of a MiB can't be asked for.
  if (mib === undefined || !Number.isInteger(mib) || mib < 1) return undefined;
  if (memory.length === 1) return { mib: String(mib) };
  const container = updated[at]?.name;
  return container === undefined || container === "" ? undefined : { mib: String(mib), container };
}

function currentMemory({ name, containers = [] }: Service): FormFacts {
  const unknown = "memory not reported";
  const limits = containers.map(({ resources }) => parseMemoryMiB(resources?.limits?.memory));
  const [mib] = limits;
  const words = limits.map((limit) => (limit === undefined ? unknown : `${limit} MiB`));
  if (containers.length <= 1) {
    return {
      notes: [aboutWorkload(name, mib === undefined ? ` · ${unknown}` : ` · now ${mib} MiB for each instance`)],
      values: mib !== undefined && Number.isInteger(mib) ? { mib: String(mib) } : {},
    };
  }
  const each = containers.map((container, at) => `${container.name ?? "unnamed"} (${words[at]})`);
  return {
    notes: [
      aboutWorkload(
        name,
        ` has ${containers.length} containers: ${each.join(", ")}. Enter one of them under “Container” in “More settings”.`,
      ),
    ],
    values: {},
  };
}
