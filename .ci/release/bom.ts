import { randomUUID } from "node:crypto";

/** A part of a CycloneDX document, as far as it is used here. */
export interface Component {
  readonly type: "application" | "container" | "library";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly "bom-ref"?: string;
}

/** An SBOM: CycloneDX 1.5. */
export interface Bom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.5";
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

/** Of `component`, which consists of these. */
export const bomOf = (component: Component, components: readonly Component[], timestamp: string): Bom => ({
  ...{ bomFormat: "CycloneDX", specVersion: "1.5" },
  ...{ serialNumber: `urn:uuid:${randomUUID()}`, version: 1 },
  metadata: { ...{ timestamp }, component: referable(component) },
  components: components.map(referable),
});

const referable = (component: Component): Component => ({ "bom-ref": component.purl, ...component });

/** A third-party image, such as docker.io/library/redis:7.2.16-bookworm. */
export function imageComponent(image: string): Component {
  const [, registry = "", path = "", tag = ""] = /^([^/]+)\/([^:@]+):([^@]+)/.exec(image) ?? [];
  if (!tag) throw new Error(`${image} has no registry or no tag.`);
  const where = registry === "docker.io" ? "" : `?repository_url=${encodeURIComponent(registry)}`;
  return {
    type: "container",
    name: `${registry}/${path}`,
    version: tag,
    purl: `pkg:docker/${path}@${encodeURIComponent(tag)}${where}`,
  };
}
