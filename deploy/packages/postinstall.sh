#!/bin/sh
# Units are new or gone. Daemons that run go on with the old binary: nodes are restarted one
# at a time (docs/guide/operate/upgrade.md), and that is the operator's to do.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
