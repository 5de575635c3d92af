import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData, ParamError, ParamErrorCode } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { Severity } from "../reports";
import { ParamType, type StoredParam } from "./store";

/** The index of answers to requests by name (ArduPilot). */
const NO_INDEX = 65_535;
/** Parameters a list sends at each step: about a thousand a second. */
const PER_STEP = 20;

export interface Sender {
  readonly systemId: number;
  readonly componentId: number;
}

/** PARAM_* as ArduPilot and as PX4 answer it. */
export class ParamProtocol {
  private next: number | undefined;

  constructor(
    private readonly flight: Flight,
    private readonly send: (message: MavLinkData) => void,
  ) {}

  /** Called when the ground station has disconnected. */
  forget(): void {
    this.next = undefined;
  }

  /** Send some more of a list that was asked for. */
  step(): void {
    for (let count = 0; count < PER_STEP && this.next !== undefined; count++) {
      const param = this.flight.params.at(this.next);
      if (!param) {
        this.next = undefined;
        return;
      }
      this.send(this.valueOf(param, param.index));
      this.next += 1;
    }
  }

  list(): void {
    this.next = 0;
  }

  read(request: common.ParamRequestRead, from: Sender): void {
    const byIndex = request.paramIndex >= 0;
    const param = byIndex
      ? this.flight.params.at(request.paramIndex)
      : this.flight.params.find(request.paramId);
    if (!param) {
      this.unknown(request.paramId, request.paramIndex, from);
      return;
    }
    const index = byIndex || this.flight.autopilot === "px4" ? param.index : NO_INDEX;
    this.send(this.valueOf(param, index));
  }

  set(request: common.ParamSet, from: Sender): void {
    const { params, autopilot, reports } = this.flight;
    const param = params.find(request.paramId);
    if (!param) {
      this.unknown(request.paramId, -1, from);
      return;
    }
    const notANumber = !Number.isFinite(request.paramValue) && param.type === ParamType.REAL32;
    if (autopilot === "px4") {
      if (notANumber) return;
      if (request.paramType !== (param.type as number)) {
        reports.text(Severity.ERROR, `param types mismatch param: ${param.name}`);
        return;
      }
      params.set(param.name, bytewiseValue(param.type, request.paramValue));
    } else {
      if (!Number.isFinite(request.paramValue)) {
        this.refuse(param.name, -1, ParamErrorCode.VALUE_OUT_OF_RANGE, from);
        return;
      }
      // The type of the request is ignored; an integer parameter rounds.
      params.set(param.name, request.paramValue);
    }
    this.send(this.valueOf(param, autopilot === "px4" ? param.index : NO_INDEX));
  }

  private unknown(name: string, index: number, from: Sender): void {
    if (this.flight.autopilot === "px4") {
      if (name) this.flight.reports.text(Severity.ERROR, `unknown param: ${name}`);
      return;
    }
    this.refuse(name, index, ParamErrorCode.DOES_NOT_EXIST, from);
  }

  private refuse(paramId: string, paramIndex: number, error: number, from: Sender): void {
    this.send(
      build(ParamError, {
        targetSystem: from.systemId,
        targetComponent: from.componentId,
        paramId,
        paramIndex,
        error,
      }),
    );
  }

  private valueOf(param: StoredParam, paramIndex: number): MavLinkData {
    const value = this.flight.autopilot === "px4" ? bytewiseFloat(param.type, param.value) : param.value;
    return build(common.ParamValue, {
      paramId: param.name,
      paramValue: value,
      paramType: param.type,
      paramCount: this.flight.params.all.length,
      paramIndex,
    });
  }
}

const scratch = new DataView(new ArrayBuffer(4));

/** PX4 puts an integer's bytes where the float's would be. */
function bytewiseFloat(type: ParamType, value: number): number {
  if (type === ParamType.REAL32) return value;
  scratch.setInt32(0, value);
  return scratch.getFloat32(0);
}

function bytewiseValue(type: ParamType, float: number): number {
  if (type === ParamType.REAL32) return float;
  scratch.setFloat32(0, float);
  return scratch.getInt32(0);
}
