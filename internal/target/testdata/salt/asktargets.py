"""Answers what Salt's matchers make of targets. Given to salt-call by the test of the same purpose."""

import json
import re
import signal

import salt.loader
import salt.utils.minions


class Late(Exception):
    pass


def _late(*_):
    raise Late


def ask(minions, cases, answers):
    """Reads [kind, expression] a line and writes a character for each minion: 1 or 0, x for an error, t for too late."""
    with open(minions, encoding="utf-8") as f:
        site = json.load(f)
    opts = dict(__opts__)
    matchers = salt.loader.matchers(opts)
    subjects = []
    for m in site["minions"]:
        o = dict(opts)
        o.update(id=m["id"], minion_id=m["id"], grains=m["data"], pillar=m["data"], nodegroups=site["groups"])
        subjects.append(o)
    signal.signal(signal.SIGALRM, _late)

    def match(kind, tgt, o):
        if kind == "nodegroup":
            groups = dict(site["groups"], asked=tgt)
            words = salt.utils.minions.nodegroup_comp("asked", groups)
            return matchers["compound_match.match"](words, opts=o, minion_id=o["id"])
        return matchers[kind + "_match.match"](tgt, opts=o, minion_id=o["id"])

    with open(cases, encoding="utf-8") as f, open(answers, "w", encoding="utf-8") as out:
        for line in f:
            kind, tgt = json.loads(line)
            said = ""
            for o in subjects:
                signal.setitimer(signal.ITIMER_REAL, 1)
                try:
                    said += "1" if match(kind, tgt, o) else "0"
                except Late:
                    said += "t"
                except RecursionError:
                    said += "x"
                except Exception:  # pylint: disable=broad-except
                    said += "x"
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            out.write(said + "\n")
            re.purge()
    return True
