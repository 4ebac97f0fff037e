"""A module for minions of Salt's."""


def hello(who):
    return "hello " + who + " of " + __grains__["id"]
