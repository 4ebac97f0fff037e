"""Read and write with Salt's own returner: ask.py RETURNER OPTIONS JID-TO-READ JID-TO-WRITE."""
import importlib
import json
import sys

name, opts, old, new = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], sys.argv[4]
r = importlib.import_module("salt.returners." + name)
r.__opts__, r.__salt__ = opts, {}

load = {"fun": "test.ping", "tgt": "*", "tgt_type": "glob", "arg": [], "jid": new, "user": "root", "cmd": "publish", "ret": "", "kwargs": {}}
r.save_load(new, load)
r.save_load(new, load)  # a syndic or a second master repeats it
r.event_return([{"tag": "salt/x", "data": {"é": [1, None]}}])
for ident, value in (("py", True), ("py2", {"out": "grüße \U0001f600", "n": 1.5})):
    r.returner({"fun": "test.ping", "jid": new, "id": ident, "return": value, "success": True, "retcode": 0})
try:
    r.returner({"fun": "test.ping", "jid": old, "id": "a", "return": "second", "success": True, "retcode": 0})
    refused = False  # pgjsonb logs it
except Exception as e:  # postgres raises it
    refused = "duplicate" in str(e)

print(json.dumps({
    "load": r.get_load(old),
    "returns": r.get_jid(old),
    "fun": r.get_fun("test.ping") if name == "pgjsonb" else None,  # that of postgres is not SQL for PostgreSQL
    "jids": sorted(r.get_jids()),
    "minions": sorted(r.get_minions()),
    "refused": refused,
}))
