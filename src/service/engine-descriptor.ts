import type { z } from "zod";
import type { Clock } from "../platform/clock.ts";
import type { Given, Setting } from "../platform/settings.ts";
import type { Limit, OpenedEngine } from "./engine.ts";

/** An environment variable that an engine reads. */
export type EngineVariable = Setting & {
  /** Why engines that don't read it refuse it, as a sentence. Without it, they ignore it: it may be there for other programs. */
  readonly elsewhere?: string;
  /** Why it is refused with real Slack; completes its name. */
  readonly withRealSlack?: string;
};
export type EngineVariables = Readonly<Record<string, EngineVariable>>;

export type ValuesOf<Variables extends EngineVariables> = {
  readonly [Name in keyof Variables]?: z.output<Variables[Name]["schema"]> | undefined;
};

type Description = {
  /** The value of SERVICE_ENGINE. */
  readonly name: string;
  /** For people: `Kubernetes`. */
  readonly title: string;
  /** What it runs, for the row of SERVICE_ENGINE in docs/configuration.md. */
  readonly runs: string;
  /** Its variables without SERVICE_ have a table of their own in docs/configuration.md, with this title. */
  readonly variablesTitle?: string;
  /** Why it doesn't read variables of others: sentences that go before those of the variables themselves. */
  readonly refuses?: Readonly<Record<string, string>>;
  /** Variables of earlier versions: they are ignored, with a warning that ends with this. */
  readonly retired?: Readonly<Record<string, string>>;
  readonly regions:
    /** Set by the operator. `byDefault` goes before the default of the program. */
    | { readonly from: "settings"; readonly byDefault?: readonly string[] }
    /** Known once it is open. `why` is a sentence for SERVICE_REGIONS, `whose` a clause for WORKLOAD_REGIONS. */
    | { readonly from: "engine"; readonly why: string; readonly whose: string };
  /**
   * It is for a first trial and runs nothing but programs that Gantry brings: the playground gets demo workloads, and
   * real Slack needs the operator's permission.
   */
  readonly isTrial: boolean;
  readonly says: {
    /** Completes "Gantry is running with a simulated Slack workspace and". */
    readonly running: string;
    /** What becomes of the workloads when `npm run service` stops: a sentence. */
    readonly afterStop: string;
    /** Where the workloads run, as the subject of a sentence. */
    readonly place: string;
    /** Warns that one side is real and the other isn't. */
    readonly withSimulatedSlack?: string;
    readonly withRealSlack?: string;
  };
  /** How `npm run setup` offers it, and the options that set variables. Not offered without. */
  readonly setup?: {
    readonly label: string;
    readonly hint?: string;
    readonly options: Readonly<Record<string, { readonly variable: string; readonly value: string }>>;
  };
  /** The page with the table of what it can't honour, and these limits without any setting and with all of them. */
  readonly docs: { readonly page: string; readonly limits: () => { readonly bare: Limits; readonly full: Limits } };
  /** Variables that are valid alone but can't be used, as sentences; asked when this engine is chosen. */
  readonly problems?: (given: Given) => readonly string[];
};
type Limits = readonly Limit[];

type Regions = {
  /** By the operator. */
  readonly set: readonly string[] | undefined;
  readonly byDefault: readonly string[];
};

/** What an engine gets besides its settings. */
export type EngineOptions = {
  /** The folder for what the engine keeps. */
  readonly dataDir: string;
  readonly users: readonly string[];
  readonly clock: Clock;
  /** Background actions and failures, for the log. */
  readonly onEvent: (message: string, data: object) => void;
};

type StartedEngine = OpenedEngine & {
  /** Notices of the start for the operator, one per cluster. */
  readonly found: readonly string[];
};

/** The engine that the environment asks for, before anything is opened. */
export type EngineChoice = {
  readonly descriptor: EngineDescriptor;
  /** Undefined while only the engine knows them. */
  readonly regions: readonly string[] | undefined;
  readonly settings: unknown;
  /** Throws an Error with sentences when it can't be used; nothing is running then. */
  readonly open: (parts: EngineOptions) => Promise<StartedEngine>;
};

/** Everything that the rest of Gantry knows of an engine before it runs. */
export type EngineDescriptor = Description & {
  readonly variables: EngineVariables;
  /** Reads its variables, which must be valid. */
  readonly choose: (given: Given, regions: Regions) => EngineChoice;
};

type Definition<Variables extends EngineVariables, Settings> = Description & {
  readonly variables: Variables;
  readonly settings: (values: ValuesOf<Variables>, regions: readonly string[]) => Settings;
  /** Imports the engine late: only the one that runs is loaded. */
  readonly open: (settings: Settings, parts: EngineOptions) => Promise<StartedEngine>;
};

export function describeEngine<const Variables extends EngineVariables, Settings>({
  settings: settingsOf,
  open,
  ...description
}: Definition<Variables, Settings>): EngineDescriptor {
  const descriptor: EngineDescriptor = {
    ...description,
    choose(given, { set, byDefault }) {
      const { regions: known } = description;
      const regions = set ?? (known.from === "settings" ? known.byDefault : undefined) ?? byDefault;
      const used = Object.entries(description.variables).filter(([name]) => given[name] !== undefined);
      const values = used.map(([name, { schema }]): [string, unknown] => [name, schema.parse(given[name])]);
      const retired = Object.entries(description.retired ?? {}).filter(([name]) => given[name] !== undefined);
      const warnings = retired.map(
        ([name, why]) => `WARNING: ${name} is set, but Gantry doesn't read it any more. ${why}`,
      );
      const settings = settingsOf(
        Object.fromEntries(values) as ValuesOf<Variables>, // each by the schema of its own name
        regions,
      );
      return {
        descriptor,
        regions: known.from === "settings" ? regions : undefined,
        settings,
        async open(parts) {
          const opened = await open(settings, parts);
          return { ...opened, found: [...warnings, ...opened.found] };
        },
      };
    },
  };
  return descriptor;
}
