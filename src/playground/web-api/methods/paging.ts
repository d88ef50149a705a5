import { type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/refusal.ts";

const largestPage = 1000;

/** One page of a list, with the cursor of the next: https://docs.slack.dev/apis/web-api/pagination */
export function page<T>(items: readonly T[], args: JsonObject): { items: readonly T[]; response_metadata: JsonObject } {
  const limit = args["limit"] ?? 100;
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > largestPage) {
    refuse("invalid_limit", "list.page", `limit is ${JSON.stringify(limit)}`);
  }
  const cursor = textOf(args["cursor"]);
  const start = cursor === "" ? 0 : Number(Buffer.from(cursor, "base64url").toString());
  if (!Number.isInteger(start) || start < 0 || start > items.length)
    refuse("invalid_cursor", "list.page", "unknown cursor");
  const end = start + limit;
  const next = end < items.length ? Buffer.from(String(end)).toString("base64url") : "";
  return { items: items.slice(start, end), response_metadata: { next_cursor: next } };
}
