import type { V1EndpointSlice, V1Ingress, V1Secret, V1Service } from "@kubernetes/client-node";

export interface Route {
  readonly host: string;
  readonly path: string;
  readonly exact: boolean;
  /** Addresses with port of the pods that are ready, in a fixed order. */
  readonly pods: readonly string[];
  /** Identifies Service and port. */
  readonly service: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Of a host that an Ingress of the class `nginx` has a certificate for; both PEM. */
export interface Certificate {
  readonly host: string;
  readonly certificate: string;
  readonly key: string;
}

export function certificates(ingresses: readonly V1Ingress[], secrets: readonly V1Secret[]): Certificate[] {
  return ingresses.filter(isOurs).flatMap(({ metadata, spec }) =>
    (spec?.tls ?? []).flatMap(({ hosts = [], secretName }) => {
      const secret = secrets.find(
        (one) => one.metadata?.name === secretName && one.metadata?.namespace === metadata?.namespace,
      );
      const text = (name: string) => Buffer.from(secret?.data?.[name] ?? "", "base64").toString();
      if (!secret) return [];
      return hosts.map((host) => ({ host, certificate: text("tls.crt"), key: text("tls.key") }));
    }),
  );
}

const isOurs = ({ spec }: V1Ingress): boolean => spec?.ingressClassName === "nginx";

/** Every rule of every Ingress of the class `nginx`, with the pods that it leads to. */
export function ingressRoutes(
  ingresses: readonly V1Ingress[],
  services: readonly V1Service[],
  slices: readonly V1EndpointSlice[],
): Route[] {
  return ingresses.filter(isOurs).flatMap(({ metadata, spec }) =>
    (spec?.rules ?? []).flatMap(({ host = "", http }) =>
      (http?.paths ?? []).flatMap(({ path = "/", pathType, backend }) => {
        const { name = "", port } = backend.service ?? {};
        const namespace = metadata?.namespace ?? "";
        const service = services.find(
          (one) => one.metadata?.name === name && one.metadata.namespace === namespace,
        );
        const servicePort = service?.spec?.ports?.find((one) =>
          port?.name ? one.name === port.name : one.port === port?.number,
        );
        const pods = slices
          .filter(
            (slice) =>
              slice.metadata?.namespace === namespace &&
              slice.metadata.labels?.["kubernetes.io/service-name"] === name,
          )
          .flatMap((slice) => {
            const number = slice.ports?.find((one) => (one.name ?? "") === (servicePort?.name ?? ""))?.port;
            return (slice.endpoints ?? [])
              .filter(({ conditions }) => conditions?.ready !== false)
              .flatMap(({ addresses }) => addresses.map((address) => `${address}:${number}`));
          });
        return {
          host,
          path,
          exact: pathType === "Exact",
          pods: pods.toSorted(),
          service: `${namespace}_${name}_${servicePort?.port}`,
          annotations: metadata?.annotations ?? {},
        };
      }),
    ),
  );
}
