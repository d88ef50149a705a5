import { z } from "zod";
import type { Answer as Posted, Post } from "../../../platform/http/send.ts";
import type { Block } from "../../views/kit/blocks.ts";
import { sentAgain } from "../../views/kit/post.ts";
import { classify, type FailureKind, kindOf, LATE, type SlackFailure } from "./slack-error.ts";

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
export type ResponseBody = {
  readonly text: string;
  readonly blocks?: readonly Block[];
  readonly response_type: "ephemeral" | "in_channel";
  readonly replace_original: boolean;
  /** Only for a message to everybody that replaces nothing. */
  readonly thread_ts?: string;
};

/** Why a response_url didn't take a message. */
export type Refused = Pick<SlackFailure, "kind" | "code" | "mayBeDone">;

/**
 * Bolt's own `respond` has neither a time limit nor a retry. A long timeout, because a retry after a slow success posts
 * twice.
 */
export const ANSWER_WITHIN_MS = 12_000;
const RETRY_AFTER_MS = [250, 1_000];
const LONGEST_RETRY_AFTER_MS = 3_000;
/** Slack answers with one word; anything longer comes from a proxy. */
const LONGEST_CODE = 200;

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
    if (attempt === undefined || !retried.has(attempt.kind) || attempt.code === LATE) break;
    const { mayBeDone } = attempt;
    await wait(Math.max(ms, attempt.retryAfterMs ?? 0));
    attempt = await postOnce(url, mayBeDone ? againOf(body) : body, post);
    if (attempt !== undefined && mayBeDone) attempt = { ...attempt, mayBeDone };
  }
  return attempt;
}

const retried: ReadonlySet<FailureKind> = new Set(["limited", "unsure"]);

/** What replaces a message is there once, however often it is sent. */
function againOf(body: ResponseBody): ResponseBody {
  return body.replace_original ? body : { ...body, ...sentAgain({ text: body.text, blocks: body.blocks ?? [] }) };
}

type Attempt = (Refused & { readonly retryAfterMs?: number | undefined }) | undefined;

async function postOnce(url: string, body: ResponseBody, post: Post): Promise<Attempt> {
  try {
    return read(await post(url, { json: JSON.stringify(body), withinMs: ANSWER_WITHIN_MS }));
  } catch (error) {
    return classify(error);
  }
}

function read({ status, text, headers }: Posted): Attempt {
  const error = errorIn(text);
  if (status >= 200 && status < 300 && error === undefined) {
    const isPage = headers.get("content-type")?.includes("text/html") === true;
    return isPage ? { kind: "unsure", code: "a web page instead of an answer", mayBeDone: true } : undefined;
  }
  const code = (error ?? `status ${status}`).slice(0, LONGEST_CODE);
  const retryAfter = { retryAfterMs: retryAfterMs(headers.get("retry-after") ?? "") };
  if (status === 429) return { kind: "limited", code, mayBeDone: false, ...retryAfter };
  // Slack redirects nobody: a proxy did.
  const isRedirect = status >= 300 && status < 400;
  if (status >= 500 || isRedirect) return { kind: "unsure", code, mayBeDone: !isRedirect, ...retryAfter };
  if (status === 404) return { kind: "gone", code, mayBeDone: false };
  // Slack documents no codes for response_urls: one we don't know may be about the blocks.
  const kind = kindOf(code);
  return { kind: kind === "unknown" ? "content" : kind, code, mayBeDone: kind === "unsure" };
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
