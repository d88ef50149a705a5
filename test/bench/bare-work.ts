/**
 * What has to be done for `/gantry list` and `/gantry show`, with plain fetch: the two reads and the message; without a time
 * limit, a check, or a word of its own.
 */

export type Works = { readonly apiUrl: string; readonly slackUrl: string };

export function listed(kinds: readonly string[], works: Works): Promise<readonly unknown[]> {
  return Promise.all(kinds.map((kind) => read(kind, works)));
}

async function read(path: string, { apiUrl }: Works): Promise<unknown> {
  const headers = { username: "bench", authorization: "token bench-api-token" };
  return (await fetch(`${apiUrl}/v1/regions/beijing1/${path}`, { headers })).json();
}

type Typed = { readonly text: string; readonly response_url: string };

export async function answerRead({ text, response_url }: Typed, works: Works): Promise<void> {
  const answers = text.startsWith("show") ? await shown(works) : await listed(kindsIn(text), works);
  await fetch(response_url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: JSON.stringify(answers).slice(0, 3000) }),
  });
}

function kindsIn(text: string): readonly string[] {
  return text === "list services" ? ["services"] : ["services", "jobs"];
}

/** A log is read when it is known that there is one. */
async function shown(works: Works): Promise<readonly unknown[]> {
  return [await read("services/web", works), await read("services/web/logs?date=2026-11-20&from=0&size=200", works)];
}
