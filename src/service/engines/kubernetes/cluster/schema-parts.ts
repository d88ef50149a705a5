import { z } from "zod";

/** Null means absent. */
export function maybe<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
}

export function listOf<T extends z.ZodType>(schema: T) {
  return z
    .array(schema)
    .nullish()
    .transform((value) => value ?? []);
}

export const texts = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value): Readonly<Record<string, string>> => value ?? {});

/** The largest annotation by far; nobody reads it here, but that it is there tells that the object has annotations. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

export const annotations = texts.transform((all) => {
  return LAST_APPLIED in all ? { ...all, [LAST_APPLIED]: "" } : all;
});

export const Metadata = z.object({
  name: z.string(),
  namespace: z.string().default(""),
  uid: z.string(),
  resourceVersion: z.string(),
  generation: maybe(z.number()),
  creationTimestamp: z.string(),
  deletionTimestamp: maybe(z.string()),
  labels: texts,
  annotations,
  ownerReferences: listOf(
    z.object({ kind: z.string(), name: z.string(), uid: z.string(), controller: maybe(z.boolean()) }),
  ),
});
