import type { PlannedFault, SlackError } from "../faults/faults.ts";
import type { JsonObject } from "../json.ts";
import { errorBody, refusalOf, Refused } from "../rules/refusal.ts";
import type { Answered } from "../transcript.ts";
import { scopesIn, type World } from "../world.ts";

/** An answer to the bot, with the refusal that the transcript notes. */
export type Outcome = Answered & {
  readonly body: string;
  readonly contentType: string;
  readonly retryAfterSeconds?: number | undefined;
};

export function json(answer: JsonObject, status = 200): Outcome {
  const contentType = "application/json; charset=utf-8";
  return { answer, status, body: JSON.stringify(answer), contentType };
}

/** Rethrows other errors: they are bugs of the playground. */
export function refusedOutcome(error: unknown, status: number): Outcome {
  if (!(error instanceof Refused)) throw error;
  return { ...json(errorBody(error), status), refusal: refusalOf(error) };
}

/** A response_url answers 404 if it is spent, and 400 for a wrong body. */
export function responseUrlStatus(error: string): 400 | 404 {
  return ["invalid_url", "expired_url", "used_url"].includes(error) ? 404 : 400;
}

function slackError(world: World, kind: string, { error, needed, provided }: SlackError): Outcome {
  const scopes = needed === undefined ? {} : { needed, provided: provided ?? scopesIn(world).join(",") };
  return json({ ok: false, error, ...scopes }, kind === "response_url" ? responseUrlStatus(error) : 200);
}

/** The answer to a request with a planned fault. "lost" looks like a 500. */
export function faultOutcome(world: World, kind: string, { fault, retryAfterSeconds }: PlannedFault): Outcome {
  if (typeof fault === "object") return slackError(world, kind, fault);
  if (fault === "blocks") return slackError(world, kind, { error: "invalid_blocks" });
  if (fault === "429") return { ...json({ ok: false, error: "ratelimited" }, 429), retryAfterSeconds };
  if (fault === "garbage") {
    return { answer: "<html>", status: 200, body: "<html><body>Something is off", contentType: "text/html" };
  }
  return { answer: "", status: 500, body: "Internal Server Error", contentType: "text/plain" };
}

export function toResponse(world: World, outcome: Outcome): Response {
  const headers = new Headers({ "content-type": outcome.contentType, "x-oauth-scopes": scopesIn(world).join(",") });
  const { status = 500, retryAfterSeconds = world.faults.retryAfterSeconds } = outcome;
  if (status === 429) headers.set("retry-after", String(retryAfterSeconds));
  return new Response(outcome.body, { status, headers });
}
