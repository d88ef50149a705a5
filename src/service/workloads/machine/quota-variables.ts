import { z } from "zod";
import type { QuotaSettings } from "./host-limits.ts";

const quota = (unit: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `must be a whole number of ${unit}, at least 1, or unset`)
    .transform(Number)
    .optional();

/** The variables of the quotas, for the service alone and for the one inside the bot. */
export const quotaVariables = {
  SERVICE_USER_INSTANCES: quota("instances"),
  SERVICE_USER_MEMORY_MIB: quota("MiB"),
  SERVICE_HOST_INSTANCES: quota("instances"),
  SERVICE_HOST_MEMORY_MIB: quota("MiB"),
};

type QuotaVariables = { readonly [name in keyof typeof quotaVariables]?: number | undefined };

export function quotasOf(variables: QuotaVariables): QuotaSettings {
  return {
    userInstances: variables.SERVICE_USER_INSTANCES,
    userMemoryMib: variables.SERVICE_USER_MEMORY_MIB,
    hostInstances: variables.SERVICE_HOST_INSTANCES,
    hostMemoryMib: variables.SERVICE_HOST_MEMORY_MIB,
  };
}
