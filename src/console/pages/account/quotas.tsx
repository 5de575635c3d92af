import type { components } from "../../../client/api-types";
import { reply } from "../../../client/client";
import { bytes } from "../../format/bytes";
import { ShowLoaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import { Section } from "./section";

type QuotaUse = components["schemas"]["QuotaUse"];

const text = strings.account.quotas;

/** From this part of its limit a quota is marked. */
const NEARLY = 0.8;

/** What the user and each of their drones use of their quotas. */
export function QuotasPart() {
  const { api } = useSession().client;
  const loaded = useLoaded(async () => {
    const [quotas, drones] = await Promise.all([reply(api.GET("/user/quotas")), reply(api.GET("/drones"))]);
    return { quotas: quotas.data, names: new Map(drones.map(({ id, name }) => [id, name])) };
  });
  return (
    <Section title={text.title}>
      <ShowLoaded of={loaded}>
        {({ quotas, names }) => (
          <>
            <QuotaTable caption={text.own} quotas={quotas.filter(({ drone_id }) => drone_id === null)} />
            {byDrone(quotas).map(([id, ofDrone]) => (
              <details key={id} open={ofDrone.some(isNear)}>
                <summary>{text.ofDrone(names.get(id) ?? String(id))}</summary>
                <QuotaTable quotas={ofDrone} />
              </details>
            ))}
          </>
        )}
      </ShowLoaded>
      <button type="button" onClick={loaded.reload}>
        {text.reload}
      </button>
    </Section>
  );
}

const isNear = ({ used, limit }: QuotaUse): boolean => limit > 0 && used >= limit * NEARLY;

function byDrone(quotas: readonly QuotaUse[]): readonly [number, QuotaUse[]][] {
  const drones = new Map<number, QuotaUse[]>();
  for (const quota of quotas)
    if (quota.drone_id !== null) drones.set(quota.drone_id, [...(drones.get(quota.drone_id) ?? []), quota]);
  return [...drones];
}

const QuotaTable = ({ caption, quotas }: { caption?: string; quotas: readonly QuotaUse[] }) => (
  <table class="quotas">
    {caption && <caption>{caption}</caption>}
    <thead>
      <tr>
        <th scope="col">{text.counts}</th>
        <th scope="col">{text.used}</th>
        <th scope="col">{text.limit}</th>
      </tr>
    </thead>
    <tbody>
      {quotas.map((quota) => (
        <tr key={quota.quota} class={isNear(quota) ? "near" : undefined}>
          <th scope="row">
            {quota.counts}
            {quota.limit > 0 && (
              // The numbers beside it say the same.
              <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect width={100} height={4} class="share-ground" />
                <rect width={Math.min(100, (100 * quota.used) / quota.limit)} height={4} />
              </svg>
            )}
          </th>
          <td>
            {amount(quota.quota, quota.used)}
            {quota.waiting !== null && quota.waiting > 0 && <> {text.waiting(quota.waiting)}</>}
          </td>
          <td>{quota.limit === 0 ? text.noLimit : limitOf(quota)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const limitOf = ({ quota, limit, seconds }: QuotaUse): string =>
  seconds === null ? amount(quota, limit) : text.perTime(amount(quota, limit), text.time(seconds));

const amount = (quota: string, value: number): string =>
  quota.endsWith("_bytes") ? bytes(value) : value.toLocaleString();
