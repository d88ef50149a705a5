import type { Account } from "../../../src/service/api/users.ts";

export const regions = ["us", "beijing1"] as const;

export const accounts = {
  user1: { username: "dana", token: "dana-token-0123456789" },
  user2: { username: "alex", token: "alex-token-0123456789" },
  newcomer: { username: "kim", token: "kim-token-0123456789" },
} satisfies Readonly<Record<string, Account>>;
