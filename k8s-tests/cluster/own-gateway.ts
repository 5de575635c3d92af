import { until } from "../../src/testing/until";
import { core, customObjects, freshNamespace } from "./release";

const namespace = "fleet-test-gateways";
const gatewayApi = { group: "gateway.networking.k8s.io", version: "v1" };

/** The listener by which routes name it. */
export const publicListener = { name: "public", namespace, sectionName: "https" };

/** Creates an object of the Gateway API; `plural`: of its kind, in lower case. */
export const createOfGatewayApi = (
  namespace: string,
  plural: string,
  kind: string,
  name: string,
  spec: object,
): Promise<unknown> =>
  customObjects.createNamespacedCustomObject({
    ...gatewayApi,
    namespace,
    plural,
    body: { apiVersion: `${gatewayApi.group}/${gatewayApi.version}`, kind, metadata: { name }, spec },
  });

/** A Gateway of an operator's own, of Traefik's class, with one listener of HTTPS, until the end of the file. */
export async function createGateway(
  port: number,
  certificate: Readonly<Record<string, string>>,
): Promise<void> {
  await freshNamespace(namespace);
  await core.createNamespacedSecret({
    namespace,
    body: { metadata: { name: "public-tls" }, type: "kubernetes.io/tls", stringData: { ...certificate } },
  });
  const listener = {
    name: publicListener.sectionName,
    protocol: "HTTPS",
    port,
    tls: { certificateRefs: [{ name: "public-tls" }] },
    allowedRoutes: { namespaces: { from: "All" } },
  };
  const { name } = publicListener;
  await createOfGatewayApi(namespace, "gateways", "Gateway", name, {
    gatewayClassName: "traefik",
    listeners: [listener],
  });
  await until(async () => {
    const gateway = await customObjects.getNamespacedCustomObject({
      ...gatewayApi,
      ...{ namespace, plural: "gateways", name },
    });
    expect(gateway).toMatchObject({
      status: {
        conditions: expect.arrayContaining([expect.objectContaining({ type: "Programmed", status: "True" })]),
      },
    });
  }, 60_000);
}
