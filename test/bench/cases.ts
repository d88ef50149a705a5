import type { AckCase } from "./ack.ts";
import type { Options } from "./options.ts";
import type { MessageCase } from "./slash-to-message.ts";
import type { Stage } from "./stage.ts";

/** The targets of the project: p99 of the ack by the bare app's, and slash to message by its two calls. */
export const MOST_ACK_RATIO = 1.25;
export const MOST_MESSAGE_RATIO = 1.25;

const WARM_UP = 500;
const MESSAGES = 300;

export function ackCases({ gantry, bare, bareAgain, working }: Stage, options: Options): readonly AckCase[] {
  const { requests, rounds, repetitions } = options;
  const sizes = { requests, rounds, repetitions, warmUp: WARM_UP };
  const each = { text: "list", subject: gantry, base: bare, ...sizes, stalled: false };
  // Stored before its ack; it ends at the policy, since nobody in the bench could approve it.
  const fewer = { repetitions: Math.min(2, repetitions), requests: Math.min(100 * rounds, requests), warmUp: 100 };
  const rows: readonly Omit<AckCase, "concurrency">[] = [
    { ...each, name: "noise", subject: bareAgain, isTarget: false },
    { ...each, name: "list", isTarget: true },
    { ...each, name: "list, API stalled", stalled: true, isTarget: true },
    { ...each, name: "work after ack", subject: working, isTarget: false },
    { ...each, name: "restart web, stored", text: "restart web", ...fewer, isTarget: false },
  ];
  const cases = rows.flatMap((row) => [1, 16].map((concurrency) => ({ ...row, concurrency })));
  return cases.filter(({ name }) => name.includes(options.only));
}

export function messageCases({ gantry, working }: Stage, options: Options): readonly MessageCase[] {
  const each = { commands: MESSAGES, warmUp: 50, apiLatencyMs: 0, slackLatencyMs: 0, isTarget: false };
  const network = { apiLatencyMs: 20, slackLatencyMs: 30 };
  const cases: readonly MessageCase[] = [
    { ...each, name: "message, API 20 ms, Slack 30 ms", subject: gantry, ...network, isTarget: true },
    { ...each, name: "message, no latency", subject: gantry },
    { ...each, name: "message, no latency, bare app that works", subject: working },
  ];
  return cases.filter(({ name }) => name.includes(options.only));
}
