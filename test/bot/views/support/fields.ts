import type { FormField } from "../../../../src/bot/commands/forms/form.ts";
import { formView, type FormViewInput } from "../../../../src/bot/views/forms/form-view.ts";

/** A field of each kind, as verbs have them. */
export const fields: readonly FormField[] = [
  {
    id: "kind",
    label: "What",
    redraws: true,
    input: {
      kind: "choice",
      style: "radio",
      options: [
        { value: "service", text: "Service", description: "runs until you stop it" },
        { value: "job", text: "Job", description: "runs until it completes" },
      ],
    },
  },
  { id: "name", label: "Service", placeholder: "Choose one…", input: { kind: "workload", of: "service" } },
  { id: "size", label: "Instances", hint: "0 stops all of them.", input: { kind: "number", from: 0, to: 10_000 } },
  { id: "image", label: "Image", placeholder: "gantry/hello-web", input: { kind: "text", maxLength: 255 } },
  { id: "command", label: "Command", isOptional: true, input: { kind: "command", maxLength: 1000 } },
  {
    id: "mib",
    label: "Memory",
    input: {
      kind: "choice",
      style: "menu",
      options: [
        { value: "512", text: "512 MiB" },
        { value: "1024", text: "1 GiB" },
      ],
    },
  },
  { id: "env", label: "Variables", isOptional: true, isMore: true, input: { kind: "lines", maxLength: 3000 } },
  {
    id: "pull",
    label: "Image again",
    isOptional: true,
    isMore: true,
    input: { kind: "tick", text: "Pull it each time" },
  },
  { id: "instance", label: "Instance", isOptional: true, isMore: true, input: { kind: "instance" } },
  { id: "region", label: "Region", isOptional: true, isMore: true, input: { kind: "region" } },
  { id: "change", label: "Change", isOptional: true, isMore: true, input: { kind: "change" } },
  { id: "since", label: "Since", isOptional: true, isMore: true, input: { kind: "date" } },
  { id: "by", label: "By", isOptional: true, isMore: true, input: { kind: "person" } },
];

/** Something in every one of them. */
export const filledIn = {
  kind: "service",
  name: "service/web",
  size: "3",
  image: "gantry/hello-web",
  command: '--greeting "hello you"',
  mib: "1024",
  env: "LOG_LEVEL=info\nMODE=fast",
  pull: "yes",
  instance: "report-x7k2p",
  region: "beijing1",
  change: "7K3M9Q",
  since: "2026-11-20",
  by: "<@U0DANA>",
};

export function form(given: Partial<FormViewInput> = {}) {
  return formView({
    verb: "scale",
    form: { title: "Scale a service", submit: "Scale" },
    fields,
    values: {},
    notes: [],
    above: [],
    isMore: false,
    asksWhere: undefined,
    generations: {},
    metadata: "{}",
    ...given,
  });
}
