import { createHmac } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { Network } from "../../../platform/http/network.ts";
import { FORMAT } from "../../audit/file-format.ts";
import type { AuditBatch } from "../../store/audit/receivers.ts";
import type { Store } from "../../store/store.ts";
import { type DueWork, LeaseLost } from "../../workflow/due.ts";
import type { AuditSettings } from "../config.ts";

/** Who gets every event of history, in order and at least once. */
export type AuditReceiver = {
  /** Names its position in the database. */
  readonly name: string;
  /** Rejects with a reason for the log when the batch has to be sent again. */
  readonly send: (batch: AuditBatch, signal: AbortSignal) => Promise<void>;
};

/** As `docs/audit.md` says it. */
const AT_MOST = 100;
const ANSWER_WITHIN_MS = 10_000;

type Deps = {
  readonly store: Pick<Store, "auditBatch" | "auditDelivered" | "auditFailed">;
  readonly receivers: readonly AuditReceiver[];
  readonly log: Logger;
};

/** Hands events over beside everything else: nobody waits for a receiver. */
export function createHandingOver({ store, receivers, log }: Deps): {
  readonly work: DueWork;
  readonly stop: () => void;
} {
  const stopping = new AbortController();
  const work: DueWork = async (due, signal) => {
    const receiver = receivers.find(({ name }) => name === due.key);
    // It isn't configured any more.
    if (receiver === undefined) return "done";
    const { name, send } = receiver;
    const failures = due.attempts - 1;
    const batch = await store.auditBatch(name, AT_MOST);
    if (batch === undefined) return "done";
    try {
      await send(batch, AbortSignal.any([signal, stopping.signal]));
    } catch (error) {
      // A stop is no failure: another replica sends it.
      if (signal.aborted || stopping.signal.aborted) return { ms: 0, isFailure: failures > 0 };
      const reason = error instanceof Error ? error.message : String(error);
      if (failures === 0) log.warn({ receiver: name, reason }, "history isn't taken; it is sent again until it is");
      await store.auditFailed(name);
      return "retry";
    }
    if (!(await store.auditDelivered(due, batch.last))) throw new LeaseLost();
    if (failures > 0) log.info({ receiver: name, failures }, "history is taken again");
    return { ms: 0 };
  };
  return { work, stop: () => stopping.abort() };
}

type Parts = {
  readonly fetch: Network["fetch"];
  readonly clock: Pick<Clock, "limit" | "now">;
  readonly print?: (text: string) => Promise<void>;
};

/** Those that the settings ask for. */
export function auditReceivers(
  { webhook, toStdout }: AuditSettings,
  { fetch, clock, print = printed }: Parts,
): readonly AuditReceiver[] {
  return [
    ...(webhook === undefined ? [] : [webhookReceiver(webhook, fetch, clock)]),
    ...(toStdout
      ? [{ name: "stdout", send: ({ lines }: AuditBatch) => print(lines.map((line) => `${line}\n`).join("")) }]
      : []),
  ];
}

/** Resolves when the system has taken it. */
function printed(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  return promise;
}

/** Signed as https://www.standardwebhooks.com asks: many languages have a library that checks it. */
function webhookReceiver(
  { url, secret }: NonNullable<AuditSettings["webhook"]>,
  fetch: Network["fetch"],
  clock: Pick<Clock, "limit" | "now">,
): AuditReceiver {
  return {
    name: "webhook",
    async send({ id, chain, lines }, signal) {
      const body = `{"type":"gantry.audit.events","version":${FORMAT},"chain":${JSON.stringify(chain)},"events":[${lines.join(",")}]}`;
      const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
      const response = await fetch(url, {
        method: "POST",
        // Elsewhere nobody has the secret.
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": signatureOf(secret, [id, timestamp, body]),
        },
        body,
        signal: AbortSignal.any([signal, clock.limit(ANSWER_WITHIN_MS)]),
      }).catch((cause: unknown) => {
        throw new Error(reasonOf(cause), { cause });
      });
      // What it says is of no interest, and may be endless.
      await response.body?.cancel();
      if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
    },
  };
}

const PREFIX = "whsec_";

function signatureOf(secret: string, parts: readonly string[]): string {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : secret;
  return `v1,${createHmac("sha256", key).update(parts.join(".")).digest("base64")}`;
}

/** Without the address: it may hold a token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  if (error.name === "TimeoutError") return `no answer in ${ANSWER_WITHIN_MS / 1_000} s`;
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? `no connection (${String(cause.code)})` : "no connection";
}
