"""Print the options of unpacked Salts, each with the values that defaults, sample files and documentation show.

    python3 record.py SALT ... > salt.jsonl

SALT is a folder with salt/, conf/ and doc/ref/configuration/. What is said of the options in words is left out.
"""
import json
import os
import re
import subprocess
import sys

import yaml

out = {}

def note(role, name, value):
    if value == 'None' or isinstance(value, str) and value.count(' ') > 5:
        return  # the page's word for nothing; a sentence
    if role == 'master' and (name, value) == ('ret_port', False):
        return  # of another program's file
    try:
        text = json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):
        return
    out.setdefault((role, name), set()).add(text)

def sample(role, file):
    """What the commented lines of a sample file say, once each is uncommented."""
    lines = open(file).read().splitlines()
    i = 0
    while i < len(lines):
        m = re.match(r'^#? ?([a-z_][a-z0-9_.]*):(.*)$', lines[i])
        if not m:
            i += 1
            continue
        block = [re.sub(r'^# ?', '', lines[i])]
        j = i + 1
        while j < len(lines) and re.match(r'^#?  +[-\w\'"*]|^#? ?- ', lines[j]):
            block.append(re.sub(r'^#', '', lines[j]))
            j += 1
        for text in ('\n'.join(block), block[0]):
            try:
                v = yaml.safe_load(text)
            except yaml.YAMLError:
                continue
            if isinstance(v, dict) and len(v) == 1:
                note(role, m.group(1), list(v.values())[0])
                break
        i += 1

def documented(role, file):
    """Defaults and examples of a page of the reference."""
    if not os.path.exists(file):
        return
    lines = open(file).read().splitlines()
    names = set(n for r, n in list(out) if r == role)
    current = None
    for i, line in enumerate(lines):
        m = re.match(r'^\.\. conf_(?:master|minion):: (\S+)', line)
        if m:
            current = m.group(1)
            note(role, current, None)
        m = re.match(r'^Default: ``(.*)``', line.strip())
        if m and current:
            try:
                note(role, current, yaml.safe_load(m.group(1)))
            except yaml.YAMLError:
                pass
        if re.match(r'^\.\. code-block:: yaml', line.strip()):
            block = []
            for l in lines[i + 1:]:
                if l.strip() and not l.startswith('    '):
                    break
                block.append(l[4:])
            try:
                v = yaml.safe_load('\n'.join(block))
            except yaml.YAMLError:
                continue
            if isinstance(v, dict):
                for k, x in v.items():
                    if isinstance(k, str) and (k == current or (role, k) in out or k in names):
                        note(role, k, x)

def defaults(root):
    """The defaults, read by a Python that has no other Salt."""
    program = (
        'import json, salt.config as c\n'
        'print(json.dumps({"master": dict(c.DEFAULT_MASTER_OPTS), "minion": dict(c.DEFAULT_MINION_OPTS)},'
        ' default=lambda v: dict(v) if hasattr(v, "items") else list(v) if hasattr(v, "__iter__") else None))'
    )
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([root, root + '/shim']))
    return json.loads(subprocess.run([sys.executable, '-W', 'ignore', '-c', program], env=env, check=True, capture_output=True).stdout)


for root in sys.argv[1:]:
    for role, values in defaults(root).items():
        for name, value in values.items():
            note(role, name, value)
        sample(role, root + '/conf/' + role)
        documented(role, root + '/doc/ref/configuration/%s.rst' % role)

for role, name in sorted(out):
    print(json.dumps({'file': role, 'option': name, 'values': [json.loads(v) for v in sorted(out[role, name])]}, sort_keys=True))
