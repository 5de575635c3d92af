import { freshSecret, type SecretKind } from "../../src/admin/fresh-secret";
import type { KubernetesObject } from "./helm";
import { workloads } from "./pods";

/** What the release's Job is told to make: Secret → key → kind. Nothing where every Secret is given, and there is no Job. */
export function generatedKinds(
  objects: readonly KubernetesObject[],
): Record<string, Record<string, SecretKind>> {
  const variables = workloads(objects).flatMap(({ pod }) => pod.containers[0]?.env ?? []);
  const text = variables.find(({ name }) => name === "GENERATED_SECRETS")?.value;
  return text === undefined ? {} : JSON.parse(text);
}

/** Those Secrets with values, as they are in a cluster when the Job is done. */
export const generatedSecrets = (
  objects: readonly KubernetesObject[],
): Record<string, Record<string, string>> =>
  mapValues(generatedKinds(objects), (kinds) => mapValues(kinds, (kind) => freshSecret[kind]()));

const mapValues = <A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
