import type { Arrived } from "./killing-proxy.ts";
import type { CallName } from "./points.ts";

/** What a request to Slack is for. */
export function slackCall({ request, body }: Arrived): CallName | undefined {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/response/")) return "slack: response_url";
  switch (pathname) {
    case "/api/users.info":
      return "slack: users.info";
    case "/api/conversations.members":
      return "slack: conversations.members";
    case "/api/chat.update":
      return "slack: update the card";
    case "/api/chat.postMessage":
      return new URLSearchParams(body).has("thread_ts") ? "slack: post in the thread" : "slack: post the card";
    case "/api/views.open":
      return "slack: views.open";
    case "/api/views.update":
      return "slack: views.update";
    default:
      return undefined;
  }
}
