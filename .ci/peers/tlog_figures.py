"""What pymavlink reads of a telemetry log: its messages, and the figures of each of the vehicle's flights, as JSON.

    tlog_figures.py FILE

A flight ends with the disarming or with the vehicle's last message. Its figures are those of flight_figures.py; `used`
is in per cent.
"""

import json
import sys

from flight_figures import figures, spans
from pymavlink import mavutil
from pymavlink.dialects.v20 import ardupilotmega as mavlink

FAILING = (mavlink.MAV_STATE_CRITICAL, mavlink.MAV_STATE_EMERGENCY, mavlink.MAV_STATE_FLIGHT_TERMINATION)


def main(path):
    log = mavutil.mavlink_connection(path)
    count, bad, senders = 0, 0, {}
    vehicle = first = last = None
    positions, volts, used, consumed, changes, failsafes, was_failing = [], [], [], [], [], [], False
    while (message := log.recv_match()) is not None:
        kind, system, at = message.get_type(), message.get_srcSystem(), message._timestamp
        count, bad = count + 1, bad + (kind == "BAD_DATA")
        senders[system] = senders.get(system, 0) + 1
        is_beat = kind == "HEARTBEAT" and message.autopilot != mavlink.MAV_AUTOPILOT_INVALID
        if is_beat and vehicle is None:
            vehicle = system
        if system != vehicle:
            continue
        first, last = at if first is None else first, at
        if is_beat:
            armed = message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED != 0
            if not changes or armed != changes[-1][1]:
                changes.append((at, armed))
            failing = message.system_status in FAILING
            if failing and not was_failing:
                failsafes.append(at)
            was_failing = failing
        elif message.get_srcComponent() != mavlink.MAV_COMP_ID_AUTOPILOT1:
            continue
        elif kind == "GLOBAL_POSITION_INT" and (message.lat or message.lon):
            positions.append((at, message.lat / 1e7, message.lon / 1e7, message.relative_alt / 1000))
        elif kind == "SYS_STATUS":
            volts.append((at, message.voltage_battery / 1000))
            used.append((at, -message.battery_remaining))
        elif kind == "BATTERY_STATUS" and message.id == 0 and message.current_consumed >= 0:
            consumed.append((at, message.current_consumed))
    # The first state is a state, and no change.
    flights = spans(changes if changes and changes[0][1] else changes[1:], first, last) if any(a for _, a in changes) else []
    found = []
    for span in flights:
        inside = [mah for at, mah in consumed if span[0] <= at <= span[1]]
        used_mah = inside[-1] - inside[0] if inside else None
        found.append({**figures(span, positions, volts, used, failsafes), "used_mah": used_mah})
    print(json.dumps({"bad": bad, "messages": count, "senders": senders, "flights": found}))


main(sys.argv[1])
