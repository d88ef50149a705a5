import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { openApiFront } from "../support/api-front.ts";
import { applyCronJob, applyDaemonSet, applyStatefulSet, scaleStatefulSet } from "../support/applied.ts";
import { openTestWorld } from "../support/test-world.ts";
import { accidents } from "./accidents.ts";
import { openAccount } from "./account.ts";
import { Refused } from "./allowed.ts";
import { withGatewayApi } from "./gateway-api.ts";
import { documentedRights, optionalResources, type Right, rightFor, wordsOf } from "./role.ts";
import { expectIncomplete, type Leg, optionalTour, tour } from "./tour.ts";

const cluster = await testCluster();
const { noPods, image, newNamespace, removeNamespace, removeNamespaces } = cluster;
const role = resolve(import.meta.dirname, "../../../../docs/kubernetes-role.yaml");
const rights = documentedRights(role);
const optional = optionalResources(role);
const needed = rights.filter(({ resource }) => !optional.includes(resource));

afterAll(removeNamespaces);

const GATEWAY = "gateway.networking.k8s.io";
let gatewayApi: AsyncDisposable | undefined;
beforeAll(async () => {
  if (noPods === undefined) gatewayApi = await withGatewayApi(cluster);
});
afterAll(async () => gatewayApi?.[Symbol.asyncDispose]());

type Toured = {
  /** What the operation answered that was refused; undefined if none was. */
  readonly refused: string | undefined;
  /** What the operator reads in the log and on the health page. */
  readonly reported: string;
  /** What the API server was asked, as its audit log has it. */
  readonly asked: readonly string[];
};

const TRIES = 3;

/**
 * All operations of an engine whose account in the cluster has these rights only. It begins where the `missing` one is
 * needed. An API server so busy that it seemed away shows nothing about rights, so that is tried again.
 */
async function toured(given: readonly Right[], domains: "ingress" | "gateway", missing?: Right): Promise<Toured> {
  for (let tries = 1; ; tries += 1) {
    const seen = await touredOnce(given, domains, missing);
    if (tries === TRIES || !`${seen.refused}\n${seen.reported}`.includes("has just come back")) return seen;
  }
}

async function touredOnce(given: readonly Right[], domains: "ingress" | "gateway", missing?: Right): Promise<Toured> {
  const namespace = await newNamespace("rights");
  const isAboutOptional = given === rights || given === needed;
  if (isAboutOptional) {
    await applyDaemonSet(cluster, { namespace, name: "agent" });
    await applyCronJob(cluster, { namespace, name: "yearly", schedule: "0 0 1 1 *" });
  }
  const account = await openAccount(cluster, namespace, given);
  const front = await openApiFront(account.kubeconfig);
  const gateway = { by: "gateway", gateway: "web" } as const;
  const settings = domains === "gateway" ? { domains: gateway } : {};
  const options = { namespace, kubeconfig: front.kubeconfig, adopt: "all", settings } as const;
  const service = await openTestWorld(cluster, options);
  const { world, events } = service;
  // Most tours are over before they come to it.
  let applied: Promise<void> | undefined;
  const somebodyApplies = async () => {
    await (applied ??= applyStatefulSet(cluster, { namespace, name: "db" }));
    // With a right missing, its name is refused rather than unknown.
    await world.until(
      () => world.ask("getService", { name: "db" }),
      ({ status }) => status !== 404,
    );
  };
  const meddle = () => scaleStatefulSet(cluster, { namespace, name: "db" });
  const namesOptional = (line: string) => optional.some((resource) => line.includes(`"${resource}"`));
  const reported = () => [...events.filter((line) => !namesOptional(line)), JSON.stringify(service.ready())].join("\n");
  try {
    const guide = { world, image, front, isOver: () => namesARight(reported()), somebodyApplies, meddle };
    const isFirst = ({ needs = [] }: Leg<typeof guide>) => missing !== undefined && needs.includes(wordsOf(missing));
    const legs: readonly Leg<typeof guide>[] = [
      ...tour,
      ...(given === rights ? [{ play: optionalTour }] : []),
      ...(given === needed ? [{ play: expectIncomplete }] : []),
      ...accidents,
    ];
    for (const { play } of legs.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))) {
      await play(guide);
      front.onPassing(() => undefined);
    }
    return { refused: undefined, reported: reported(), asked: front.requests };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refused: error.message, reported: reported(), asked: front.requests };
  } finally {
    await service.close();
    await front.close();
    account.remove();
    await removeNamespace(namespace);
  }
}

/** In our words, or in those of Kubernetes. */
const NAMED = /may not \w+ [\w/]+ in|cannot \w+ resource/u;

function namesARight(text: string): boolean {
  return NAMED.test(text);
}

function namings({ verb, resource }: Right): readonly string[] {
  return [`may not ${verb} ${resource}`, `cannot ${verb} resource "${resource}"`];
}

describe.skipIf(noPods !== undefined)(`the rights of the documented Role${because(noPods)}`, () => {
  test.concurrent("all of them are enough for every operation, also on adopted workloads, and each one is used", async () => {
    const tours = await Promise.all((["ingress", "gateway"] as const).map((domains) => toured(rights, domains)));
    for (const { refused, reported } of tours) {
      expect(refused).toBeUndefined();
      expect(reported).not.toMatch(NAMED);
    }
    const asked = tours.flatMap((seen) => seen.asked);

    const used = new Set(asked.flatMap((request) => rightFor(request) ?? []).map(wordsOf));
    expect([...used].toSorted()).toEqual(rights.map(wordsOf).toSorted());
  });

  test.concurrent("the optional ones can be left out: lists say what is missing, and everything else works", async () => {
    const { refused, reported } = await toured(needed, "ingress");
    expect(refused).toBeUndefined();
    expect(reported).not.toMatch(NAMED);
  });

  describe.concurrent("each other one is needed: without it, something fails and names it", () => {
    test.each(needed.map((right) => [wordsOf(right), right] as const))("%s", async (_, right) => {
      const domains = right.group === GATEWAY ? "gateway" : "ingress";
      const { refused, reported } = await toured(
        rights.filter((each) => each !== right),
        domains,
        right,
      );

      // Quotes are escaped in an answer.
      const said = `${refused}\n${reported}`.replaceAll('\\"', '"');
      expect(
        namings(right).some((words) => said.includes(words)),
        said,
      ).toBe(true);
    });
  });
});
