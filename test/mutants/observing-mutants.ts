import type { Mutant } from "./mutants.ts";

const labels = ["test/bot/compose/observing/labels.test.ts"];
const metrics = ["test/bot/compose/observing/metrics.test.ts"];
const port = ["test/bot/compose/observing/metrics-port.test.ts"];
const tracing = ["test/bot/compose/observing/tracing.test.ts"];
const terminal = ["test/platform/pretty-line.test.ts"];

const refusing = ["test/flows/when-gantry-fails/database-refuses.test.ts"];

/** Bugs of metrics, traces, the log for a terminal, the specification, and of what says whether Gantry works. */
export const observingMutants: readonly Mutant[] = [
  {
    bug: "a tool can't leave out what only our server offers",
    file: "openapi.yaml",
    text: "        active:\n          x-gantry-extension: true\n",
    becomes: "        active:\n",
    tests: ["test/api/extensions.test.ts"],
  },
  {
    bug: "a full database counts as well while a heartbeat fits in",
    file: "src/bot/store/database/replicas.ts",
    text: "const ROOM_BYTES = 16 * 1024;",
    becomes: "const ROOM_BYTES = 16;",
    tests: refusing,
  },
  {
    bug: "Home says nothing of a database that stores nothing",
    file: "src/bot/slack/home/draw.ts",
    text: "[...(trouble === undefined ? [] : [trouble.message]), ...records.problems]",
    becomes: "records.problems",
    tests: refusing,
  },
  {
    bug: "each question for /readyz writes into the database",
    file: "src/bot/compose/bot.ts",
    text: "if (last === undefined || atMs - last.atMs >= KEPT_MS) last = { atMs, found: trouble() };",
    becomes: "last = { atMs, found: trouble() };",
    tests: refusing,
  },
  {
    bug: "the doctor believes a database that answers, though it can only be read",
    file: "src/bot/store/database/inspect.ts",
    text: "schema.at === schema.known ? (await writeTrouble({ db }))?.why : undefined",
    becomes: "undefined",
    tests: ["test/bot/compose/health/doctor.test.ts"],
  },
  {
    bug: "a metric has a verb as somebody typed it",
    file: "src/bot/compose/observing/labels.ts",
    text: 'return verbs.has(verb) ? verb : "other";',
    becomes: "return verb;",
    tests: labels,
  },
  {
    bug: "a database that is away is shown as nothing that waits",
    file: "src/bot/compose/observing/metrics.ts",
    text: "if (value === undefined) this.remove();",
    becomes: "if (value === undefined) this.set(0);",
    tests: metrics,
  },
  {
    bug: "each scrape asks the database",
    file: "src/bot/compose/observing/metrics.ts",
    text: "if (!isReading && clock.elapsedMs() - readAtMs >= KEPT_MS) {",
    becomes: "if (!isReading) {",
    tests: metrics,
  },
  {
    bug: "a request that nobody can tell about counts as failed",
    file: "src/bot/compose/observing/measured.ts",
    text: 'giveUp: "unknown",',
    becomes: 'giveUp: "failed",',
    tests: metrics,
  },
  {
    bug: "who asks for the text format of the metrics gets OpenMetrics",
    file: "src/platform/observing/open-sinks.ts",
    text: 'prefersText(request.headers.get("accept"))',
    becomes: "prefersText(null)",
    tests: port,
  },
  {
    bug: "the text format describes counters by names that have no samples",
    file: "src/platform/observing/open-sinks.ts",
    text: "(counters.has(name) ? `${line}_total` : line)",
    becomes: '(name === "" ? `${line}_total` : line)',
    tests: port,
  },
  {
    bug: "a lane drops the trail of what waits in it",
    file: "src/platform/trail.ts",
    text: "await trails.run(trail, () => (isAnswer ? work(...args) : inSpan(`work: ${lane}`, () => work(...args))));",
    becomes: "await work(...args);",
    tests: ["test/bot/workflow/inbox/trail-in-lanes.test.ts"],
  },
  {
    bug: "who takes a delivery over begins another trace",
    file: "src/bot/workflow/receive/delivery.ts",
    text: "const trace = currentTrail()?.traceparent();",
    becomes: "const trace: string | undefined = currentTrail() && undefined;",
    tests: tracing,
  },
  {
    bug: "an error's message gets into a span",
    file: "src/platform/observing/tracing.ts",
    text: "span.setStatus({ code: SpanStatusCode.ERROR });",
    becomes: "span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });",
    tests: tracing,
  },
  {
    bug: "text from outside moves the cursor of a terminal",
    file: "src/platform/log.ts",
    text: 'return escaped(JSON.stringify(value) ?? "");',
    becomes: 'return JSON.stringify(value) ?? "";',
    tests: terminal,
  },
];
