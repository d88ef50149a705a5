import { requestLimits } from "../../../../api/request-limits.ts";
import type { FormField, FormInput, FormValues } from "../../forms/form.ts";

/** The longest text of a field: https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element. */
const LONGEST = 3_000;
const lines: FormInput = { kind: "lines", maxLength: LONGEST };

const first: readonly FormField[] = [
  {
    id: "kind",
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
  },
  {
    id: "name",
    label: "Name",
    hint: "Lowercase letters, digits and dashes. Starts with a letter and doesn't end with a dash.",
    placeholder: "For example: my-service",
    input: { kind: "text", maxLength: 50 },
  },
  {
    id: "image",
    label: "Image",
    hint: "The workload API checks that it exists when the request runs.",
    placeholder: "For example: gantry/hello-web:1.4",
    input: { kind: "text", maxLength: requestLimits.image },
  },
  {
    id: "command",
    label: "Command",
    hint: "Default: the image's own command. Put quotes around an argument with spaces.",
    placeholder: 'For example: --greeting "hello you"',
    isOptional: true,
    input: { kind: "command", maxLength: LONGEST },
  },
  {
    id: "memory",
    label: "Memory",
    hint: "In MiB, such as 512, or with a unit, such as 1Gi. Default: the workload API decides.",
    isOptional: true,
    input: { kind: "text", maxLength: 20 },
  },
];

const instances: FormField = {
  id: "instances",
  label: "Instances",
  hint: "Default: 1.",
  isOptional: true,
  input: { kind: "number", from: 0, to: requestLimits.instances },
};

const env: FormField = {
  ...more("env", "Environment variables", {
    hint: "One per line, as NAME=value. Values aren't shown again.",
    placeholder: "For example: LOG_LEVEL=info",
  }),
  isSecret: true,
};
const port = more("port", "Ports", {
  hint: "TCP ports that the container opens, one per line.",
  placeholder: "For example: 8080",
});
const publish = more("publish", "Published ports", {
  hint: "Ports that can be reached from outside, one per line.",
  placeholder: "For example: 8080",
});
const volume = {
  service: more("volume", "Volumes", {
    hint: "One per line, as NAME=DISK, or NAME=DISK:ro for read-only.",
    placeholder: "For example: data=disk-1",
  }),
  job: more("volume", "Volumes", { hint: "Volume names, one per line.", placeholder: "For example: data" }),
} as const;
const mount = more("mount", "Mounts", {
  hint: "Where the container sees its volumes, one per line, as VOLUME:/path.",
  placeholder: "For example: data:/var/lib/data",
});
const domain = more("domain", "Domains", { hint: "One per line.", placeholder: "For example: shop.example.com" });
const timeZone = tick("sync-timezone", "Time zone", "Use the host's local time zone");
const pullAlways = tick("pull-always", "Image pull", "Always pull the image");

const notify: FormField = { ...tick("notify", "When it ends", "Send me a direct message"), isMore: false };

/** Every field of a creation body; before a kind is chosen, the fields that both kinds have. Pure. */
export function createFields({ kind }: FormValues): readonly FormField[] {
  switch (kind) {
    case "service":
      return [...first, instances, env, port, publish, volume.service, mount, domain, timeZone];
    case "job":
      return [...first, env, port, volume.job, mount, timeZone, pullAlways, notify];
    default:
      return [...first, env, port, mount, timeZone];
  }
}

function more(id: string, label: string, said: Pick<FormField, "hint" | "placeholder">): FormField {
  return { id, label, ...said, isOptional: true, isMore: true, input: lines };
}

function tick(id: string, label: string, text: string): FormField {
  return { id, label, isOptional: true, isMore: true, input: { kind: "tick", text } };
}
