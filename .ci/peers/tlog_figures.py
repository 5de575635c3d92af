"""What pymavlink reads of a telemetry log: its figures of the vehicle's flight, as JSON.

    tlog_figures.py FILE
"""

import json
import sys

from pymavlink import mavutil

ARMED = mavutil.mavlink.MAV_MODE_FLAG_SAFETY_ARMED


def main(path):
    log = mavutil.mavlink_connection(path)
    counts, senders, times = {}, {}, []
    armed_seconds, armed_at, highest = 0.0, None, None
    while (message := log.recv_match()) is not None:
        kind, system = message.get_type(), message.get_srcSystem()
        counts[kind] = counts.get(kind, 0) + 1
        senders[system] = senders.get(system, 0) + 1
        times.append(message._timestamp)
        if kind == "HEARTBEAT" and message.autopilot != mavutil.mavlink.MAV_AUTOPILOT_INVALID:
            armed = message.base_mode & ARMED != 0
            if armed and armed_at is None:
                armed_at = message._timestamp
            if not armed and armed_at is not None:
                armed_seconds += message._timestamp - armed_at
                armed_at = None
        if kind == "GLOBAL_POSITION_INT" and armed_at is not None:
            highest = max(highest if highest is not None else -1e9, message.relative_alt / 1000)
    if armed_at is not None:
        armed_seconds += times[-1] - armed_at
    print(
        json.dumps(
            {
                "bad": counts.get("BAD_DATA", 0),
                "messages": len(times),
                "senders": senders,
                "first": times[0],
                "last": times[-1],
                "armed_seconds": armed_seconds,
                "max_altitude_m": highest,
            }
        )
    )


main(sys.argv[1])
