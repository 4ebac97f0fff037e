"""Answers what Salt makes of targets, of arguments, and of rules. Given to salt-call by the test that records."""

import json
import os

import salt.loader
import salt.minion
import salt.utils.minions


class Absent:
    """The default of all parameters."""


def _function(s):
    params = [p if i < s["required"] else p + "=Absent" for i, p in enumerate(s["params"])]
    if s["varargs"]:
        params.append("*rest")
    if s["varkw"]:
        params.append("**free")
    scope = {"Absent": Absent}
    exec("def f(" + ", ".join(params) + "): return locals()", scope)
    return scope["f"]


def _bind(q):
    func = _function(q["signature"])
    try:
        args, kwargs = salt.minion.load_args_and_kwargs(func, q["args"], {"jid": "1"})
        got = func(*args, **kwargs)
    except Exception:  # pylint: disable=broad-except
        return None
    free = {k: v for k, v in got.pop("free", {}).items() if not k.startswith("__pub_")}
    rest = list(got.pop("rest", ()))
    given = {k: v for k, v in got.items() if v is not Absent}
    return {"given": given, "rest": rest, "free": free}


def ask(cases, answers, pki):
    """Reads a question a line and writes an answer a line."""
    opts = dict(__opts__)
    opts["pki_dir"] = pki
    opts["cachedir"] = os.path.join(pki, "cache")
    opts["minion_data_cache"] = True
    opts["transport"] = "zeromq"
    opts["key_cache"] = ""
    matchers = salt.loader.matchers(opts)
    check = salt.utils.minions.CkMinions(opts)

    def match(q):
        out = ""
        for m in q["minions"]:
            o = dict(opts, id=m["id"], minion_id=m["id"], grains=m["grains"], pillar=m["pillar"])
            kwargs = {"opts": o, "minion_id": m["id"]}
            if q["delimiter"] and q["kind"] in ("grain", "grain_pcre", "pillar"):
                kwargs["delimiter"] = q["delimiter"]
            try:
                out += "1" if matchers[(q["kind"] or "glob") + "_match.match"](q["tgt"], **kwargs) else "0"
            except Exception:  # pylint: disable=broad-except
                out += "0"
        return out

    def allow(q):
        if q["form"] == "minions":
            return bool(check.auth_check(q["rules"], q["fun"], q["args"], q["tgt"], "list"))
        return check.spec_check(q["rules"], q["fun"], {"arg": q["args"], "kwarg": q["kwargs"]}, q["form"]) is True

    how = {"match": match, "bind": _bind, "allow": allow}
    with open(cases, encoding="utf-8") as f, open(answers, "w", encoding="utf-8") as out:
        for line in f:
            q = json.loads(line)
            out.write(json.dumps(how[q["ask"]](q)) + "\n")
    return True
