import type { Service } from "../../../../api/answers.ts";
import { type JudgedRevision, judgedRevisions } from "../../../changes/revisions.ts";
import type { VerbContext } from "../../command.ts";

/** Enough rows of history to hold who made the revisions that are kept. */
const LOOKED_AT = 100;

/** The revisions of a service, judged with the requests for it that ran or were decided. */
export async function judgedBy(
  service: Service,
  { records, region, account: { username: account } }: Pick<VerbContext, "records" | "region" | "account">,
): Promise<readonly JudgedRevision[]> {
  const { name, revisions = [] } = service;
  if (revisions.length === 0) return [];
  const { events } = await records.history({ workload: { name, account }, show: "outcomes", limit: LOOKED_AT });
  const requests = events.flatMap(({ workload, request }) =>
    request !== undefined && workload?.kind === "service" && workload.region === region ? [request] : [],
  );
  return judgedRevisions(service, requests);
}
