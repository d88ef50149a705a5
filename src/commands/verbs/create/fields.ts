import { requestLimits } from "../../../api/request-limits.ts";
import type { FormField, FormInput, FormValues } from "../../forms/form.ts";

/** The longest text of a field: https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element. */
const LONGEST = 3_000;
const lines: FormInput = { kind: "lines", maxLength: LONGEST };

const first: readonly FormField[] = [
  {
    id: "kind",
    label: "What to create",
    redraws: true,
    input: {
      kind: "choice",
      style: "radio",
      options: [
        { value: "service", text: "A service", description: "Runs until it is stopped" },
        { value: "job", text: "A job", description: "Runs once, to its end" },
      ],
    },
  },
  {
    id: "name",
    label: "Name",
    hint: "Lowercase letters, digits and -. Start with a letter, end with a letter or digit.",
    placeholder: "web",
    input: { kind: "text", maxLength: 50 },
  },
  {
    id: "image",
    label: "Image",
    placeholder: "gantry/hello-web:1.4",
    input: { kind: "text", maxLength: requestLimits.image },
  },
  {
    id: "command",
    label: "Command",
    hint: "That of the image, if nothing stands here. Quotes keep words together.",
    placeholder: '--greeting "hello you"',
    isOptional: true,
    input: { kind: "command", maxLength: LONGEST },
  },
  {
    id: "memory",
    label: "Memory",
    hint: "In MiB, such as 512, or with a unit, such as 1Gi.",
    placeholder: "512",
    isOptional: true,
    input: { kind: "text", maxLength: 20 },
  },
];

const instances: FormField = {
  id: "instances",
  label: "Instances",
  hint: "1, if nothing stands here.",
  isOptional: true,
  input: { kind: "number", from: 0, to: requestLimits.instances },
};

const env: FormField = {
  ...more("env", "Environment variables", {
    hint: "One a line: NAME=value. The values are not shown later.",
    placeholder: "LOG_LEVEL=info",
  }),
  isSecret: true,
};
const port = more("port", "Ports", {
  hint: "TCP ports that the container opens, one per line.",
  placeholder: "8080",
});
const publish = more("publish", "Published ports", {
  hint: "Those that can be reached from outside, one a line.",
  placeholder: "8080",
});
const volume = {
  service: more("volume", "Volumes", {
    hint: "One a line: NAME=DISK, or NAME=DISK:ro for read-only.",
    placeholder: "data=disk-1",
  }),
  job: more("volume", "Volumes", { hint: "Their names, one a line.", placeholder: "data" }),
} as const;
const mount = more("mount", "Mounts", {
  hint: "Where the volumes are in the container, one a line: VOLUME:/path.",
  placeholder: "data:/var/lib/data",
});
const domain = more("domain", "Domains", { hint: "One a line.", placeholder: "shop.example.com" });
const timeZone = tick("sync-timezone", "Time zone", "The local time zone of the host");
const pullAlways = tick("pull-always", "Pulling", "Pull the image each time");

/** Every field of a creation body; before a kind is chosen, the fields that both kinds have. Pure. */
export function createFields({ kind }: FormValues): readonly FormField[] {
  switch (kind) {
    case "service":
      return [...first, instances, env, port, publish, volume.service, mount, domain, timeZone];
    case "job":
      return [...first, env, port, volume.job, mount, timeZone, pullAlways];
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
