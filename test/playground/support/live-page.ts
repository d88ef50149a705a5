import type { WireMessage, WireUpdate } from "../../../src/playground/wire.ts";
import { applyUpdate, emptyWorkspace, type Workspace } from "../../../src/playground/page/app/workspace.ts";

/** A page without a browser: it reads the events and keeps the workspace with the page's own code. */
export type LivePage = {
  readonly workspace: () => Workspace;
  /** The id of the last event, which a browser sends when it reconnects. */
  readonly lastEventId: () => string;
  /** Reads events until a condition holds; rejects after two seconds. */
  readonly until: (isSo: (workspace: Workspace) => boolean) => Promise<Workspace>;
  readonly texts: (channel: string) => readonly string[];
  readonly close: () => Promise<void>;
};

const patienceMs = 2000;

function fieldOf(event: string, name: string): string | undefined {
  return event
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

/** Opens the page of one person, or resumes it at `lastEventId`. */
export async function openPage(url: string, as: string, lastEventId?: string): Promise<LivePage> {
  const ended = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const response = await fetch(`${url}/playground/events?as=${as}`, { headers, signal: ended.signal });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error("an answer without a body");
  let [workspace, id, rest] = [emptyWorkspace, "", ""];
  const take = (event: string): void => {
    const data = fieldOf(event, "data");
    if (data === undefined) return;
    id = fieldOf(event, "id") ?? id;
    workspace = applyUpdate(workspace, JSON.parse(data) as WireUpdate); // what the playground writes
  };
  const until = async (isSo: (workspace: Workspace) => boolean): Promise<Workspace> => {
    const deadline = setTimeout(() => ended.abort(new Error("it did not come")), patienceMs);
    while (!isSo(workspace)) {
      const { value = "" } = await reader.read();
      const events = (rest + value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) take(event);
    }
    clearTimeout(deadline);
    return workspace;
  };
  await until((now) => now.snapshot !== undefined);
  return {
    workspace: () => workspace,
    lastEventId: () => id,
    until,
    texts: (channel) => (workspace.messages[channel] ?? []).map((message: WireMessage) => message.text),
    close: async () => {
      ended.abort();
      await reader.cancel().catch(() => undefined);
    },
  };
}

export type Answered = { readonly status: number; readonly body: Record<string, unknown> };

/** Performs an action like the page: as dana, unless the body names somebody else. */
export async function actOnPage(url: string, action: string, { headers = {}, ...body }: ActionBody): Promise<Answered> {
  const response = await fetch(`${url}/playground/do/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ as: "dana", ...body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // every answer is an object
}

type ActionBody = { readonly headers?: Record<string, string>; readonly [name: string]: unknown };
