import { expect, test } from "vitest";
import { newest, world } from "../../support/world.ts";

type Seen = { readonly statements: number; readonly commits: number };

/** What one command costs the database, from its delivery to the settled card. */
async function costOf(text: string): Promise<Seen & { readonly card: string }> {
  const seen: string[] = [];
  const web = {
    name: "web",
    uid: "u1",
    status: "Running",
    target_instance_size: 2,
    ready_instances: 2,
    containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }],
  };
  async function apiFetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method === "PUT") {
      const { target_instance_size: size } = (await request.json()) as { readonly target_instance_size: number }; // the body of a scale
      Object.assign(web, { target_instance_size: size, ready_instances: size });
      return Response.json({});
    }
    if (request.method === "POST") return Response.json({});
    if (pathname.endsWith("/services/web")) return Response.json(web);
    if (pathname.endsWith("/services")) return Response.json({ services: [web] });
    return pathname.endsWith("/jobs") ? Response.json({ jobs: [] }) : Response.json({}, { status: 404 });
  }
  await using town = await world({ apiFetch, onStatement: (sql) => void seen.push(sql) });
  await town.developer.says("/gantry list");
  await town.settled();
  seen.length = 0;
  await town.developer.says(text);
  await town.settled();
  return { ...counted(seen), card: newest(town.developer).split("\n")[0] ?? "" };
}

/** A write outside a transaction is a commit of its own. */
function counted(seen: readonly string[]): Seen {
  let isInside = false;
  let commits = 0;
  for (const sql of seen) {
    if (sql === "begin") isInside = true;
    if (sql === "commit") isInside = false;
    if (sql === "commit" || (!isInside && /^(?:insert|update|delete)/u.test(sql))) commits += 1;
  }
  return { statements: seen.length, commits };
}

test("scaling a service takes at most 23 statements and 6 commits", async () => {
  const { card, statements, commits } = await costOf("/gantry scale web 3");

  expect(card).toBe("✅ web scaled to 3");
  expect(statements).toBeLessThanOrEqual(23);
  expect(commits).toBeLessThanOrEqual(6);
});
