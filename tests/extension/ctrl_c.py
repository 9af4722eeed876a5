#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ctrl_c.py KREL_SO FLAG EXPECT CRASH ARG...: stop a run with Ctrl-C.

Starts crash on a terminal of its own, makes its reads slow (FLAG is the file
that slowio.c looks for), types `krel show -r -a`, and Ctrl-C after so many
reads: few, while the note is read, or many, in the middle of the scan.
The run must end at once and say so, without an answer. Then the session must
still give EXPECT, and crash's own handling of Ctrl-C must be back.
Prints what went wrong, and exits 1; else exits 0.
"""
import os
import pty
import select
import sys
import time

so, flag, expect = sys.argv[1:4]
pid, tty = pty.fork()
if pid == 0:
    os.execvp(sys.argv[4], sys.argv[4:])

seen = b""


def fail(what):
    print("ctrl_c: " + what)
    print(seen[-2000:].decode(errors="replace"))
    os.kill(pid, 9)
    sys.exit(1)


def wait_for(text, seconds, what):
    """Read on until text comes; what came up to its end is returned."""
    global seen
    end = time.monotonic() + seconds
    while text.encode() not in seen:
        left = end - time.monotonic()
        if left <= 0 or not select.select([tty], [], [], left)[0]:
            fail(f"no '{text}' within {seconds} s: {what}")
        try:
            seen += os.read(tty, 65536)
        except OSError:
            fail(f"crash ended: {what}")
    head, seen = seen.split(text.encode(), 1)
    return head + text.encode()


def type_line(line):
    os.write(tty, line.encode() + b"\n")


wait_for("crash> ", 60, "first prompt")
type_line(f"extend {so}")
wait_for("shared object loaded", 20, "loading")
wait_for("crash> ", 10, "prompt after loading")



def interrupt_after(reads):
    open(flag, "w").close()
    type_line("krel show -r -a")
    wait_for("krel show -r -a", 10, "echo of the command")
    end = time.monotonic() + 30
    while os.path.getsize(flag) < reads:
        if select.select([tty], [], [], 0.05)[0]:
            fail(f"the run ended before {reads} reads; so shows nothing")
        if time.monotonic() > end:
            fail(f"no {reads} reads within 30 s")
    began = time.monotonic()
    os.write(tty, b"\x03")
    said = wait_for("krel: interrupted", 10, f"Ctrl-C after {reads} reads")
    took = time.monotonic() - began
    if b"OFFSET" in said:
        fail("an interrupted run printed an answer")
    if took > 3:
        fail(f"the run went on for {took:.1f} s after Ctrl-C")
    wait_for("crash> ", 10, "prompt after the interrupted run")
    os.unlink(flag)


interrupt_after(2)
interrupt_after(16)

type_line("krel show")
wait_for(expect, 30, "the session's answer after Ctrl-C")
wait_for("crash> ", 10, "prompt after the answer")

# crash's own handler is back: Ctrl-C ends crash's own command as ever.
type_line("repeat -1 eval 1")
wait_for("hexadecimal", 10, "a command of crash's own")
os.write(tty, b"\x03")
time.sleep(0.5)
type_line("eval 4096 + 1")
wait_for("decimal: 4097", 10, "crash after Ctrl-C in a command of its own")
type_line("quit")
end = time.monotonic() + 15
while True:
    done, status = os.waitpid(pid, os.WNOHANG)
    if done:
        break
    if time.monotonic() > end:
        fail("crash does not quit")
    if select.select([tty], [], [], 0.1)[0]:
        try:
            seen += os.read(tty, 65536)
        except OSError:
            time.sleep(0.1)
if status != 0:
    fail(f"crash ended with wait status {status}")
