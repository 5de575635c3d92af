"""Prints every message of a flight log as pymavlink or pyulog reads it, a line of JSON each:
[name, time in microseconds or null, {field: value}].

    dump_log.py dataflash|tlog|ulog|ulog-head FILE

ulog-head prints what a PX4 log tells beside its topics: version, parameters, texts.
"""

import json
import math
import sys


def plain(value):
    """JSON has no NaN and no bytes; 64-bit numbers travel as text."""
    if isinstance(value, bytes):
        return value.split(b"\0")[0].decode("latin1")
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and abs(value) > 2**53:
        return str(value)
    if isinstance(value, (list, tuple)) or type(value).__name__ == "array":
        return [plain(each) for each in value]
    return value


def show(name, at, fields):
    print(json.dumps([name, at, {key: plain(value) for key, value in fields.items()}]))


def dataflash(path):
    from pymavlink import DFReader

    log = DFReader.DFReader_binary(path, zero_time_base=True)
    while (message := log.recv_msg()) is not None:
        show(message.get_type(), None, {key: getattr(message, key) for key in message.get_fieldnames()})


def tlog(path):
    from pymavlink import mavutil

    log = mavutil.mavlink_connection(path, notimestamps=False)
    while (message := log.recv_msg()) is not None:
        fields = {key: getattr(message, key) for key in message.get_fieldnames()}
        show(message.get_type(), round(message._timestamp * 1e6), fields)


def ulog(path):
    from pyulog import ULog

    for topic in ULog(path).data_list:
        for at in range(len(topic.data["timestamp"])):
            show(topic.name, None, {key: values[at] for key, values in topic.data.items()})


def ulog_head(path):
    from pyulog import ULog

    log = ULog(path)
    show("info", log.start_timestamp, log.msg_info_dict)
    show("version", None, {"name": log.get_version_info_str()})
    show("parameters", None, log.initial_parameters)
    for text in log.logged_messages:
        show("text", text.timestamp, {"level": text.log_level_str(), "text": text.message})


{"dataflash": dataflash, "tlog": tlog, "ulog": ulog, "ulog-head": ulog_head}[sys.argv[1]](sys.argv[2])
