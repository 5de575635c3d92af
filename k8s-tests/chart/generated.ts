import { freshSecret, type SecretKind } from "../../src/admin/fresh-secret";
import type { KubernetesObject } from "./helm";
import { workloads } from "./pods";

/** The keys that the release's Job makes: Secret → key → kind. Empty when every Secret is given: there is no Job. */
export function generatedKinds(
  objects: readonly KubernetesObject[],
): Record<string, Record<string, SecretKind>> {
  const containers = workloads(objects).flatMap(({ pod }) => pod.containers);
  const text = containers.find(({ name }) => name === "make-secrets")?.args?.at(-1);
  return text === undefined ? {} : JSON.parse(text);
}

/** Those Secrets with values, as they are in a cluster when the Job is done. */
export const generatedSecrets = (
  objects: readonly KubernetesObject[],
): Record<string, Record<string, string>> =>
  mapValues(generatedKinds(objects), (kinds) => mapValues(kinds, (kind) => freshSecret[kind]()));

const mapValues = <A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
