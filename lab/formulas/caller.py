"""Answer calls of a masterless Salt minion, so that its modules are loaded once for many.

Usage: caller.py CONFIG-FILE. Each line of the input is {"id": ID, "fun": NAME, "args": [ARGUMENT, ...]},
each line of the output {"value": RESULT} or {"error": TEXT}. Modules print to the error output.
"""
import json
import os
import sys

import salt.client
import salt.config

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
callers = {}
for line in sys.stdin:
    call = json.loads(line)
    try:
        if call["id"] not in callers:
            callers.clear()
            opts = salt.config.minion_config(sys.argv[1])
            opts["id"] = call["id"]
            callers[call["id"]] = salt.client.Caller(mopts=opts)
        answer = {"value": callers[call["id"]].function(call["fun"], *call["args"])}
        text = json.dumps(answer)
    except Exception as fault:  # whatever a module raises is the answer
        text = json.dumps({"error": str(fault) or type(fault).__name__})
    answers.write(text + "\n")
    answers.flush()
