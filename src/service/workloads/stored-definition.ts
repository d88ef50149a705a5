import { z } from "zod";
import { Refusal } from "../engine.ts";
import { Generations, Revision, type Revisions } from "./services/revisions.ts";
import type { ServiceRow } from "./state/tables.ts";
import { JobDefinition, MAX_ENTRIES, ServiceDefinition } from "./definitions.ts";
import { jsonIn } from "../../platform/optional.ts";

/** The saved revisions and older generations that count as current; undefined when they are damaged. */
export function parseRevisions(
  row: Pick<ServiceRow, "also_current" | "revisions">,
): { readonly alsoCurrent: Revision["generations"]; readonly revisions?: Revisions } | undefined {
  try {
    const alsoCurrent = Generations.parse(JSON.parse(row.also_current ?? "[]"));
    if (row.revisions === null) return { alsoCurrent };
    const [newest, ...earlier] = z.array(Revision.loose()).min(1).max(MAX_ENTRIES).parse(JSON.parse(row.revisions));
    return newest && { alsoCurrent, revisions: [newest, ...earlier] };
  } catch {
    return undefined;
  }
}

/** A saved definition, or the reason it can't be used. */
type Read<Definition> = { readonly definition: Definition } | { readonly reason: string };

export function parseSaved<Definition>(schema: z.ZodType<Definition>, json: string): Read<Definition> {
  const value = jsonIn(json);
  if (value === undefined) return { reason: "The saved definition isn't valid JSON." };
  const problem = problemOf(schema, value);
  return problem === undefined
    ? { definition: value as Definition /* as it is: unknown fields are kept */ }
    : { reason: `The saved definition can't be used: ${problem}.` };
}

/** Checks before saving, so that the definition can be loaded again. Throws a `Refusal` 400. */
export function ensureService(definition: ServiceDefinition): void {
  ensure(ServiceDefinition, definition);
}

export function ensureJob(definition: JobDefinition): void {
  ensure(JobDefinition, definition);
}

function ensure(schema: z.ZodType, definition: object): void {
  const problem = problemOf(schema, definition);
  if (problem !== undefined) throw new Refusal(400, `${problem}. Nothing was changed.`);
}

/** The first problem and its path, without the value, which may be a secret. */
function problemOf(schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  if (!issue) return undefined;
  const where = issue.path.join(".") || "the definition";
  if (issue.code !== "too_big") return `${where} is invalid (${issue.message})`;
  return `${where} must ${issue.origin === "array" ? "have at most" : "be at most"} ${issue.maximum}`;
}
