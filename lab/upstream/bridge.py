"""Forward the event bus of a daemon to the listener of pytest-salt-factories.

Salt does this with an engine, which a Go daemon cannot load. The listener is named in
the daemon's configuration file. The factories take a master for started once its event
salt/master/ID/start arrives there. It writes a line when it is ready. Usage: bridge.py master|minion ARGUMENTS-OF-THE-DAEMON
"""
import argparse
import ctypes
import os
import signal
import socket
import sys
import time

import msgpack
import salt.config
import salt.utils.event
import yaml

ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # end with the daemon (PR_SET_PDEATHSIG)
if os.getppid() == 1:  # it has ended already
    sys.exit(0)
role = sys.argv[1]
parser = argparse.ArgumentParser(add_help=False)
parser.add_argument("-c", "--config-dir", required=True)
conf = parser.parse_known_args(sys.argv[2:])[0].config_dir
path = os.path.join(conf, role)
with open(path, encoding="utf-8") as f:
    listener = (yaml.safe_load(f) or {}).get("pytest-" + role, {}).get("returner_address")
if not listener:
    sys.exit(0)
opts = {"master": salt.config.master_config, "minion": salt.config.minion_config}[role](path)
out = socket.create_connection((listener["host"], listener["port"]))
print("ready", flush=True)
if role == "master":
    # Salt tries a socket once a second, in which a minion can sign in and fire its start event.
    while True:
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(os.path.join(opts["sock_dir"], "master_event_pub.ipc"))
                break
            except OSError:
                time.sleep(0.01)
with salt.utils.event.get_event(role, sock_dir=opts["sock_dir"], opts=opts, listen=True) as bus:
    while not bus.cpub and not bus.connect_pub(timeout=1):
        time.sleep(0.1)
    if role == "master":
        tag = "salt/master/{}/start".format(opts["id"])
        bus.fire_event({"id": opts["id"], "tag": tag, "data": {}}, tag)
    for event in bus.iter_events(full=True, auto_reconnect=True):
        if event:
            event["id"] = opts["id"]
            out.sendall(msgpack.packb(event, use_bin_type=True, default=str))
