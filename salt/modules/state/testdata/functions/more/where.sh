#!/bin/sh
case $0 in "$PWD"/*.sh) echo here;; *) echo "$0";; esac
