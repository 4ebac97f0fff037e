"""Leave out of the suites' configuration what only Python on the master can serve.

A pillar source that does not exist gives every pillar of mom's masters the key _errors,
and minions then apply no states. Everything else of the configuration stays as it is.

On a busy machine UPSTREAM_PATIENCE=3 multiplies the time limits of tests and commands.
"""
import os

import pytest
from pytestshellutils.shell import ScriptSubprocess
from saltfactories.manager import FactoriesManager

KNOWN = {"cmd_json", "cmd_yaml", "file_tree", "git", "http_json", "http_yaml", "mysql", "nodegroups", "stack"}
PATIENCE = int(os.environ.get("UPSTREAM_PATIENCE") or 1)
original = FactoriesManager.final_master_config_tweaks
original_run = ScriptSubprocess.run


def final_master_config_tweaks(self, config):
    sources = config.get("ext_pillar") or []
    config["ext_pillar"] = [source for source in sources if KNOWN & set(source)]
    original(self, config)


def run(self, *args, env=None, _timeout=None, **kwargs):
    limit = _timeout or self.timeout
    return original_run(self, *args, env=env, _timeout=limit and limit * PATIENCE, **kwargs)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    for item in items:
        limit = item.get_closest_marker("timeout")
        if limit and limit.args and PATIENCE != 1:
            item.add_marker(pytest.mark.timeout(limit.args[0] * PATIENCE, *limit.args[1:], **limit.kwargs), append=False)


FactoriesManager.final_master_config_tweaks = final_master_config_tweaks
ScriptSubprocess.run = run
