"""Run a command and write its wall time (seconds) and peak resident memory (as getrusage counts it) to a file.

Usage: python -I -S launch.py FILE COMMAND [ARGUMENT ...]

A process of its own, as small as an interpreter can be: Linux lets a child begin with the peak of the process
that started it, so a command started by a large benchmark would be credited with the benchmark's memory.
"""

import os
import sys
import time

record, *command = sys.argv[1:]
start = time.perf_counter()
process = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(process, 0)
seconds = time.perf_counter() - start
with open(record, "w", encoding="ascii") as file:
    file.write(f"{seconds} {usage.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status))
