#!/bin/sh
# On an upgrade ("upgrade" from dpkg, 1 from rpm) daemons are left alone.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now mom-api.service mom-master.service mom-minion.service mom-syndic.service
	fi
	;;
esac
