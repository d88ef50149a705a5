import { z } from "zod";
import { UserError } from "../../../errors.ts";
import { createFields, createFlags, flagsOfOthers } from "./settings.ts";
import { JobArgs, proposeJob, proposeService, ServiceArgs } from "./new-workload.ts";
import { writeVerb } from "../../grammar/verb.ts";
import type { Job, JobContainer, Service, ServiceContainer } from "../../../../api/answers.ts";
import type { EngineInfo } from "../../../../api/engine-info.ts";
import { parseMemoryMiB } from "../../../../api/memory.ts";
import type { Line } from "../../../views/kit/blocks.ts";
import { words } from "../../../views/kit/inline.ts";
import { counted, namesAnd } from "../../../views/kit/text.ts";
import { type RawArgument, textOf, looksSecret, type FormFacts, type FormValues, noFacts } from "../../forms/form.ts";
import { Target } from "../../grammar/argument-types.ts";
import type { VerbContext } from "../../command.ts";
import { findWorkload } from "../../lookup/find.ts";
import { unreportedIn, unreportedOf } from "../../lookup/service-change.ts";

export const create = writeVerb({
  name: "create",
  isMostUsed: true,
  summary: "Create a service or job",
  valuesFor: (workload) => ({ kind: workload.startsWith("job/") ? "job" : "service", like: workload }),
  button: "Create like this",
  usage: "create service|job NAME --image I [flags] [-- COMMAND…]",
  example: "create job nightly --image gantry/batch -- 5 --exit 0",
  near: ["create-service", "create-job", "new", "launch"],
  phrases: [
    ["(create|add|make|set up|spin up|deploy) KIND (called|named) NAME", "create KIND NAME"],
    ["(create|add|make|set up|spin up|deploy) KIND …|(create|make) KIND", "create KIND"],
  ],
  words: { kind: "service|job", name: "NAME" },
  flags: createFlags,
  sends: ["createService", "createJob"],
  takesCommand: true,
  args: z.discriminatedUnion("kind", [ServiceArgs, JobArgs], { error: "Say what to create: service or job." }),
  read(typed, { name = "", ...byName }) {
    const kind = typed.positionals[0]?.toLowerCase();
    if (kind === "service" || kind === "job") {
      const other = kind === "service" ? "job" : "service";
      const wrong = flagsOfOthers(kind).find((flag) => typed.has(flag));
      if (wrong !== undefined) throw new UserError(`--${wrong} is only for a ${other}.`, { next: "Leave it out." });
    }
    return { ...byName, kind, name };
  },
  form: {
    title: "Create a workload",
    submit: "Create",
    fields: createFields,
    hasPreview: true,
    prefillsAtOnce: true,
    async prefill(values, context) {
      const [{ notes, values: copied }, engine] = await Promise.all([prefillLike(values, context), context.engine()]);
      const isJob = (copied["kind"] ?? values["kind"]) === "job";
      return {
        notes: [...notes, ...onlyImages(engine)],
        values: isJob ? copied : { region: context.region, ...copied },
      };
    },
  },
  target: ({ kind, name }) => ({ kind, name }),
  propose: (args, context) => (args.kind === "service" ? proposeService(args, context) : proposeJob(args, context)),
});

/** Images of a workload API that runs no others. */
function onlyImages(engine: EngineInfo | undefined): Line[] {
  const { images = [] } = engine ?? {};
  if (images.length === 0) return [];
  const names = namesAnd({ names: images.slice(0, MOST_NAMES), count: images.length });
  return [[words(`Only these images run here, with any tag: ${names}.`, 600)]];
}

/**
 * "Create like this": prefills the form from the workload in `like`, and does nothing without one. One call where its
 * kind is given. Reads only what the person may see. Throws what `show` throws.
 */
export async function prefillLike({ like }: FormValues, context: VerbContext): Promise<FormFacts> {
  const target = Target.safeParse(like).data;
  if (target === undefined) return noFacts;
  const found = await findWorkload(target, context);
  return found.kind === "service" ? valuesOfService(found.service) : valuesOfJob(found.job);
}

/** The API doesn't tell which ports a job opens. */
function valuesOfJob({ metadata: { name }, spec }: Job): FormFacts {
  const { containers = [], volumes = [] } = spec?.template?.spec ?? {};
  const named = volumes.filter((volume) => !isTimeZone(volume)).map((volume) => volume.name);
  const pullsAlways = containers[0]?.imagePullPolicy === "Always";
  return copyOf({
    kind: "job",
    name,
    containers,
    args: { volume: unlessEmpty(named), "pull-always": pullsAlways ? true : undefined },
    unknown: unreportedIn(containers[0]),
    notes: [],
  });
}

