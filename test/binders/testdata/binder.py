# What a minion makes of argument lists: reads lines {"list": [...]} and writes lines with
# "read", by signature: [arguments, keywords], or the name of the error.
import json

import salt.minion


def fixed(a=None, b=None, c=None):
    pass


def rest(a=None, *args):
    pass


def free(a=None, b=None, **kwargs):
    pass


def any_(*args, **kwargs):
    pass


SIGNATURES = {"fixed": fixed, "rest": rest, "free": free, "any": any_}


def record(source, target):
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            read = {}
            for name, function in SIGNATURES.items():
                try:
                    read[name] = salt.minion.load_args_and_kwargs(function, json.loads(line)["list"], {})
                    function(*read[name][0], **read[name][1])
                except Exception as e:  # each is recorded
                    read[name] = type(e).__name__
            line = json.loads(line)
            line["read"] = read
            out.write(json.dumps(line, sort_keys=True) + "\n")
    return True
