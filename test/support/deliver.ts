import { createHmac } from "node:crypto";
import type { World } from "./world.ts";

/** A form as Slack sends it: a slash command, or a payload of another kind. */
export function form(fields: Readonly<Record<string, string>>): string {
  const base = {
    team_id: "T0GANTRY",
    user_id: "U0DANA",
    channel_id: "C0OPS",
    response_url: "http://127.0.0.1:9/gone",
    trigger_id: "9.9",
  };
  return new URLSearchParams("payload" in fields ? fields : { ...base, ...fields }).toString();
}

type Delivered = { readonly status: number; readonly text: string };

/** Signs and posts what the simulated Slack has no hand for. */
export async function deliver(
  town: Pick<World, "signingSecret" | "botUrl">,
  { body, type = "application/x-www-form-urlencoded" }: { readonly body: string; readonly type?: string },
): Promise<Delivered> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac("sha256", town.signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  const response = await fetch(`${town.botUrl()}/slack/events`, {
    method: "POST",
    headers: { "content-type": type, "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${digest}` },
    body,
  });
  return { status: response.status, text: await response.text() };
}
