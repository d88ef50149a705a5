import { expect, test } from "vitest";
import { inPlainWords } from "../../src/api/service-message.ts";

test.each<[string, string | undefined]>([
  [
    "service_name isn't valid: A lower-case letter or digit first, then lower-case letters, digits, `-` and `.`, with no `.` last.",
    "the name isn't valid",
  ],
  ["containers[0].image is required", "the image is required"],
  ["containers[0].resources.limits.memory must be a text such as 512", "the memory limit must be a text such as 512"],
  ["containers[1].env[0].name must not be empty", "name of the environment variables must not be empty"],
  ["/containers/0/image: Field required", "the image: Field required"],
  ["target_instance_size must be at most 1000", "the number of instances must be at most 1000"],
  [
    "binding_domain_name has a.example.com twice: send each once",
    "the domain list has a.example.com twice: send each once",
  ],
  ["Value error, job_name should match pattern '^[a-z0-9]+$'", "the name isn't valid"],
  ["String should match pattern '^[a-z0-9]+$'", undefined],
  ["items[3] is wrong", undefined],
  ["unknown region mars: use us, beijing1", "unknown region mars: use us, beijing1"],
  ["there is no service named my_service", "there is no service named my_service"],
  ['there is no service named "service_name"', 'there is no service named "service_name"'],
  ["image is unknown", "image is unknown"],
  [
    "no image registry.example.com/team/web_1:v2.0 in GitHub",
    "no image registry.example.com/team/web_1:v2.0 in GitHub",
  ],
  [
    "web is managed by the Helm release shop: change it there",
    "web is managed by the Helm release shop: change it there",
  ],
])("%s", (message, worded) => expect(inPlainWords(message)).toBe(worded));
