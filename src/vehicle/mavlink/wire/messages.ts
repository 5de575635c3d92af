import {
  ardupilotmega,
  common,
  MavLinkData,
  type MavLinkDataConstructor,
  MavLinkPacketField,
  type MavLinkPacketRegistry,
  MSG_ID_MAGIC_NUMBER,
  minimal,
  standard,
} from "node-mavlink";

/**
 * MAVLink keeps its messages in dialects that include one another; the library keeps only each dialect's
 * own. This is their sum, as an ArduPilot or PX4 vehicle speaks it.
 */
export { ardupilotmega, common, MavLinkData, type MavLinkDataConstructor, minimal, standard };

/** MAV_PARAM_ERROR: why a parameter was neither read nor set. */
export enum ParamErrorCode {
  NO_ERROR,
  DOES_NOT_EXIST,
  VALUE_OUT_OF_RANGE,
  PERMISSION_DENIED,
  COMPONENT_NOT_FOUND,
  READ_ONLY,
  TYPE_UNSUPPORTED,
  TYPE_MISMATCH,
  READ_FAIL,
}

/** PARAM_ERROR, which ArduPilot 4.7 answers for an unknown parameter and which the library does not carry. */
export class ParamError extends MavLinkData {
  static override MSG_ID = 345;
  static override MSG_NAME = "PARAM_ERROR";
  static override PAYLOAD_LENGTH = 21;
  static override MAGIC_NUMBER = 209;
  static override FIELDS = [
    new MavLinkPacketField("param_index", "paramIndex", 0, false, 2, "int16_t", ""),
    new MavLinkPacketField("target_system", "targetSystem", 2, false, 1, "uint8_t", ""),
    new MavLinkPacketField("target_component", "targetComponent", 3, false, 1, "uint8_t", ""),
    new MavLinkPacketField("param_id", "paramId", 4, false, 1, "char[]", "", 16),
    new MavLinkPacketField("error", "error", 20, false, 1, "uint8_t", ""),
  ];

  targetSystem = 0;
  targetComponent = 0;
  /** Up to 16 characters. */
  paramId = "";
  /** -1 when the parameter was asked for by name. */
  paramIndex = -1;
  /** See `ParamErrorCode`. */
  error = 0;
}

/** EVENT, by which PX4 reports what happens, coded; its texts are in a table of its version. The library does not carry it. */
export class Event extends MavLinkData {
  static override MSG_ID = 410;
  static override MSG_NAME = "EVENT";
  static override PAYLOAD_LENGTH = 53;
  static override MAGIC_NUMBER = 160;
  static override FIELDS = [
    new MavLinkPacketField("id", "id", 0, false, 4, "uint32_t", ""),
    new MavLinkPacketField("event_time_boot_ms", "eventTimeBootMs", 4, false, 4, "uint32_t", "ms"),
    new MavLinkPacketField("sequence", "sequence", 8, false, 2, "uint16_t", ""),
    new MavLinkPacketField("destination_component", "destinationComponent", 10, false, 1, "uint8_t", ""),
    new MavLinkPacketField("destination_system", "destinationSystem", 11, false, 1, "uint8_t", ""),
    new MavLinkPacketField("log_levels", "logLevels", 12, false, 1, "uint8_t", ""),
    new MavLinkPacketField("arguments", "arguments", 13, false, 1, "uint8_t[]", "", 40),
  ];

  /** The component's number in the upper 8 bits, and the event's in the others. */
  id = 0;
  /** Milliseconds since boot. */
  eventTimeBootMs = 0;
  /** Counts the vehicle's events. */
  sequence = 0;
  destinationComponent = 0;
  destinationSystem = 0;
  /** MAV_SEVERITY: for the log in the upper 4 bits, for others in the lower ones. */
  logLevels = 0;
  /** Up to 40 bytes. */
  arguments: number[] = [];
}

/** Message id → class. */
export const MESSAGES: MavLinkPacketRegistry = {
  ...minimal.REGISTRY,
  ...standard.REGISTRY,
  ...common.REGISTRY,
  ...ardupilotmega.REGISTRY,
  [ParamError.MSG_ID]: ParamError,
  [Event.MSG_ID]: Event,
};

/** One slot for each id that fits 16 bits; all ids in use do. A slot of -1 is an id we cannot check. */
const CRC_EXTRA = new Int16Array(65_536).fill(-1);
for (const [id, extra] of Object.entries(MSG_ID_MAGIC_NUMBER)) CRC_EXTRA[Number(id)] = Number(extra);
for (const message of Object.values(MESSAGES)) CRC_EXTRA[message.MSG_ID] = message.MAGIC_NUMBER;

/** The CRC_EXTRA byte of a message id, or -1 when the id is in no dialect we know. */
export const crcExtraOf = (id: number): number => (id < 65_536 ? (CRC_EXTRA[id] as number) : -1);

const V1_LENGTH = new Int16Array(256).fill(-1);
for (const { MSG_ID, FIELDS } of Object.values(MESSAGES)) {
  if (MSG_ID > 255) continue;
  const plain = FIELDS.filter(({ extension }) => !extension);
  V1_LENGTH[MSG_ID] = plain.reduce((sum, { size, length }) => sum + size * Math.max(1, length), 0);
}

/** The one payload length that a message has in MAVLink 1, or -1 when it has no class here. */
export const v1LengthOf = (id: number): number => V1_LENGTH[id] as number;
