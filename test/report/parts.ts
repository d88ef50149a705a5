export type Part = {
  /** What `--only` calls it. */
  readonly name: string;
  readonly title: string;
  /** What has to hold, in a sentence. */
  readonly claim: string;
  readonly command: string;
  /** The same in a few minutes for all parts together. */
  readonly quick: string;
  /** An environment variable without which it can't run. */
  readonly needs?: string;
};

const tampering =
  "GANTRY_TEST=all npm test -- --project gantry --reporter verbose test/bot/store/audit/tampering.property.test.ts";
const versions =
  "GANTRY_TEST=all npm test -- --project processes --reporter verbose test/service/engines/process/deploy.test.ts";
const inCluster = "npm run test:chart -- --long";

export const parts: readonly Part[] = [
  {
    name: "kill",
    title: "Kill tests",
    claim: "A replica that is killed at any step of a request does nothing twice and loses nothing.",
    command: "npm run test:kill -- --each 1 --seed 1",
    quick: "npm run test:kill -- --rounds 8 --store split --seed 1",
  },
  {
    name: "soak",
    title: "Soak",
    claim: "Forty people get one answer each while networks are cut and replicas end.",
    command: "npm run test:soak -- --minutes 5 --transport socket --seed 1",
    quick: "npm run test:soak -- --minutes 0.5 --transport socket --seed 1",
  },
  {
    name: "fuzz",
    title: "Fuzz",
    claim: "The workload API answers every request, however broken, and goes on.",
    command: "npm run test:fuzz -- --seed 1",
    quick: "npm run test:fuzz -- --requests 1050 --seed 1",
  },
  {
    name: "tamper",
    title: "Tampering with the audit",
    claim: "Each of 500 random tamperings of a database, and of an export, is found.",
    command: tampering,
    quick: tampering,
  },
  {
    name: "deploy",
    title: "Rolling deploy of a workload",
    claim: "Twenty versions of a service come and go while it is asked all the time, and no request fails.",
    command: versions,
    quick: versions,
  },
  {
    name: "upgrade",
    title: "Rolling deploy of Gantry on Kubernetes",
    claim: "A new version of Gantry is rolled out while people type, and each of them gets an answer.",
    command: inCluster,
    quick: inCluster,
    needs: "GANTRY_TEST_KUBECONFIG",
  },
  {
    name: "speed",
    title: "Speed",
    claim: "Gantry keeps its goals beside a bare Bolt app in the same run.",
    command: "npm run bench -- --only speed: --reps 2 --check",
    quick: "npm run bench -- --quick --check",
  },
];
