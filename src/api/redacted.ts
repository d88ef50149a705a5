import { z } from "zod";

declare const passed: unique symbol;

/**
 * Text from outside that has passed redaction: only `bot/logs/redact.ts` and the guard over the API make it. What is drawn,
 * stored and exported takes no other, so that no path can forget.
 */
export type Redacted = string & { readonly [passed]: true };

/** Such a text as it was stored. */
export const Redacted = z.custom<Redacted>((text) => typeof text === "string");

/** Fields in which the workload API says something in words; a test compares them with its document. */
export const inWords = [
  "message",
  "reason",
  "last_reason",
  "events_not_read",
  "not_read",
  "object",
  "problem",
] as const; // literal names
/** What a person typed, or names: values of variables are shown by nobody, and a name isn't changed. */
export const notInWords = ["containers", "spec", "metadata", "env"] as const; // literal names

/** An answer of the API whose words are redacted. */
export type Guarded<Answer> = Answer extends object
  ? {
      [Key in keyof Answer]: Key extends (typeof inWords)[number]
        ? Redacted | Exclude<Answer[Key], string>
        : Key extends (typeof notInWords)[number]
          ? Answer[Key]
          : Guarded<Answer[Key]>;
    }
  : Answer;
