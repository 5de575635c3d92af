import { DomainError } from "../../../domain/errors";
import { outcomeUnknown } from "../no-response";
import { common } from "../wire/messages";

/** MAV_MISSION_TYPE. */
export const PlanType = { mission: 0, fence: 1 } as const;
export type PlanType = (typeof PlanType)[keyof typeof PlanType];

export const MissionResult = { accepted: 0, error: 1, unsupported: 3, invalidSequence: 13 } as const;
export const missionResultName = (result: number): string =>
  `MAV_MISSION_${common.MavMissionResult[result] ?? String(result)}`;

export const label = (type: PlanType): string => (type === PlanType.fence ? "fence" : "mission");

/** What a vehicle says of a plan, and not of its readiness to arm, which it says again and again. */
export const isAboutPlans = (text: string): boolean =>
  /mission|waypoint|fence|vertex|polygon|circle|takeoff|landing|\bitems?\b|\bWPM\b/i.test(text) &&
  !/^(PreArm|Arm|Preflight)/i.test(text);

/** For a plan that was sent to its end, whether it arrived or not. */
export const planOutcomeUnknown = (type: PlanType, noResponse: DomainError): DomainError =>
  outcomeUnknown(
    `The ${label(type)} was sent and could not be read back: the vehicle may hold it, the one before or a mixture. ${noResponse.message}`,
    noResponse,
  );

export function refused(
  type: PlanType,
  verb: string,
  result: number,
  reasons: readonly string[],
): DomainError {
  return new DomainError(
    "vehicle_refused",
    `The vehicle refused to ${verb} the ${label(type)} (${missionResultName(result)})${explanation(reasons)}`,
  );
}

export const explanation = (reasons: readonly string[]): string =>
  reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
