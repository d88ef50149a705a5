import { z } from "zod";
import type { Given } from "../platform/settings.ts";
import type { EngineChoice, EngineDescriptor, EngineVariables } from "./engine-descriptor.ts";
import { dockerEngine } from "./engines/docker/descriptor.ts";
import { kubernetesEngine } from "./engines/kubernetes/descriptor.ts";
import { processEngine } from "./engines/process/descriptor.ts";

/** An engine is its folder and one line here. The first is the default. */
export const engines = [processEngine, dockerEngine, kubernetesEngine] as const satisfies readonly EngineDescriptor[];

const names = engines.map(({ name }) => name);

/** SERVICE_ENGINE. */
export const engineName = z
  .enum(names, { error: () => `must be ${either(names)} (default: ${engines[0].name})` })
  .optional();

/** The variables of all engines. */
export const engineVariables: EngineVariables = Object.assign({}, ...engines.map(({ variables }) => variables));

/** Undefined when SERVICE_ENGINE names none. */
export function engineIn(given: Given): EngineDescriptor | undefined {
  const chosen = given["SERVICE_ENGINE"];
  return chosen === undefined ? engines[0] : engines.find(({ name }) => name === chosen);
}

/** Of variables without problems. */
export function chooseEngine(given: Given, regions: Parameters<EngineDescriptor["choose"]>[1]): EngineChoice {
  return (engineIn(given) ?? engines[0]).choose(given, regions);
}

/** Values that no engine could read, as sentences. */
export function engineVariableProblems(given: Given): string[] {
  return Object.entries(engineVariables).flatMap(([name, { schema }]) => {
    const issues = given[name] === undefined ? [] : schema.safeParse(given[name]).error?.issues;
    return issues?.map(({ message }) => `${name} ${message}.`) ?? [];
  });
}

/** Variables that mean nothing to the chosen engine, or that it can't use together, as sentences. */
export function engineProblems(given: Given): string[] {
  const chosen = engineIn(given);
  const unread = (name: string, users: readonly EngineDescriptor[], why: string): string =>
    `${name} needs SERVICE_ENGINE=${either(users.map((each) => each.name))}. ${why} Unset it, or change SERVICE_ENGINE.`;
  const unreadVariables = Object.entries(engineVariables).flatMap(([name, { elsewhere }]) => {
    const users = engines.filter(({ variables }) => name in variables);
    const why = chosen?.refuses?.[name] ?? elsewhere;
    return given[name] === undefined || why === undefined || users.some((user) => user === chosen)
      ? []
      : [unread(name, users, why)];
  });
  const placed = engines.filter(({ regions }) => regions.from === "settings");
  const isPlaced = chosen?.regions.from !== "engine" || given["SERVICE_REGIONS"] === undefined;
  return [
    ...(isPlaced ? [] : [unread("SERVICE_REGIONS", placed, chosen.regions.why)]),
    ...unreadVariables,
    ...(chosen?.problems?.(given) ?? []),
  ];
}

/** "process, docker or kubernetes". */
function either(words: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(words);
}
