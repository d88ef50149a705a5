/** What is wrong with a creation body, by what the answer's sentence has to name. */
export type WrongBody = { readonly names: string; readonly body: object };

/** An image that nobody has, and that no registry is asked for. */
export const missingImage = "localhost/no-such-image:1";

/** Creation bodies that both jobs and services refuse; `container` is one that would be fine. */
export function wrongBodies(container: object): readonly WrongBody[] {
  return [
    ...tooMany(container),
    ...wrongMounts(container),
    ...misspelt(container),
    { names: "containers", body: {} },
    { names: "containers", body: { containers: [] } },
    { names: "containers", body: { containers: "one" } },
    { names: "containers[0].image is required", body: { containers: [{}] } },
    { names: "containers[1].image", body: { containers: [container, { ...container, image: 5 }] } },
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
      ...[
        0,
        "0",
        -1,
        1e21,
        "1e21",
        "9".repeat(15),
        "9".repeat(400),
        1_048_577,
        "2Ti",
        "1Pi",
        "512mb",
        "Mi",
        "",
        null,
      ].map((memory) => ({
        names: "containers[0].resources.limits.memory",
        with: { resources: { limits: { memory } } },
      })),
      { names: "containers[0].env[0].name", with: { env: [{ name: "A=B", value: "" }] } },
      { names: "containers[0].env[0].name", with: { env: [{ name: "1A", value: "" }] } },
      { names: "containers[0].env[0].value", with: { env: [{ name: "A", value: "a\0b" }] } },
      { names: "containers[0].command[1]", with: { command: ["run", "a\0b"] } },
      { names: "containers[0].ports[0].protocol", with: { ports: [{ port: 53, protocol: "UDP" }] } },
      { names: "containers[0].ports has 80 twice", with: { ports: [{ port: 80 }, { port: 80, protocol: "tcp" }] } },
      { names: "containers[0].image", with: { image: "two words" } },
      { names: "volumeMounts", with: { volumeMounts: [{ name: "nowhere", mountPath: "/data" }] } },
      { names: "containers[0].volumeMounts[0].mountPath", with: { volumeMounts: [{ name: "data" }] } },
    ].map(({ names, with: wrong }) => ({ names, body: { containers: [{ ...container, ...wrong }] } })),
    { names: "sync_timezone", body: { containers: [container], sync_timezone: "yes" } },
    { names: "volumes[0].name", body: { containers: [container], volumes: [{ type: "host", disk_name: "disk-1" }] } },
  ];
}

/** One more than the contract takes, of everything that can be counted or measured. */
function tooMany(container: object): WrongBody[] {
  const wrong: readonly [names: string, max: number, field: (count: number) => object][] = [
    ["command", 100, (count) => ({ command: Array.from({ length: count }, () => "x") })],
    ["command[0]", 16_384, (count) => ({ command: ["x".repeat(count)] })],
    ["env", 200, (count) => ({ env: Array.from({ length: count }, (_, index) => ({ name: `V${index}` })) })],
    ["env[0].name", 253, (count) => ({ env: [{ name: "V".repeat(count) }] })],
    ["env[0].value", 16_384, (count) => ({ env: [{ name: "V", value: "x".repeat(count) }] })],
    ["image", 255, (count) => ({ image: "x".repeat(count) })],
    ["volumeMounts", 50, (count) => ({ volumeMounts: Array.from({ length: count }, (_, at) => mount(`/data/${at}`)) })],
    ["volumeMounts[0].mountPath", 255, (count) => ({ volumeMounts: [mount(`/${"x".repeat(count - 1)}`)] })],
  ];
  const volumes = Array.from({ length: 51 }, (_, index) => ({ name: `volume-${index}`, type: "host" }));
  return [
    { names: "containers must have at most 10", body: { containers: Array.from({ length: 11 }, () => container) } },
    { names: "containers must have at most 10", body: { containers: Array.from({ length: 9_000 }, () => ({})) } },
    { names: "volumes must have at most 50", body: { containers: [container], volumes } },
    ...wrong.map(([names, max, field]) => ({
      names: `containers[0].${names} must have at most ${max} `,
      body: { containers: [{ ...container, ...field(max + 1) }] },
    })),
  ];
}

function mount(mountPath: string) {
  return { name: "data", mountPath };
}

function wrongMounts(container: object): WrongBody[] {
  const paths = ["data", "/", "//", "/a//b", "/a/../b", "/..", "/a/.", "/a:b", "/a\nb"];
  const system = ["/etc", "/usr/", "/proc", "/proc/self/mem", "/dev/shm", "/sys/fs", "/etc/localtime"];
  return [
    ...[...paths, ...system].map((path) => ({
      names: "containers[0].volumeMounts[0].mountPath",
      mounts: [mount(path)],
    })),
    { names: "containers[0].volumeMounts has /data twice", mounts: [mount("/data"), mount("/data/")] },
    { names: "containers[0].volumeMounts[0].readOnly", mounts: [{ ...mount("/data"), readOnly: true }] },
  ].map(({ names, mounts: volumeMounts }) => ({ names, body: { containers: [{ ...container, volumeMounts }] } }));
}

function misspelt(container: object): WrongBody[] {
  return [
    { names: "sync_timezon isn't a property", body: { containers: [container], sync_timezon: true } },
    { names: "did you mean containers?", body: { containers: [container], container } },
    { names: "containers[0].imagePullPolicy", body: { containers: [{ ...container, imagePullPolicy: "Always" }] } },
    {
      names: "containers[0].resources.limits.memori",
      body: { containers: [{ ...container, resources: { limits: { memori: 512 } } }] },
    },
    {
      names: "__proto__",
      body: JSON.parse(JSON.stringify({ containers: [container] }).replace("{", '{"__proto__":1,')),
    },
  ];
}
