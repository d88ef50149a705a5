/** What is wrong with a creation body, by what the answer's sentence has to name. */
export type WrongBody = { readonly names: string; readonly body: object };

/** Creation bodies that both jobs and services refuse; `container` is one that would be fine. */
export function wrongBodies(container: object): readonly WrongBody[] {
  return [
    { names: "containers", body: {} },
    { names: "containers", body: { containers: [] } },
    { names: "containers", body: { containers: "one" } },
    { names: "containers[0].image is required", body: { containers: [{}] } },
    { names: "containers[1].image", body: { containers: [container, { ...container, image: 5 }] } },
    { names: "image", body: { containers: [{ ...container, image: "no/such-image" }] } },
    ...[
      { names: "containers[0].command", with: { command: "run" } },
      { names: "containers[0].command[0]", with: { command: [1] } },
      { names: "containers[0].env[0].name", with: { env: [{ value: "x" }] } },
      { names: "containers[0].ports[0].port", with: { ports: [{ port: 65_536 }] } },
      { names: "containers[0].ports[0].port", with: { ports: [{ port: 0 }] } },
      {
        names: "containers[0].ports",
        with: { ports: Array.from({ length: 11 }, (_, index) => ({ port: index + 1 })) },
      },
      { names: "containers[0].resources.limits.memory", with: { resources: { limits: { memory: "12GB" } } } },
      { names: "containers[0].resources.limits.memory", with: { resources: { limits: { memory: 0 } } } },
      { names: "volumeMounts", with: { volumeMounts: [{ name: "nowhere", mountPath: "/data" }] } },
      { names: "containers[0].volumeMounts[0].mountPath", with: { volumeMounts: [{ name: "data" }] } },
    ].map(({ names, with: wrong }) => ({ names, body: { containers: [{ ...container, ...wrong }] } })),
    { names: "sync_timezone", body: { containers: [container], sync_timezone: "yes" } },
    { names: "volumes[0].name", body: { containers: [container], volumes: [{ type: "host", disk_name: "disk-1" }] } },
  ];
}
