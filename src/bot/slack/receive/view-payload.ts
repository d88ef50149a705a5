import { z } from "zod";
import { StateValues } from "../../views/forms/form-values.ts";

/** A view as each interaction in it carries it: https://docs.slack.dev/reference/interaction-payloads */
export const CarriedView = z.object({
  id: z.string().default(""),
  hash: z.string().optional(),
  type: z.string().optional(),
  callback_id: z.string().default(""),
  private_metadata: z.string().default(""),
  state: z.object({ values: StateValues }).default({ values: {} }),
});
export type CarriedView = z.infer<typeof CarriedView>;

/** JSON that Slack carried for us; undefined for any other text. */
export function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
