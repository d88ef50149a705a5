import { limits } from "../../../views/kit/blocks.ts";
import { requestLimits } from "../../../../api/request-limits.ts";
import type { FormField, FormInput, FormValues } from "../../forms/form.ts";
import type { Flag, Flags } from "../../grammar/flags.ts";

type Field = Omit<FormField, "id">;

/** A setting of a new workload, as a flag and as a form field. A kind without a field doesn't have the setting. */
type Setting = {
  readonly flag?: Flag;
  readonly service?: Field;
  readonly job?: Field;
};

const lines: FormInput = { kind: "lines", maxLength: limits.inputLength };

/** By argument name, in the order of the form and of help. */
const settings: Readonly<Record<string, Setting>> = {
  kind: ofBoth({
    label: "Type",
    redraws: true,
    input: {
      kind: "choice",
      style: "radio",
      options: [
        { value: "service", text: "Service", description: "Runs until you stop it" },
        { value: "job", text: "Job", description: "Runs until it completes" },
      ],
    },
  }),
  name: ofBoth({
    label: "Name",
    hint: "Lowercase letters, digits and dashes. Starts with a letter and doesn't end with a dash.",
    placeholder: "For example: my-service",
    input: { kind: "text", maxLength: 50 },
  }),
  image: {
    flag: { value: "I", summary: "container image (required)" },
    ...ofBoth({
      label: "Image",
      hint: "The workload API checks that it exists when the request runs.",
      placeholder: "For example: gantry/hello-web:1.4",
      input: { kind: "text", maxLength: requestLimits.image },
    }),
  },
  command: ofBoth({
    label: "Command",
    hint: "Default: the image's own command. Put quotes around an argument with spaces.",
    placeholder: 'For example: --greeting "hello you"',
    isOptional: true,
    input: { kind: "command", maxLength: limits.inputLength },
  }),
  memory: {
    flag: { value: "MIB", summary: "memory limit: 512 (MiB), 512Mi or 1Gi" },
    ...ofBoth({
      label: "Memory",
      hint: "In MiB, such as 512, or with a unit, such as 1Gi. Default: the workload API decides.",
      isOptional: true,
      input: { kind: "text", maxLength: 20 },
    }),
  },
  instances: {
    flag: { value: "N", summary: "services: number of instances (default: 1)" },
    service: {
      label: "Instances",
      hint: "Default: 1.",
      isOptional: true,
      input: { kind: "number", from: 0, to: requestLimits.instances },
    },
  },
  env: {
    flag: { value: "K=V", many: true, summary: "environment variable (repeatable)" },
    ...ofBoth({
      ...more("Environment variables"),
      hint: "One per line, as NAME=value. Values aren't shown again.",
      placeholder: "For example: LOG_LEVEL=info",
      isSecret: true,
    }),
  },
  port: {
    flag: { value: "PORT", many: true, summary: "TCP port that the container listens on (repeatable)" },
    ...ofBoth({
      ...more("Ports"),
      hint: "TCP ports that the container opens, one per line.",
      placeholder: "For example: 8080",
    }),
  },
  publish: {
    flag: { value: "PORT", many: true, summary: "services: port reachable from outside (repeatable)" },
    service: {
      ...more("Published ports"),
      hint: "Ports that can be reached from outside, one per line.",
      placeholder: "For example: 8080",
    },
  },
  volume: {
    flag: {
      value: "NAME=DISK",
      many: true,
      summary: "volume: NAME=DISK or NAME=DISK:ro for services, NAME for jobs (repeatable)",
    },
    service: {
      ...more("Volumes"),
      hint: "One per line, as NAME=DISK, or NAME=DISK:ro for read-only.",
      placeholder: "For example: data=disk-1",
    },
    job: { ...more("Volumes"), hint: "Volume names, one per line.", placeholder: "For example: data" },
  },
  mount: {
    flag: { value: "VOLUME:/PATH", many: true, summary: "mount path of a volume (repeatable)" },
    ...ofBoth({
      ...more("Mounts"),
      hint: "Where the container sees its volumes, one per line, as VOLUME:/path.",
      placeholder: "For example: data:/var/lib/data",
    }),
  },
  domain: {
    flag: { value: "D", many: true, summary: "services: custom domain (repeatable)" },
    service: { ...more("Domains"), hint: "One per line.", placeholder: "For example: shop.example.com" },
  },
  "sync-timezone": {
    flag: { summary: "use the host's time zone in the containers" },
    ...ofBoth(tick("Time zone", "Use the host's local time zone")),
  },
  "pull-always": {
    flag: { summary: "jobs: always pull the image" },
    job: tick("Image pull", "Always pull the image"),
  },
  notify: {
    flag: { value: "me", summary: "jobs: tell you in a direct message how it ends" },
    job: { ...tick("When it ends", "Send me a direct message"), isMore: false },
  },
};

function ofBoth(field: Field): Pick<Setting, "service" | "job"> {
  return { service: field, job: field };
}

function more(label: string): Field {
  return { label, isOptional: true, isMore: true, input: lines };
}

function tick(label: string, text: string): Field {
  return { label, isMore: true, input: { kind: "tick", text } };
}

/** The fields for a kind; until one is chosen, those that both kinds share. Pure. */
export function createFields({ kind }: FormValues): readonly FormField[] {
  return Object.entries(settings).flatMap(([id, { service, job }]) => {
    const field = kind === "service" ? service : kind === "job" || service === job ? job : undefined;
    return field === undefined ? [] : [{ id, ...field }];
  });
}

export const createFlags: Flags = Object.fromEntries(
  Object.entries(settings).flatMap(([id, { flag }]) => (flag === undefined ? [] : [[id, flag]])),
);

/** The flags that only the other kind takes. */
export function flagsOfOthers(kind: "service" | "job"): string[] {
  return Object.keys(settings).filter((id) => settings[id]?.[kind] === undefined);
}
