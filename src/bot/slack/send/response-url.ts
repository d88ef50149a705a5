import { z } from "zod";
import type { Answer as Posted, Post } from "../../../platform/http/send.ts";
import type { Block } from "../../views/kit/blocks.ts";
import { type FailureKind, kindOf } from "./slack-error.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
export type ResponseBody = {
  readonly text: string;
  readonly blocks?: readonly Block[];
  readonly response_type: "ephemeral" | "in_channel";
  readonly replace_original: boolean;
  /** Only for a message to everybody that replaces nothing. */
  readonly thread_ts?: string;
};

/** Why a response_url didn't take a message; `unsure` also when Slack was away until the last retry. */
export type Refused = { readonly kind: FailureKind; readonly why: string };

/**
 * Bolt's own `respond` has neither a time limit nor a retry. A long timeout, because a retry after a slow success posts
 * twice.
 */
export const ANSWER_WITHIN_MS = 12_000;
const RETRY_AFTER_MS = [250, 1_000];
const LONGEST_RETRY_AFTER_MS = 3_000;
/** Slack answers with one word; anything longer comes from a proxy. */
const LONGEST_WHY = 200;

const Answer = z.object({ ok: z.boolean().optional(), error: z.string().optional() });

/** Posts to a response_url, at most three times. Resolves to undefined when Slack took it. Never rejects. */
export async function reply(
  url: string,
  body: ResponseBody,
  { post, wait }: { readonly post: Post; readonly wait: (ms: number) => Promise<void> },
): Promise<Refused | undefined> {
  let attempt = await postOnce(url, body, post);
  for (const ms of RETRY_AFTER_MS) {
    // A late answer may still have been posted; a retry would post it twice.
    if (attempt === undefined || attempt.kind !== "unsure" || attempt.isLate === true) return attempt;
    await wait(Math.max(ms, attempt.retryAfterMs ?? 0));
    attempt = await postOnce(url, body, post);
  }
  return attempt;
}

type Attempt = (Refused & { readonly retryAfterMs?: number; readonly isLate?: boolean }) | undefined;

async function postOnce(url: string, body: ResponseBody, post: Post): Promise<Attempt> {
  try {
    return classify(await post(url, { json: JSON.stringify(body), withinMs: ANSWER_WITHIN_MS }));
  } catch (error) {
    const why = error instanceof Error ? error.name : "no answer";
    return { kind: "unsure", why, isLate: why === "TimeoutError" };
  }
}

function classify({ status, text, headers }: Posted): Attempt {
  const error = errorIn(text);
  if (status >= 200 && status < 300 && error === undefined) {
    const isPage = headers.get("content-type")?.includes("text/html") === true;
    return isPage ? { kind: "unsure", why: "a web page instead of an answer" } : undefined;
  }
  const why = (error ?? `status ${status}`).slice(0, LONGEST_WHY);
  if (status === 429 || status >= 500 || (status >= 300 && status < 400)) {
    // Slack redirects nobody: a proxy did.
    return { kind: "unsure", why, retryAfterMs: retryAfterMs(headers.get("retry-after") ?? "") };
  }
  if (status === 404) return { kind: "gone", why };
  // Slack documents no codes for response_urls: one we don't know may be about the blocks.
  const kind = kindOf(why);
  return { kind: kind === "unknown" ? "content" : kind, why };
}

function retryAfterMs(seconds: string): number {
  const ms = Number(seconds) * 1_000;
  return ms > 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : 0;
}

/** Slack's error, which comes as JSON or as a bare word; undefined for `ok`. */
function errorIn(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "ok") return undefined;
  if (/^[a-z_]{3,60}$/u.test(trimmed)) return trimmed;
  try {
    const { ok, error } = Answer.parse(JSON.parse(trimmed));
    return ok === false ? (error ?? "not ok") : undefined;
  } catch {
    return undefined;
  }
}
