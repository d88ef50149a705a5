import fc from "fast-check";
import { hostileText } from "./hostile.ts";

const health = fc.record({
  level: fc.constantFrom("healthy", "busy", "failing", "idle"),
  words: hostileText,
  reason: hostileText,
  since: hostileText,
});
const entry = fc
  .record({ name: hostileText, status: hostileText, health: fc.option(health, { nil: undefined }), size: hostileText })
  .map(({ health: known, ...more }) => ({ ...more, ...(known !== undefined && { health: known }) }));
/** Lists of workloads with any names and statuses. */
export const lately = fc.tuple(fc.array(entry, { maxLength: 4 }), fc.constantFrom(1, 1, 60)).map(([some, times]) => ({
  at: 0,
  entries: Array.from({ length: times }, (_, at) =>
    some.map((each) => ({ ...each, name: at === 0 ? each.name : `${each.name}${at}` })),
  ).flat(),
}));
