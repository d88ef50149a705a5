import fc from "fast-check";
import { expect, test } from "vitest";
import { kindNamed, Target } from "../../../../src/bot/commands/grammar/argument-types.ts";
import { changes, conditions, doors, namesIn } from "../support/doors.ts";

const KINDS =
  "service svc services deployment deploy deployments statefulset sts daemonset ds StatefulSet deployment.apps statefulsets.apps deployments.v1.apps";

/** What stands behind the name, of verbs that take one service. */
const verbs = {
  restart: "",
  stop: "",
  start: "",
  delete: "",
  rollback: "",
  scale: "3",
  memory: "512",
  deploy: "shop/web:2",
} as const; // the literal names

const kinds = fc.option(fc.constantFrom(...KINDS.split(" ")), { nil: undefined });
const names = fc.constantFrom("web", "web-2", "db.main", "a1");
/** In quotes, a pattern is one at every door. */
const patterns = fc.constantFrom('"*web*"', '"shop-*"');
const order = fc.record({
  door: fc.constantFrom(...Object.keys(doors)),
  verb: fc.constantFrom(...(Object.keys(verbs) as (keyof typeof verbs)[])), // its literal names
  kind: kinds,
  isApart: fc.boolean(),
  name: fc.oneof(names, patterns),
  condition: fc.option(fc.constantFrom(...conditions), { nil: undefined }),
});

test("the workload that is meant is the one that was typed, with its kind, and nothing that was typed is dropped", () => {
  fc.assert(
    fc.property(order, ({ door, verb, kind, isApart, name, condition }) => {
      const isPattern = name.startsWith('"');
      const bare = name.replaceAll('"', "");
      const prefix = kind === undefined ? "" : `${kind}${isApart && !isPattern ? " " : "/"}`;
      // A quote stands around the whole word.
      const named = isPattern ? `"${prefix}${bare}"` : `${prefix}${name}`;
      const text = [verb, named, verbs[verb], condition ?? ""].join(" ").replaceAll(/ +/gu, " ").trim();
      const read = doors[door]?.(text);
      if (read === undefined) throw new Error(`nobody read it: ${text}`);

      if (condition !== undefined) {
        expect(changes(read), `${door}: ${text}`).toEqual([]);
        return;
      }
      const [meant, ...others] = namesIn(read);
      const target = Target.parse(meant);
      const wanted = kindNamed(kind ?? "");
      expect(others, `${door}: ${text}`).toEqual([]);
      expect({ name: target.name, object: target.object, kind: target.kind }, `${door}: ${text}`).toEqual({
        name: bare,
        object: wanted?.object,
        kind: wanted?.kind,
      });
    }),
  );
});
