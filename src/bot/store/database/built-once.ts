import type { CompiledQuery } from "kysely";
import type { Flavour, Session } from "./session.ts";

type Building = Pick<Session, "db" | "flavour">;

/**
 * Caches the compiled statement of a hot query, also for transactions: building one takes several times as long as running it. Each
 * set of defined values has its own. `build` gets placeholders, so it may only check whether a value is undefined.
 */
export function builtOnce<Given extends Readonly<Record<string, unknown>>, Row>(
  build: (session: Building, given: Given) => { compile(): CompiledQuery<Row> },
): (session: Building, given: Given) => Promise<readonly Row[]> {
  const built = new Map<Flavour, Map<string, CompiledQuery<Row>>>();
  return async (session, given) => {
    const { db, flavour } = session;
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    const key = names.join(" ");
    const known = built.get(flavour) ?? new Map<string, CompiledQuery<Row>>();
    built.set(flavour, known);
    const standIns = (): Given => Object.fromEntries(names.map((name) => [name, Symbol(name)])) as Given; // see above
    const query = known.get(key) ?? build(session, standIns()).compile();
    known.set(key, query);
    const parameters = query.parameters.map((value) =>
      typeof value === "symbol" ? given[value.description ?? ""] : value,
    );
    const bound: CompiledQuery<Row> = { ...query, parameters };
    return (await db.executeQuery(bound)).rows;
  };
}
