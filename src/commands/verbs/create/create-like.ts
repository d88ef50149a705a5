import type { EnvVar, Resources, VolumeMount } from "../../../api/job-shape.ts";
import { parseMemoryMiB } from "../../../api/memory.ts";
import { counted } from "../../../views/kit/text.ts";
import { createFields } from "./fields.ts";
import type { FormFacts, FormValues } from "../../forms/form.ts";
import { textOf, type RawArgument } from "../../forms/form-argument.ts";
import { looksSecret } from "../../forms/form-secret.ts";

type Container = {
  readonly image?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly resources?: Resources | undefined;
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
};
type Arguments = Readonly<Record<string, RawArgument | undefined>>;

/** A workload as it was read, and what of it goes into the form as words would give it. */
export type Model = {
  readonly kind: "service" | "job";
  readonly name: string;
  readonly containers: readonly Container[];
  /** What the kinds have apart. */
  readonly args: Arguments;
  /** What else has to be said. */
  readonly notes: readonly string[];
};

const MOST_NAMES = 20;

/**
 * Prefills the form from a workload. Only the names of environment variables are copied, because no rule can tell which
 * values are secret, and Slack would keep them. Commands that seem to contain a secret, and values that don't fit their
 * field, are left out. Notes list everything left out. Pure.
 */
export function copied({ kind, name, containers, args, notes }: Model): FormFacts {
  const [container = {}] = containers;
  const names = (container.env ?? []).map(({ name }) => name);
  const env = some(names.map((name) => `${name}=`));
  const { values, lost } = fitted(kind, { ...containerArguments(container), ...args, env });
  return {
    notes: [
      `Filled in from ${kind}/${name}. Give it a name of its own.`,
      ...about("Values of environment variables are never copied. Enter them again", names),
      ...about("Not copied, because it does not fit or looks like a secret", lost),
      ...(containers.length > 1 ? [`It has ${counted(containers.length, "container")}; this is the first one.`] : []),
      ...notes,
    ],
    values,
  };
}

function about(sentence: string, names: readonly string[]): string[] {
  const more = names.length - MOST_NAMES;
  const all = names.slice(0, MOST_NAMES).join(", ");
  return names.length === 0 ? [] : [`${sentence}: ${all}${more > 0 ? ` and ${more} more` : ""}.`];
}

function containerArguments({ image, command, resources, volumeMounts = [] }: Container): Arguments {
  const mib = parseMemoryMiB(resources?.limits?.memory);
  const mounts = volumeMounts.filter((mount) => !isTimeZone(mount));
  return {
    image,
    command: some(command),
    memory: mib === undefined ? undefined : String(mib),
    mount: some(mounts.map((mount) => `${mount.name}:${mount.mountPath ?? ""}`)),
    "sync-timezone": mounts.length < volumeMounts.length ? true : undefined,
  };
}

/** What `sync_timezone` adds (the API's document, "Job creation body"): nobody asked for a volume of that name. */
export function isTimeZone({ name }: { readonly name: string }): boolean {
  return name.endsWith("-time-zone");
}

function holdsSecret(command: RawArgument): boolean {
  return Array.isArray(command) && (looksSecret(command.join(" ")) || command.some(looksSecret));
}

/** Each argument that its field can hold, and the labels of those that no field can. */
function fitted(kind: string, args: Arguments): { readonly values: FormValues; readonly lost: readonly string[] } {
  const values: [string, string][] = [["kind", kind]];
  const lost: string[] = [];
  for (const { id, label, input } of createFields({ kind })) {
    const argument = args[id];
    if (argument === undefined) continue;
    const text = input.kind === "command" && holdsSecret(argument) ? undefined : textOf(input, argument);
    if (text === undefined) lost.push(label);
    else values.push([id, text]);
  }
  return { values: Object.fromEntries(values), lost };
}

/** A list with nothing in it is no argument. */
export function some(items: readonly string[] | undefined): readonly string[] | undefined {
  return items === undefined || items.length === 0 ? undefined : items;
}
