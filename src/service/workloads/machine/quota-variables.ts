import { z } from "zod";
import type { EngineVariable, ValuesOf } from "../../engine-descriptor.ts";
import type { QuotaSettings } from "./host-limits.ts";

const quota = (unit: string, words: Pick<EngineVariable, "default" | "meaning">) => ({
  schema: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `must be a whole number of ${unit}, at least 1, or unset`)
    .transform(Number),
  ...words,
  elsewhere: "It limits what runs on this machine.",
});

/** The variables of the quotas, for engines that run workloads on a machine that the users share. */
export const quotaVariables = {
  SERVICE_USER_INSTANCES: quota("instances", {
    default: "50",
    meaning: "Instances one user may run. Each container of an instance counts.",
  }),
  SERVICE_USER_MEMORY_MIB: quota("MiB", {
    default: "half of the machine's memory",
    meaning: "Memory one user may reserve. A container without a limit counts as 64 MiB, on Docker as 512 MiB.",
  }),
  SERVICE_HOST_INSTANCES: quota("instances", {
    default: "up to 200, by the limit of open files",
    meaning: "Instances all users may run.",
  }),
  SERVICE_HOST_MEMORY_MIB: quota("MiB", {
    default: "three quarters of the machine's memory",
    meaning: "Memory all users may reserve.",
  }),
};

export function quotasOf(values: ValuesOf<typeof quotaVariables>): QuotaSettings {
  return {
    userInstances: values.SERVICE_USER_INSTANCES,
    userMemoryMib: values.SERVICE_USER_MEMORY_MIB,
    hostInstances: values.SERVICE_HOST_INSTANCES,
    hostMemoryMib: values.SERVICE_HOST_MEMORY_MIB,
  };
}
