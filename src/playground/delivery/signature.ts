import { createHmac } from "node:crypto";

/**
 * The headers that prove a request comes from Slack, signed `ageSeconds` ago.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function signedHeaders(signingSecret: string, body: string, ageSeconds: number): Record<string, string> {
  // Wall time, not the playground's clock: the bot checks it against its own, five minutes either way.
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}
