"""Reads a PX4 log with pyulog and writes it anew: rewrite_ulog.py FROM TO"""

import sys

from pyulog import ULog

ULog(sys.argv[1]).write_ulog(sys.argv[2])
