import type { CompiledQuery } from "kysely";
import type { Db, Session } from "./session.ts";

type Building = Pick<Session, "db" | "flavour">;

/**
 * For statements that people wait for: building one takes several times as long as running it, so it is built once for
 * each set of given values. `build` gets stand-ins in place of the values, and may only ask whether one is undefined.
 */
export function builtOnce<Given extends Readonly<Record<string, unknown>>, Row>(
  build: (session: Building, given: Given) => { compile(): CompiledQuery<Row> },
): (session: Building, given: Given) => Promise<readonly Row[]> {
  const built = new WeakMap<Db, Map<string, CompiledQuery<Row>>>();
  return async (session, given) => {
    const { db } = session;
    const names = Object.keys(given).filter((name) => given[name] !== undefined);
    const key = names.join(" ");
    const known = built.get(db) ?? new Map<string, CompiledQuery<Row>>();
    built.set(db, known);
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
