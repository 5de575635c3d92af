import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { freshFolder } from "../../src/testing";
import { run, tool } from "../chart/helm";
import { chartFolder } from "../chart/values/values-schema";

/** helm in a namespace. Rejects with its output. */
export const helmIn =
  (namespace: string) =>
  async (command: string[], values: object = {}): Promise<string> => {
    const file = join(freshFolder("values"), "values.yaml");
    writeFileSync(file, stringify(values));
    const takesValues = command[0] === "install" || command[0] === "upgrade";
    const { stdout } = await run(tool("helm"), [
      ...[...command, "--namespace", namespace],
      ...(takesValues ? ["--values", file] : []),
    ]);
    return stdout;
  };

/** The chart as it was when its manifests had the keys. */
export function withKeysInManifests(): string {
  const folder = join(freshFolder("chart"), "fleet-gateway");
  cpSync(chartFolder, folder, { recursive: true });
  writeFileSync(
    join(folder, "templates/secrets/generated.yaml"),
    `{{- range $name, $keys := include "fleet.generatedSecrets" . | fromJson }}
apiVersion: v1
kind: Secret
metadata:
  name: {{ $name }}
  annotations:
    helm.sh/resource-policy: keep
type: Opaque
stringData:
{{- range $key, $kind := $keys }}
  {{ $key }}: {{ randAlphaNum 48 }}
{{- end }}
---
{{- end }}
`,
  );
  return folder;
}
