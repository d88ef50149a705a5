import { createHash, timingSafeEqual } from "node:crypto";
import type { User } from "../engine.ts";
import { NotServed } from "./not-served.ts";
import type { Account } from "./users.ts";

/**
 * Reads the user from the headers `username` and `Authorization: token <API_TOKEN>`, or refuses with 401. Only hashes
 * are kept. An unknown name is compared like a known one, so neither the sentence nor the response time reveals which
 * of the two was wrong.
 */
export function authenticator(accounts: readonly Account[]): (headers: Headers) => User {
  const hashes = new Map(accounts.map(({ username, token }) => [username, hash(token)]));
  const unknown = hash("");
  return (headers) => {
    const username = headers.get("username") ?? "";
    const token = /^token +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1] ?? "";
    const matches = timingSafeEqual(hash(token), hashes.get(username) ?? unknown);
    if (!matches || token === "" || !hashes.has(username)) throw refusal();
    return { username };
  };
}

function refusal(): NotServed {
  return new NotServed(
    401,
    "the user name or the token is missing, unknown or expired: " +
      "send the headers `username: <USER_NAME>` and `Authorization: token <API_TOKEN>`",
    { headers: { "WWW-Authenticate": 'token realm="workloads"' } }, // RFC 9110 §15.5.2: a 401 names its scheme
  );
}

/** timingSafeEqual needs equal lengths, which hashes have and tokens don't. */
function hash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
