import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newKey } from "../../src/bot/accounts/seal.ts";
import { openDatabases } from "../kill/databases.ts";
import { openRecords, type Records } from "../kill/records.ts";
import { count, type Ledger } from "./ledger.ts";
import type { Options } from "./options.ts";
import { type LogLine, type Replica, startReplica } from "./replica.ts";
import { openService, type Service } from "./service.ts";
import { openSlack, type Slack } from "./slack.ts";

/** A workspace, a workload API, a database, and the replicas between them as they are deployed. */
export type Stage = Pick<Slack, "playground" | "network" | "refreshLinks"> & {
  readonly service: Service;
  readonly replicas: readonly Replica[];
  readonly records: Records;
  /** A line for whoever watches the soak. */
  readonly note: (line: string) => void;
  readonly close: () => Promise<void>;
};

/** What is free needs nobody, what is kept needs an approval. */
const policy = `
rules:
  - name: read access
    who: members
    does: read
    then: allow
  - name: routine changes
    who: members
    does: routine
    then: allow
  - name: free
    who: members
    does: disruptive
    workloads: { name: free-* }
    then: allow
  - name: kept
    who: members
    does: disruptive
    then: { approve: { votes: 1, from: channel-members, expires: 1h } }
`;

type StageOptions = Pick<Options, "transport" | "repeats"> & {
  readonly ledger: Ledger;
  readonly note: (line: string) => void;
};

/** What was opened, in order. */
type Closers = (() => Promise<unknown> | void)[];

export async function openStage(options: StageOptions): Promise<Stage> {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (const each of closers.toReversed()) await each();
  };
  try {
    return { ...(await open(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(options: StageOptions, closers: Closers): Promise<Omit<Stage, "close">> {
  const { ledger, note } = options;
  const dir = mkdtempSync(join(tmpdir(), "gantry-soak-"));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "policy.yaml"), policy);
  const databases = await openDatabases("postgres");
  closers.push(databases.close);
  const database = await databases.next();
  const service = await openService();
  closers.push(service.close);
  const replicas: Replica[] = [];
  const ports = (): readonly number[] => replicas.flatMap((replica) => replica.port() ?? []);
  const { env, playground, network, refreshLinks, close } = await openSlack({ ...options, ports });
  closers.push(close);
  const common = {
    ...env,
    WORKLOAD_API_URL: service.url,
    WORKLOAD_API_USERNAME: service.account.username,
    WORKLOAD_API_TOKEN: service.account.token,
    WORKLOAD_REGIONS: "beijing1",
    GANTRY_POLICY: join(dir, "policy.yaml"),
    GANTRY_KEYS: newKey(),
    GANTRY_DATA: database.kind === "sqlite" ? database.dataDir : dir,
    ...(database.kind === "postgres" && { DATABASE_URL: database.url }),
  };
  for (let number = 1; number <= databases.replicas; number += 1) {
    const replica = await startReplica({ name: `replica ${number}`, env: common, onLog: countingErrors(ledger) });
    replicas.push(replica);
    closers.push(replica.close);
  }
  const records = openRecords(database);
  closers.push(records.close);
  return { playground, network, refreshLinks, service, replicas, records, note };
}

/** Of pino: https://getpino.io/#/docs/api?id=logger-level */
const ERROR = 50;
const LONGEST = 100;

function countingErrors({ errors }: Ledger): (line: LogLine) => void {
  return ({ level, msg, line }) => {
    // A crash prints its stack.
    if (level >= ERROR || /^\w*Error\b/u.test(line)) count(errors, (msg === "" ? line : msg).slice(0, LONGEST));
  };
}
