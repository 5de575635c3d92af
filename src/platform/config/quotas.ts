import { type QuotaName, quotaNames, quotaOf } from "../quotas/table";
import { limit } from "./fields";

type QuotaVariable<Name extends QuotaName> = `QUOTA_${Uppercase<Name>}`;
type QuotaVariables = { readonly [Name in QuotaName as QuotaVariable<Name>]: number };

const quotaVariable = <Name extends QuotaName>(name: Name) =>
  `QUOTA_${name.toUpperCase()}` as QuotaVariable<Name>;

const windows: Readonly<Record<number, string>> = { 60: "a minute", 3600: "an hour", 86400: "a day" };

function field(name: QuotaName) {
  const { per, limit: most, seconds, counts } = quotaOf(name);
  const rate = seconds ? ` ${windows[seconds]}` : "";
  return limit(most, `Most${rate} per ${per}: ${counts}. 0 turns the quota off.`);
}

type QuotaFields<Name extends QuotaName> = { [N in Name as QuotaVariable<N>]: ReturnType<typeof field> };

/** The variables of these quotas. */
export const quotaGroup = <Name extends QuotaName>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [quotaVariable(name), field(name)])) as QuotaFields<Name>;

export const quotasGroup = quotaGroup(...quotaNames);

/** The configured limit of every quota. */
export const quotaLimits = (config: Partial<QuotaVariables>) =>
  Object.fromEntries(quotaNames.map((name) => [name, config[quotaVariable(name)]])) as Readonly<
    Partial<Record<QuotaName, number>>
  >;
