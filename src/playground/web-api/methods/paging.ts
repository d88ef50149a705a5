import { type JsonObject, textOf } from "../../json.ts";
import { refuse, Refused } from "../../rules/refusal.ts";

// "Must be an integer under 1000": https://docs.slack.dev/reference/methods/conversations.list
const largestPage = 999;

/** One page of a list, with the cursor of the next: https://docs.slack.dev/apis/web-api/pagination */
export function page<T>(items: readonly T[], args: JsonObject): { items: readonly T[]; response_metadata: JsonObject } {
  const limit = args["limit"] ?? 100;
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > largestPage) {
    const message = `limit must be at least 1 and < 1000, not ${JSON.stringify(limit)}`;
    throw new Refused("invalid_limit", [{ rule: "list.page", at: "/limit", message }]);
  }
  const cursor = textOf(args["cursor"]);
  const start = cursor === "" ? 0 : Number(Buffer.from(cursor, "base64url").toString());
  if (!Number.isInteger(start) || start < 0 || start > items.length)
    refuse("invalid_cursor", "list.page", "unknown cursor");
  const end = start + limit;
  const next = end < items.length ? Buffer.from(String(end)).toString("base64url") : "";
  return { items: items.slice(start, end), response_metadata: { next_cursor: next } };
}
