import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve, type ServeOptions } from "../../../src/service/api/serve.ts";
import type { Account } from "../../../src/service/api/users.ts";
import { DEADLINE_MS } from "../../support/until.ts";
import type { ServiceUnderTest } from "./world.ts";

export const regions = ["us", "beijing1"] as const;

export const accounts = {
  user1: { username: "dana", token: "dana-token-0123456789" },
  user2: { username: "alex", token: "alex-token-0123456789" },
  newcomer: { username: "kim", token: "kim-token-0123456789" },
} satisfies Readonly<Record<string, Account>>;

type Opened = Pick<ServeOptions, "engine" | "changes"> &
  Pick<ServiceUnderTest, "workloads" | "knows" | "close"> &
  Partial<ServiceUnderTest>;

/** The service over this engine, with the accounts of the contract. */
export function served({ engine, changes, ...own }: Opened): ServiceUnderTest {
  const users = Object.values(accounts);
  return {
    fetch: serve({ engine, users, checkAnswers: true, ...(changes && { changes }) }),
    ...accounts,
    regions,
    async reach(serviceUrl) {
      const response = await fetch(`http://${serviceUrl}/`, { headers: { connection: "close" } });
      return await response.text();
    },
    deadlineMs: DEADLINE_MS,
    ...own,
  };
}

/** On a folder of its own, which goes with it. */
export async function onFolder(open: (dataDir: string) => Promise<ServiceUnderTest>): Promise<ServiceUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-contract-"));
  const service = await open(dataDir);
  return {
    ...service,
    async close() {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
