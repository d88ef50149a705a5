import type { ContainerUpdate } from "./schema.ts";

/** Settings for the points on which the API's documentation is ambiguous. */
export type ApiDialect = {
  /** The key of a memory limit in an update: the property list says `resources`, one example says `resource`. */
  readonly resourcesKey: "resources" | "resource";
  /** Whether `from` of a log counts records or pages. */
  readonly logFrom: "offset" | "page";
  /** The IANA time zone in which the service cuts its logs into days. */
  readonly logZone: string;
};

export type MemoryUpdate = { readonly container?: string | undefined; readonly mib: number };

/** The item of `containers` in the body of `updateService` that sets a memory limit. */
export function memoryUpdate(
  { resourcesKey }: Pick<ApiDialect, "resourcesKey">,
  update: MemoryUpdate,
): ContainerUpdate {
  const resources = { limits: { memory: update.mib } };
  const name = update.container === undefined ? {} : { name: update.container };
  return resourcesKey === "resources" ? { ...name, resources } : { ...name, resource: resources };
}
