import type { AckCase } from "./ack.ts";
import type { Options } from "./options.ts";
import { pickerPerson, preparePicker, typed } from "./picker.ts";
import type { GapCase } from "./refresh-gap.ts";
import type { MessageCase } from "./slash-to-message.ts";
import type { Stage } from "./stage.ts";
import type { ViewCase } from "./view-drawn.ts";

/** The targets of the project: p99 of the ack by the bare app's, by how many are sent at a time. */
const most = { 1: 1.25, 16: 1.15 } as const; // the numbers of those at a time
const mostOverSockets = { 1: 1.5, 16: 1.5 } as const; // the same
/** Answers in a second over Socket Mode, by a bare app that makes the same calls. */
const least = { 1: 0, 16: 0.8 } as const; // the same
/** Slash to message, by its two calls. */
export const MOST_MESSAGE_RATIO = 1.25;
/** Home with 2,000 services, and a form while its trigger lives: https://docs.slack.dev/surfaces/modals#opening */
const MOST_HOME_MS = 1_000;
const MOST_FORM_MS = 3_000;

const WARM_UP = 500;
const MESSAGES = 300;
const VIEWS = 100;

export function ackCases(
  { gantry, bare, bareAgain, working, overSockets }: Stage,
  options: Options,
): readonly AckCase[] {
  const { requests, rounds, repetitions } = options;
  const sizes = { requests, rounds, repetitions, warmUp: WARM_UP };
  const each = { kind: "command", texts: ["list"], subject: gantry, base: bare, ...sizes, stalled: false } as const;
  // Stored before its ack; it ends at the policy, since nobody in the bench could approve it.
  const fewer = { repetitions: Math.min(2, repetitions), requests: Math.min(100 * rounds, requests), warmUp: 100 };
  const typing = { kind: "suggestion", texts: typed, person: pickerPerson, prepare: preparePicker } as const;
  const some = { requests: Math.min(250 * rounds, requests), warmUp: 100 };
  const sockets = { ...each, subject: overSockets.gantry, base: overSockets.bare } as const;
  type Goals = { readonly most?: Record<1 | 16, number>; readonly least?: Record<1 | 16, number> };
  const rows: readonly (Omit<AckCase, "concurrency" | "most" | "least"> & Goals)[] = [
    { ...each, name: "noise", subject: bareAgain },
    { ...each, name: "list", most },
    { ...each, name: "list, API stalled", stalled: true, most },
    { ...sockets, name: "noise, Socket Mode", subject: overSockets.bareAgain },
    { ...sockets, name: "list, Socket Mode", most: mostOverSockets },
    { ...sockets, name: "list, Socket Mode, same work", base: overSockets.working, least },
    { ...each, name: "work after ack", subject: working },
    { ...each, name: "restart web, stored", texts: ["restart web"], ...fewer },
    { ...each, name: "picker, 2,000 names", ...typing, ...some },
  ];
  const cases = rows.flatMap(({ most, least, ...row }) =>
    ([1, 16] as const).map((concurrency) => ({
      ...row,
      concurrency,
      ...(most && { most: most[concurrency] }),
      ...(least && { least: least[concurrency] }),
    })),
  );
  return cases.filter(({ name }) => name.includes(options.only));
}

/** Slack warns about 10 s before it ends a connection, and in its troubles not at all. */
export function gapCases({ only }: Options): readonly GapCase[] {
  const cases = [
    { name: "refresh, announced 2 s before", warnMs: 2_000, times: 3 },
    { name: "refresh, announced 200 ms before", warnMs: 200, times: 3 },
  ];
  return cases.filter(({ name }) => name.includes(only));
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

export function viewCases({ gantry, working }: Stage, options: Options): readonly ViewCase[] {
  const each = { subject: gantry, base: working, times: VIEWS, warmUp: 20 };
  const network = { apiLatencyMs: 20, slackLatencyMs: 30, services: 2_000, stalled: false };
  const home = { ...each, ...network, does: { kind: "home" }, shows: "2,000 workloads", mostMs: MOST_HOME_MS } as const;
  const stalled = { ...each, apiLatencyMs: 0, slackLatencyMs: 0, services: 12, stalled: true, mostMs: MOST_FORM_MS };
  // Each of them is somebody else, and the bot looks at no more than 100 people in a minute.
  const people = { times: 80, warmUp: 10 };
  const cases: readonly ViewCase[] = [
    { ...home, ...people, name: "Home, 2,000 services, API 20 ms, Slack 30 ms" },
    { ...stalled, name: "form of scale, API stalled", does: { kind: "words", text: "scale" }, shows: "form:scale" },
    {
      ...stalled,
      name: "form of scale web, API stalled",
      does: { kind: "words", text: "scale web" },
      shows: "Loading web",
    },
  ];
  return cases.filter(({ name }) => name.includes(options.only));
}
