import type { Measure } from "../../../platform/trail.ts";
import type { Network } from "../../../platform/http/network.ts";
import { answerTo, type Send } from "../../../platform/http/send.ts";
import { isPartId, type StoredChange } from "../../changes/stored-change.ts";
import { REDACTED } from "../../logs/known-tokens.ts";
import type { LogPool } from "../../logs/threads/log-pool.ts";
import type { Store } from "../../store/store.ts";
import { lifecycle, type StepName } from "../../workflow/lifecycle.ts";
import { type ChangeMove, slackMethodOf, slackStatus } from "./labels.ts";
import type { Metrics } from "./metrics.ts";
import type { Observer } from "./observer.ts";

// The parts of the bot that send, store and redact, with somebody who looks on.

/** Neither a statement, nor to be measured. */
const unmeasured: ReadonlySet<string> = new Set(["isOpen", "close", "onDue"]);

/** The store, with each of its functions measured, and requests counted as they move on. */
export function measuredStore(store: Store, { measure, metrics }: Pick<Observer, "measure" | "metrics">): Store {
  const status = (ended: object): string => ("error" in ended ? "failed" : "ok");
  const measured = Object.fromEntries(
    Object.entries(store).map(([name, value]: [string, unknown]) => {
      if (typeof value !== "function" || unmeasured.has(name)) return [name, value];
      const run = (...args: unknown[]): Promise<unknown> =>
        measure({ to: "store", name }, () => Promise.resolve(Reflect.apply(value, store, args)), status);
      return [name, run];
    }),
  ) as Store; // the same names, each with the type it had
  if (metrics === undefined) return measured;
  return {
    ...measured,
    async insertChange(change, event) {
      const stored = await measured.insertChange(change, event);
      // Otherwise it is an earlier one.
      if (stored === "taken" || "unanswered" in stored || stored.change.id !== change.id) return stored;
      metrics.changed("requested");
      if (stored.change.state === "approved") metrics.changed("approved");
      return stored;
    },
    async advance(id, step, event) {
      const advanced = await measured.advance(id, step, event);
      if (advanced.kind === "moved" && !isPartId(advanced.change.id)) countMove(metrics, step.name, advanced.change);
      return advanced;
    },
  };
}

/** Steps that leave a request in the state in which it was aren't counted. */
const moves: Readonly<Partial<Record<StepName, ChangeMove>>> = {
  askAgain: "returned",
  reject: "rejected",
  cancel: "cancelled",
  expire: "expired",
  drift: "drifted",
  refuse: "failed",
  claim: "sent",
  doubt: "doubted",
  succeed: "done",
  fail: "failed",
  giveUp: "unknown",
};

function countMove({ changed, ran }: Metrics, name: StepName, change: StoredChange): void {
  const move = name === "approve" && change.state === "approved" ? "approved" : moves[name];
  if (move === undefined) return;
  changed(move);
  const { claimedAt, settledAt } = change;
  const { to } = lifecycle[name];
  const isEnd = to === "done" || to === "failed" || to === "unknown";
  if (isEnd && claimedAt !== undefined && settledAt !== undefined)
    ran(to, (settledAt.getTime() - claimedAt.getTime()) / 1_000);
}

/** The network to Slack, with each call measured by its method and Slack's own answer. */
export function measuredNetwork(network: Network, measure: Measure): Network {
  const send: Send = async (url, outgoing) => {
    const { text, ...answer } = await measure(
      { to: "slack", name: slackMethodOf(url) },
      // Slack refuses with 200: only the body says it.
      () => answerTo(network.send, url, outgoing),
      answered,
    );
    const parts = [Buffer.from(text)];
    return { ...answer, read: () => Promise.resolve(parts.shift()), end: () => undefined };
  };
  return {
    ...network,
    send,
    post: (url, posting) => measure({ to: "slack", name: "response_url" }, () => network.post(url, posting), answered),
    async fetch(input, init) {
      const url = input instanceof Request ? input.url : String(input);
      const asked = async () => {
        const answer = await network.fetch(input, init);
        const { status, statusText, headers } = answer;
        if (status !== 200) return { response: answer, status, text: "" };
        // Slack refuses with 200: only the body says it.
        const text = await answer.text();
        return { response: new Response(text, { status, statusText, headers }), status, text };
      };
      return (await measure({ to: "slack", name: slackMethodOf(url) }, asked, answered)).response;
    },
  };
}

type Answered = { readonly value: { readonly status: number; readonly text: string } } | { readonly error: unknown };

function answered(ended: Answered): string {
  return "error" in ended ? "unsure" : slackStatus(ended.value.status, ended.value.text);
}

/** Redacted pages of logs, with what was removed counted. */
export function measuredLogs(logs: LogPool, redacted: Metrics["redacted"]): LogPool {
  const count = (lines: readonly string[]): void => {
    const secrets = lines.reduce((sum, line) => sum + line.split(REDACTED).length - 1, 0);
    if (secrets > 0) redacted(secrets);
  };
  return {
    ...logs,
    async excerpt(request, asked) {
      const excerpt = await logs.excerpt(request, asked);
      count(excerpt.lines.map(({ text }) => text));
      return excerpt;
    },
    async redact(written, asked) {
      const lines = await logs.redact(written, asked);
      count(lines);
      return lines;
    },
  };
}
