"""Leave out of the suites' configuration what only Python on the master can serve.

A pillar source that does not exist gives every pillar of mom's masters the key _errors,
and minions then apply no states. Everything else of the configuration stays as it is.
"""
from saltfactories.manager import FactoriesManager

KNOWN = {"cmd_json", "cmd_yaml", "file_tree", "git", "http_json", "http_yaml", "mysql", "nodegroups", "stack"}
original = FactoriesManager.final_master_config_tweaks


def final_master_config_tweaks(self, config):
    sources = config.get("ext_pillar") or []
    config["ext_pillar"] = [source for source in sources if KNOWN & set(source)]
    original(self, config)


FactoriesManager.final_master_config_tweaks = final_master_config_tweaks
