import type { JsonObject } from "../../json.ts";

/** Blocks of one message or view. */
export type Sample = {
  readonly title: string;
  readonly surface: "message" | "modal";
  readonly blocks: readonly JsonObject[];
  /**
   * Slack would refuse it: it shows that the page still draws something. All other samples pass the workspace's own
   * checks.
   */
  readonly isRefused?: true;
  /** Errors of a submission, by block_id. */
  readonly errors?: Readonly<Record<string, string>>;
};

export type SampleGroup = { readonly name: string; readonly samples: readonly Sample[] };

export const plain = (text: string): JsonObject => ({ type: "plain_text", text });
export const mrkdwn = (text: string): JsonObject => ({ type: "mrkdwn", text });

export const message = (title: string, ...blocks: readonly JsonObject[]): Sample => ({
  title,
  surface: "message",
  blocks,
});
export const modal = (title: string, ...blocks: readonly JsonObject[]): Sample => ({ title, surface: "modal", blocks });

export const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

const name = "checkout-payments-worker-eu-central-1-canary-with-a-name-that-never-ends-";

/** Text of exactly this length without a space: the worst case for a line. */
export const unbroken = (length: number): string => name.repeat(Math.ceil(length / name.length)).slice(0, length);

const words = "The workload runs again after two restarts, and memory stays below its limit. ";

/** Sentences of exactly this length in total. */
export const prose = (length: number): string =>
  words
    .repeat(Math.ceil(length / words.length))
    .slice(0, length)
    .replace(/.$/, "!");

export const option = (text: string, value = text.slice(0, 75)): JsonObject => ({ text: plain(text), value });

/** Options of the maximum length. */
export const longOptions = (count: number): readonly JsonObject[] =>
  times(count, (at) => ({
    text: plain(`${at + 1} ${unbroken(70)}`.slice(0, 75)),
    value: `${at}`,
    description: plain(prose(75)),
  }));

export const section = (more: JsonObject): JsonObject => ({ type: "section", ...more });
export const actions = (...elements: readonly JsonObject[]): JsonObject => ({ type: "actions", elements });
export const beside = (text: string, accessory: JsonObject): JsonObject => section({ text: mrkdwn(text), accessory });
export const input = (label: string, element: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "input",
  label: plain(label),
  element,
  ...more,
});
export const button = (text: string, more: JsonObject = {}): JsonObject => ({
  type: "button",
  text: plain(text),
  ...more,
});