/** Domains are not copied: a domain leads to one service. */
function valuesOfService(service: Service): FormFacts {
  const { name, containers = [], port_mappings: published = [], volumes = [], binding_domain_name: domains } = service;
  const { target_instance_size: size } = service;
  const open = containers[0]?.ports ?? [];
  const owned = domains === undefined ? "domains" : counted(domains.length, "domain");
  const belongs = `Not copied: ${owned}. A domain leads to one service only.`;
  return copyOf({
    kind: "service",
    name,
    containers,
    args: {
      instances: size === undefined ? undefined : String(size),
      port: unlessEmpty(
        open.flatMap(({ container_port, port, protocol }) => portText(container_port ?? port, protocol)),
      ),
      publish: unlessEmpty(published.flatMap(({ container_port, protocol }) => portText(container_port, protocol))),
      volume: unlessEmpty(
        volumes
          .filter((volume) => !isTimeZone(volume))
          .map(
            ({ name, disk_name: disk = "", is_read_only: isReadOnly }) =>
              `${name}=${disk}${isReadOnly === true ? ":ro" : ""}`,
          ),
      ),
    },
    unknown: unreportedOf(service),
    notes: domains?.length === 0 ? [] : [belongs],
  });
}

/** `8080`, or `8080/udp`; nothing for a port without a number. */
function portText(port: number | undefined, protocol = "tcp"): string[] {
  if (port === undefined) return [];
  return [protocol.toLowerCase() === "tcp" ? String(port) : `${port}/${protocol.toLowerCase()}`];
}

type Container = Pick<ServiceContainer | JobContainer, "image" | "command" | "env" | "resources" | "volumeMounts">;
type Arguments = Readonly<Record<string, RawArgument | undefined>>;

type Original = {
  readonly kind: "service" | "job";
  readonly name: string;
  readonly containers: readonly Container[];
  /** Arguments that only this kind has. */
  readonly args: Arguments;
  /** What the API doesn't report of it. */
  readonly unknown: readonly string[];
  readonly notes: readonly string[];
};

const MOST_NAMES = 20;

/**
 * Copies only the names of environment variables, because no rule can tell which values are secret, and Slack would
 * keep them. Leaves out commands that seem to contain a secret and values that don't fit their field. Notes list
 * everything left out.
 */
function copyOf({ kind, name, containers, args, unknown, notes }: Original): FormFacts {
  const [container = {}] = containers;
  const names = (container.env ?? []).map((variable) => variable.name);
  const env = unlessEmpty(names.map((each) => `${each}=`));
  const { values, skipped } = fieldValues(kind, { ...containerArguments(container), ...args, env });
  return {
    notes: [
      `Copied from ${kind} ${name}. Enter a new name.`,
      ...listing("Environment values aren't copied. Enter them again", names),
      ...listing("Not copied, because the workload API doesn't report it", unknown),
      ...listing("Not copied, because it's too long or looks like a secret", skipped),
      ...(containers.length > 1 ? [`Only the first of its ${counted(containers.length, "container")} is copied.`] : []),
      ...notes,
    ],
    values,
  };
}

function listing(sentence: string, names: readonly string[]): string[] {
  const more = names.length - MOST_NAMES;
  const all = names.slice(0, MOST_NAMES).join(", ");
  return names.length === 0 ? [] : [`${sentence}: ${all}${more > 0 ? ` and ${more} more` : ""}.`];
}

function containerArguments({ image, command, resources, volumeMounts = [] }: Container): Arguments {
  const mib = parseMemoryMiB(resources?.limits?.memory);
  const mounts = volumeMounts.filter((mount) => !isTimeZone(mount));
  return {
    image,
    command: unlessEmpty(command),
    memory: mib === undefined ? undefined : String(mib),
    mount: unlessEmpty(mounts.map((mount) => `${mount.name}:${mount.mountPath ?? ""}`)),
    "sync-timezone": mounts.length < volumeMounts.length ? true : undefined,
  };
}

/** A volume that the service adds for `sync_timezone` (the API's document, "Job creation body"). */
function isTimeZone({ name }: { readonly name: string }): boolean {
  return name.endsWith("-time-zone");
}

function holdsSecret(command: RawArgument): boolean {
  return Array.isArray(command) && (looksSecret(command.join(" ")) || command.some(looksSecret));
}

/** The values that their fields can hold, and the labels of the fields that can't hold theirs. */
function fieldValues(
  kind: string,
  args: Arguments,
): { readonly values: FormValues; readonly skipped: readonly string[] } {
  const values: [string, string][] = [["kind", kind]];
  const skipped: string[] = [];
  for (const { id, label, input } of createFields({ kind })) {
    const argument = args[id];
    if (argument === undefined) continue;
    const text = input.kind === "command" && holdsSecret(argument) ? undefined : textOf(input, argument);
    if (text === undefined) skipped.push(label);
    else values.push([id, text]);
  }
  return { values: Object.fromEntries(values), skipped };
}

function unlessEmpty(items: readonly string[] | undefined): readonly string[] | undefined {
  return items === undefined || items.length === 0 ? undefined : items;
}
