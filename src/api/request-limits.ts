/** The limits in `openapi.yaml`; test/api/request-limits.test.ts compares the two. */
export const requestLimits = {
  instances: 1_000,
  /** Words in a command. */
  words: 100,
  /** Characters in one command word, or in the value of one environment variable. */
  text: 16_384,
  env: 200,
  envName: 253,
  image: 255,
  /** Per container. */
  ports: 10,
  publishedPorts: 10,
  volumes: 50,
  volumeName: 63,
  mounts: 50,
  mountPath: 255,
  domains: 200,
  domain: 253,
  containerName: 253,
  /** How many of the newest log messages a page can skip. */
  logFrom: 10_000_000,
} as const;
