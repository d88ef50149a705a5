export type Done = { readonly status: number; readonly body: Record<string, unknown> };

/** What the page sends when somebody does something: dana, unless the body says who. */
export async function actOnPage(url: string, deed: string, { headers = {}, ...body }: DeedBody): Promise<Done> {
  const response = await fetch(`${url}/playground/do/${deed}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ as: "dana", ...body }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // every answer is an object
}

type DeedBody = { readonly headers?: Record<string, string>; readonly [name: string]: unknown };
