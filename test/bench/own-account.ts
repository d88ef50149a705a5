import type { Mark } from "./marks.ts";
import type { Stage, Target } from "./stage.ts";

const WITHIN_MS = 20_000;

/**
 * Links an account of their own to a person of the bench, so that what the service told others is not known for them yet.
 * Throws when that is not confirmed.
 */
export async function linkOwnAccount({ load, sink, sinkPort }: Stage, { port }: Target, mark: Mark): Promise<void> {
  const { group, at } = mark;
  await load.ask("one", { kind: "connect", text: `own-${group}-${at}`, port, sinkPort, group, at });
  const told = { group: `views.update ${group}`, command: String(at), quietMs: WITHIN_MS };
  const takenAt = await sink.ask("takenAt", told);
  const view = await sink.ask("lastView", { method: "views.update", group });
  if (takenAt === null || !view.includes("Account connected")) throw new Error(`no account was connected: ${view}`);
}
