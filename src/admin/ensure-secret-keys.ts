import type { CoreV1Api, V1Secret } from "@kubernetes/client-node";
import { ignoreNotFound } from "../platform/kubernetes";
import { freshSecret, type SecretKind } from "./fresh-secret";

const labels = { "app.kubernetes.io/part-of": "fleet-gateway" };

/** Attempts at a Secret that others write at the same time. */
const MAX_TRIES = 20;

/**
 * Adds the keys that a Secret lacks or has empty, and creates the Secret where there is none. Resolves with the names of
 * the new keys. Never overwrites a key, also when others write the Secret at the same time. Rejects with the error of
 * the API server.
 */
export async function ensureSecretKeys(
  { core, namespace }: { readonly core: CoreV1Api; readonly namespace: string },
  name: string,
  kinds: Readonly<Record<string, SecretKind>>,
): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    try {
      const live = await core.readNamespacedSecret({ name, namespace }).catch(ignoreNotFound);
      const missing = Object.keys(kinds).filter((key) => !live?.data?.[key]);
      if (live && missing.length === 0) return [];
      const data = Object.fromEntries(missing.map((key) => [key, encoded(kinds[key] as SecretKind)]));
      if (live) await core.patchNamespacedSecret({ name, namespace, body: additions(live, data) });
      else await core.createNamespacedSecret({ namespace, body: { metadata: { name, labels }, data } });
      return missing;
    } catch (error) {
      if (!isWriteConflict(error) || tries === MAX_TRIES) throw withoutExchange(name, error);
    }
  }
}

const encoded = (kind: SecretKind): string => Buffer.from(freshSecret[kind]()).toString("base64");

/** A JSON patch of this version only: a write in between makes it a conflict. */
const additions = ({ metadata, data }: V1Secret, more: Record<string, string>) => [
  { op: "replace", path: "/metadata/resourceVersion", value: metadata?.resourceVersion },
  ...(data ? [] : [{ op: "add", path: "/data", value: {} }]),
  ...Object.entries(more).map(([key, value]) => ({ op: "add", path: `/data/${key}`, value })),
];

const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;

/** The Secret was created, changed or deleted since it was read. */
function isWriteConflict(error: unknown): boolean {
  const { body = "" } = error as { body?: string };
  // The namespace is missing or being deleted: a retry would not help.
  if (/namespaces? \\?"/.test(String(body))) return false;
  return codeOf(error) === 409 || codeOf(error) === 404;
}

/** The client's own error prints the whole exchange, which may hold a key; the server's message does not. */
function withoutExchange(name: string, error: unknown): unknown {
  const code = codeOf(error);
  if (typeof code !== "number") return error;
  const { body } = error as { body?: string };
  return new Error(`The API server refuses the Secret ${name} (${code}): ${messageOf(body)}`);
}

function messageOf(body: string | undefined): string {
  try {
    return (JSON.parse(body ?? "") as { message: string }).message;
  } catch {
    return "without a reason";
  }
}
