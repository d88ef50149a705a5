import { createHmac } from "node:crypto";

/** Shared by the load and by both apps. */
export const signingSecret = "bench-signing-secret";

export type Signed = { readonly body: string; readonly headers: Readonly<Record<string, string | number>> };

/** As Slack signs what it delivers: https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function signed(body: string, contentType: "application/x-www-form-urlencoded" | "application/json"): Signed {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const digest = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    body,
    headers: {
      // Exactly this: Bolt refuses it with a charset.
      "content-type": contentType,
      "content-length": Buffer.byteLength(body),
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${digest}`,
    },
  };
}
