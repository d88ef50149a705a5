import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { isZone } from "../../../../platform/zones.ts";
import { didYouMean } from "../../../policy/near-names.ts";
import { PolicyError, type PolicyProblem, yamlLines } from "../../../policy/read-policy.ts";
import { USUAL_AFTER_MS, usualEvents, type Watch, type WatchPlace, type WatchTarget } from "../../../watch/watch.ts";
import { After, Digest, Events, Quiet, Watched } from "./watch-words.ts";

/** A watch as the file says it; its account and its owner's name are looked up. */
export type FileWatch = {
  /** In the file, counted from 1. */
  readonly line: number;
  /** Undefined where Gantry serves one workspace. */
  readonly teamId: string | undefined;
  readonly ownerId: string;
  readonly place: WatchPlace;
  readonly target: Pick<WatchTarget, "kind" | "names"> & { readonly region: string | undefined };
  readonly events: Watch["events"];
  readonly afterMs: number;
  readonly quiet: z.output<typeof Quiet> | undefined;
  readonly digest: z.output<typeof Digest> | undefined;
  /** Undefined: that of the owner. */
  readonly zone: string | undefined;
};

const ids = "Use the ID, because names can change.";

function id(pattern: RegExp, example: string) {
  return z
    .string({ error: `This must be an ID such as ${example}.` })
    .regex(pattern, `This must be an ID such as ${example}. ${ids}`);
}

/** YAML reads `0` as a number, and a list where words are separated by commas. */
const asText = (given: unknown): unknown => {
  if (Array.isArray(given)) return given.join(",");
  return typeof given === "number" ? String(given) : given;
};

const WatchInFile = z.strictObject(
  {
    watch: z.string({ error: "This is missing. Name a workload, a pattern such as shop-*, or all." }).pipe(Watched),
    owner: id(/^[UW][A-Z0-9]{4,}$/u, "U0123ABCD"),
    in: z.union([z.literal("dm"), id(/^[CG][A-Z0-9]{4,}$/u, "C0123ABCD, or dm")], {
      error: `This must be a channel ID such as C0123ABCD, or dm. ${ids}`,
    }),
    region: z.string("This must be the name of a region.").optional(),
    on: z.preprocess(asText, Events).optional(),
    after: z.preprocess(asText, After).optional(),
    quiet: Quiet.optional(),
    digest: Digest.optional(),
    zone: z.string().refine(isZone, "This isn't a time zone. Write one such as Europe/Berlin.").optional(),
    team: id(/^T[A-Z0-9]{2,}$/u, "T0123ABCD").optional(),
  },
  { error: "A watch must be a map with watch, owner and in." },
);
type WatchInFile = z.output<typeof WatchInFile>;

const MOST = 1_000;

const WatchesFile = z.strictObject(
  {
    watches: z
      .array(WatchInFile, { error: "watches: is missing, or isn't a list of watches." })
      .max(MOST, `There are too many: the limit is ${MOST} watches. Use patterns such as shop-*.`),
  },
  { error: "The file must contain watches: with a list of watches." },
);

type Reading = {
  /** Several workspaces use this Gantry, so that each watch has to name its own. */
  readonly needsTeam?: boolean;
};

/** Reads the file of watches. `source` names it for people. Throws a `PolicyError` that lists all problems. */
export function readWatches(text: string, source: string, { needsTeam = false }: Reading = {}): readonly FileWatch[] {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const wrong = (problems: readonly PolicyProblem[]): PolicyError =>
    new PolicyError(source, problems, "file of watches");
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line } = counter.linePos(broken.pos[0]);
    throw wrong([{ line, sentence: `Invalid YAML: ${broken.message.replace(/\.$/u, "")}.` }]);
  }
  const lines = yamlLines(document, counter);
  const parsed = WatchesFile.safeParse(plainData(document.toJS.bind(document), wrong));
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue): PolicyProblem[] => {
      const place = placeIn(issue.path);
      if (issue.code !== "unrecognized_keys") {
        // The words of the verb name its flags.
        const sentence = issue.message.replaceAll(/--(?=[a-z])/gu, "");
        return [{ line: lines.ofValue(issue.path), sentence: `${place}${sentence}` }];
      }
      const known = Object.keys(issue.path.length === 0 ? WatchesFile.shape : WatchInFile.shape);
      return issue.keys.map((key) => ({
        line: lines.ofKey([...issue.path, key]),
        sentence: `${place}unknown key “${key}”.${didYouMean(key, known)} Valid keys: ${known.join(", ")}.`,
      }));
    });
    throw wrong(problems.sort((a, b) => a.line - b.line));
  }
  const { watches } = parsed.data;
  const problems = watches.flatMap((watch, at): PolicyProblem[] => {
    const line = lines.ofValue(["watches", at]);
    if (needsTeam && watch.team === undefined) {
      return [
        { line, sentence: `watch ${at + 1}: team is missing. Several workspaces use this Gantry: name one by its ID.` },
      ];
    }
    const other = (["on", "after", "quiet"] as const).find((key) => watch[key] !== undefined); // names of keys
    if (watch.digest !== undefined && other !== undefined) {
      const sentence = `watch ${at + 1}: digest is one summary, so it takes no ${other}. Add a second watch for single messages.`;
      return [{ line, sentence }];
    }
    const first = watches.findIndex((other) => keyOf(other) === keyOf(watch));
    if (first === at) return [];
    return [{ line, sentence: `watch ${at + 1}: it is the same as watch ${first + 1}. Remove one of them.` }];
  });
  if (problems.length > 0) throw wrong(problems);
  return watches.map((watch, at) => fileWatch(watch, lines.ofValue(["watches", at])));
}

/** The library throws on aliases that expand without end. */
function plainData(read: () => unknown, wrong: (problems: readonly PolicyProblem[]) => PolicyError): unknown {
  try {
    return read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrong([{ line: 1, sentence: `Invalid YAML: ${why}.` }]);
  }
}

/** `watch 2, on: ` */
function placeIn([, at, key]: readonly PropertyKey[]): string {
  if (at === undefined) return "";
  return `watch ${Number(at) + 1}${key === undefined ? "" : `, ${String(key)}`}: `;
}

function keyOf({ watch, owner, in: place, region, digest, team }: WatchInFile): string {
  return JSON.stringify([watch, owner, place, region, digest !== undefined, team]);
}

function fileWatch({ watch, owner, in: place, digest, team, ...given }: WatchInFile, line: number): FileWatch {
  return {
    line,
    teamId: team,
    ownerId: owner,
    place: place === "dm" ? { kind: "dm" } : { kind: "channel", channelId: place },
    target: { kind: watch.kind, names: watch.name, region: given.region },
    events: given.on ?? (digest === undefined ? usualEvents : []),
    afterMs: given.after ?? USUAL_AFTER_MS,
    quiet: given.quiet,
    digest,
    zone: given.zone,
  };
}
