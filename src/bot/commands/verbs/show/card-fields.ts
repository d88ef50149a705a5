import type { EnvVar, JobContainer, ServiceContainer, Sidecar } from "../../../../api/answers.ts";
import type { Field } from "../../../views/kit/blocks.ts";
import { commandLine, containerMemory, memoryNowText, memoryText } from "../../../views/kit/container-text.ts";
import { code, firstOf, joined, words, type Inline } from "../../../views/kit/inline.ts";
import { counted, truncate, visible } from "../../../views/kit/text.ts";

type Container = ServiceContainer | JobContainer;

const SHOWN = 3;
const ENV_SHOWN = 10;
/** Fewer for each of several containers, so that a card stays one message. */
const ENV_EACH = 3;

/** Shows names only: a value may be a secret, and Slack archives every message. */
function envNames(env: readonly EnvVar[] | undefined, max: number): Inline[] {
  return firstOf(env ?? [], max, ({ name }) => code(name, 40));
}

function commandOf({ command, env }: Container, max: number): Inline[] {
  return command === undefined || command.length === 0 ? [] : [code(commandLine(command, env), max)];
}

/** The image and the memory are in the card's first lines. */
function one(container: Container): Field[] {
  const cpu = container.resources?.limits?.cpu;
  const env = envNames(container.env, ENV_SHOWN);
  return [
    { label: "Command", value: commandOf(container, 250) },
    { label: "CPU", value: cpu === undefined ? [] : [words(cpu, 40)] },
    { label: "Environment", value: env.length === 0 ? [] : [...env, words(" (values hidden)")] },
  ];
}

/** One line for one of several containers. */
function several(container: Container, at: number): Field {
  const memory = container.resources === undefined ? "memory not reported" : containerMemory(container);
  const image = container.image === undefined ? [] : [code(container.image, 100)];
  const size = memory === undefined ? [] : [words(`${memory}${memoryNowText(container)}`, 80)];
  const env = envNames(container.env, ENV_EACH);
  const command = commandOf(container, 80);
  return {
    label: `Container ${truncate(visible(container.name ?? String(at + 1)), 60)}`,
    value: joined([...image, ...size, ...command, ...env], " · "),
  };
}

/** "Sidecar proxy  envoy:1 · 128 MiB": they run beside the containers, and no change of memory reaches them. */
export function sidecarFields(sidecars: readonly Sidecar[] = []): Field[] {
  const more = sidecars.length - SHOWN;
  return [
    ...sidecars.slice(0, SHOWN).map(({ name, image, resources }) => ({
      label: `Sidecar ${truncate(visible(name), 60)}`,
      value: joined(
        [
          ...(image === undefined || image === "" ? [] : [code(image, 100)]),
          words(memoryText(resources?.limits?.memory) ?? "no memory limit", 40),
        ],
        " · ",
      ),
    })),
    ...(more > 0 ? [{ label: "And", value: [words(counted(more, "more sidecar"))] }] : []),
  ];
}

/** The containers of a workload: field by field where there is one, a line each where there are several. */
export function containerFields(containers: readonly Container[] | undefined): Field[] {
  const all = containers ?? [];
  const [first, ...others] = all;
  if (first === undefined) return [];
  if (others.length === 0) return one(first);
  const more = all.length > SHOWN ? [{ label: "And", value: [words(`${all.length - SHOWN} more containers`)] }] : [];
  return [...all.slice(0, SHOWN).map(several), ...more];
}
