import type { KubernetesObject } from "./helm";

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly Variable[];
  readonly restartPolicy?: string;
  readonly ports?: readonly {
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly name?: string;
  }[];
  readonly resources?: { readonly requests?: object; readonly limits?: object };
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
  readonly lifecycle?: { readonly preStop?: { readonly exec: { readonly command: readonly string[] } } };
  readonly startupProbe?: object;
  readonly livenessProbe?: { readonly exec?: { readonly command: readonly string[] } };
  readonly readinessProbe?: object;
  readonly securityContext?: {
    readonly privileged?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  };
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface PodSpec {
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly nodeSelector?: Record<string, string>;
  readonly tolerations?: readonly Toleration[];
  readonly enableServiceLinks?: boolean;
  readonly imagePullSecrets?: readonly { readonly name: string }[];
  readonly automountServiceAccountToken?: boolean;
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[];
  readonly securityContext?: {
    readonly runAsNonRoot?: boolean;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly {
    readonly name: string;
    readonly emptyDir?: object;
    readonly hostPath?: object;
    readonly configMap?: { readonly name: string };
    readonly secret?: { readonly secretName: string; readonly items?: readonly { readonly key: string }[] };
  }[];
}

export interface Workload {
  readonly object: KubernetesObject;
  readonly pod: PodSpec;
  readonly labels: Record<string, string>;
  readonly isService: boolean;
}

/** Every pod of the objects, of each kind of workload. */
export function workloads(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap((object): Workload[] => {
    if (object.kind === "Pod") {
      return [
        {
          object,
          pod: object.spec as unknown as PodSpec,
          labels: object.metadata.labels ?? {},
          isService: false,
        },
      ];
    }
    if (!["Deployment", "DaemonSet", "StatefulSet", "Job"].includes(object.kind)) return [];
    const { template } = object.spec as {
      template: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    };
    return [
      { object, pod: template.spec, labels: template.metadata.labels, isService: object.kind !== "Job" },
    ];
  });
}

/** Main containers and those that start before them. */
export const containersOf = (pod: PodSpec): readonly Container[] => [
  ...(pod.initContainers ?? []),
  ...pod.containers,
];

/** A container's variables as Kubernetes gives them, with these values for Secrets' keys. */
export function expanded({ env = [] }: Container, secrets: Record<string, string>): Record<string, string> {
  const known: Record<string, string> = {};
  for (const { name, value, valueFrom } of env) {
    const given = value ?? secrets[valueFrom?.secretKeyRef?.key ?? ""] ?? "";
    known[name] = given.replaceAll(/\$\((\w+)\)/g, (whole, other: string) => known[other] ?? whole);
  }
  return known;
}

/** `dist/cmd/admin.js create-buckets` → `admin create-buckets`, as configSchemas calls it. */
export function processOf({ args = [] }: Container): string {
  const at = args.findIndex((word) => /(^|\/)cmd\/\w+\.[jt]s$/.test(word));
  const [, name = ""] = /(\w+)\.[jt]s$/.exec(args[at] ?? "") ?? [];
  const [mode] = args
    .slice(at + 1)
    .filter((word) => name === "admin" || ["--userspace", "--guard", "--teardown"].includes(word));
  return mode ? `${name} ${mode}` : name;
}
