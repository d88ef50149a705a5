import { createHmac } from "node:crypto";

/** Shared by the load and by both apps. */
export const signingSecret = "bench-signing-secret";

export type SlashCommand = { readonly text: string; readonly responseUrl: string; readonly id: string };

export type Signed = { readonly body: string; readonly headers: Readonly<Record<string, string | number>> };

/** One slash command as Slack sends it; `id` makes its trigger_id, which no other command of the run may have. */
export function signedCommand({ text, responseUrl, id }: SlashCommand): Signed {
  const body = new URLSearchParams({
    token: "legacy",
    team_id: "T0BENCH",
    team_domain: "bench",
    channel_id: "C0BENCH",
    channel_name: "deploys",
    user_id: "U0BENCH",
    user_name: "bench",
    command: "/gantry",
    text,
    api_app_id: "A0BENCH",
    is_enterprise_install: "false",
    response_url: responseUrl,
    trigger_id: `1.${id}`,
  }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000));
  // https://docs.slack.dev/authentication/verifying-requests-from-slack
  const digest = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    body,
    headers: {
      // Exactly this: Bolt refuses it with a charset.
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${digest}`,
    },
  };
}
