import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

// `openapi.yaml` without what has the key `x-gantry-extension` is the API's document: a tool can leave out what only our server offers.

const KEY = "x-gantry-extension";
const SCHEMAS = "#/components/schemas/";

const Node = z.record(z.string(), z.unknown());
type Node = z.infer<typeof Node>;
const Spec = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), Node) }).and(Node),
});
const spec = Spec.parse(parse(readFileSync("openapi.yaml", "utf8")));
const { schemas } = spec.components;

/** Of a document: a schema that refers to one that is marked is marked as well. */
function isMarked(node: unknown): boolean {
  const { data } = Node.safeParse(node);
  if (data === undefined) return false;
  return KEY in data || isMarked(targetOf(data));
}

function targetOf({ $ref: ref }: Node): Node | undefined {
  return typeof ref === "string" ? schemas[ref.slice(SCHEMAS.length)] : undefined;
}

/** The names of the schemas that a node needs, and the fields of each. */
function collect(node: unknown, fields: Map<string, string[]>): void {
  if (Array.isArray(node)) for (const each of node) collect(each, fields);
  const { data } = Node.safeParse(node);
  if (data === undefined || isMarked(data)) return;
  const target = targetOf(data);
  const name = Object.keys(schemas).find((each) => schemas[each] === target);
  if (target !== undefined && name !== undefined && !fields.has(name)) {
    fields.set(name, fieldsOf(target));
    collect(target, fields);
  }
  for (const [key, each] of Object.entries(data)) if (key !== "examples") collect(each, fields);
}

function fieldsOf(schema: Node, path = ""): string[] {
  const own = Node.safeParse(schema["properties"]).data ?? {};
  return Object.entries(own).flatMap(([name, field]) => {
    if (isMarked(field)) return [];
    const inner = Node.parse(field);
    return [`${path}${name}`, ...fieldsOf(Node.safeParse(inner["items"]).data ?? inner, `${path}${name}.`)];
  });
}

/** The API's document by our schemas. What it leaves open and something has to stand for: the shape of errors and of the text of a deletion. */
const documented: Readonly<Record<string, string>> = {
  EnvVar: "name value",
  VolumeMount: "name mountPath readOnly",
  NewEnvVar: "name value",
  NewVolumeMount: "name mountPath",
  NewPort: "port protocol",
  JobList: "jobs",
  Job: "instance_names metadata spec status",
  JobMetadata: "name namespace selfLink uid resourceVersion creationTimestamp labels",
  JobSpec: "parallelism completions selector template",
  JobSelector: "matchLabels",
  JobTemplate: "metadata spec",
  JobTemplateMetadata: "name namespace creationTimestamp labels",
  JobTemplateSpec:
    "volumes containers restartPolicy terminationGracePeriodSeconds dnsPolicy serviceAccountName securityContext",
  HostVolume: "name hostPath hostPath.path",
  JobContainer: "name image command env resources volumeMounts terminationMessagePath imagePullPolicy",
  JobResources: "limits limits.cpu limits.memory",
  JobStatus: "conditions startTime completionTime succeeded",
  JobCondition: "type status lastProbeTime lastTransitionTime",
  NewJob: "containers volumes sync_timezone",
  NewJobContainer: "image pull_always command env ports resources volumeMounts",
  NewResources: "limits limits.memory",
  NewJobVolume: "name type",
  CreatedJob: "job",
  DeletedJob: "jobName",
  ServiceList: "region services",
  Service:
    "region uid name created_at status target_instance_size containers port_mappings volumes default_domain_name binding_domain_name",
  ServiceContainer: "name image command env ports resources volumeMounts imagePullPolicy",
  ServicePort: "container_port port protocol",
  ServiceResources: "limits limits.memory",
  PortMapping: "service_url container_port protocol",
  ServiceVolume: "name disk_name fsType is_read_only",
  NewService: "target_instance_size containers port_mappings volumes sync_timezone binding_domain_name",
  NewServiceContainer: "image command env ports resources volumeMounts",
  NewPortMapping: "container_port protocol",
  NewServiceVolume: "name disk_name is_read_only",
  ServiceUpdate: "target_instance_size containers binding_domain_name",
  ContainerUpdate: "resources resource",
  ResourcesUpdate: "limits limits.memory",
  ServiceLogEntry: "instance_name log",
  Error: "message",
  DeletedServiceJson: "message",
};

const methods = new Set(["get", "post", "put", "delete"]);

test("without what is marked as an extension, the spec has the operations and the fields of the API's document", () => {
  const fields = new Map<string, string[]>();
  collect(spec.paths, fields);
  collect(Object.fromEntries(Object.entries(spec.components).filter(([name]) => name !== "schemas")), fields);
  const operations = Object.entries(spec.paths).flatMap(([path, each]) =>
    Object.entries(each).flatMap(([method, node]) =>
      methods.has(method) && !isMarked(node) ? [`${method} ${path}`] : [],
    ),
  );

  const found = [...fields].filter(([, names]) => names.length > 0).map(([name, names]) => [name, names.toSorted()]);
  const expected = Object.entries(documented).map(([name, names]) => [name, names.split(" ").toSorted()]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  expect(operations).toHaveLength(14);
});

test("a memory limit of an update is one of the document's four without the extension, and what calls itself ours is marked", () => {
  const { anyOf } = z.object({ anyOf: z.array(Node) }).parse(schemas["MemoryUpdate"]);
  expect(anyOf.filter((each) => !isMarked(each))).toEqual([{ $ref: `${SCHEMAS}MemoryChoice` }]);
  expect(schemas["MemoryChoice"]).toMatchObject({ enum: [256, 512, 1024, 2048] });

  const unmarked = Object.entries(schemas).flatMap(([name, schema]) =>
    [schema, ...Object.values(Node.safeParse(schema["properties"]).data ?? {})].flatMap((each) => {
      const { description = "" } = Node.parse(each);
      return /Not defined by the API/u.test(String(description).replaceAll(/\s+/gu, " ")) && !isMarked(each)
        ? [name]
        : [];
    }),
  );
  expect(unmarked).toEqual([]);
});
