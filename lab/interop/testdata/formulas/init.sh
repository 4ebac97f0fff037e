#!/bin/sh
# init.sh PROGRAM [ARGUMENT…] is the first process of a box: it makes each box the same,
# whatever the machine has, and waits for the processes that nobody else waits for.
set -eu
umask 022
cd /
rm -rf /usr/sbin/policy-rc.d /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/preferences.d /var/lib/apt/lists
mkdir -p /etc/apt/sources.list.d /etc/apt/preferences.d /var/lib/apt/lists/partial
echo 'deb [trusted=yes] file:/minion/repo ./' > /etc/apt/sources.list
echo 'APT::Sandbox::User "root";' > /etc/apt/apt.conf.d/00box
# Where systemctl is but systemd is not, Salt leaves all services alone.
rm -f /usr/bin/systemctl /bin/systemctl /usr/sbin/runlevel /sbin/runlevel
printf '#!/bin/sh\necho N 2\n' > /usr/sbin/runlevel # systemd's is a link to systemctl
chmod 0755 /usr/sbin/runlevel
dpkg --purge nginx nginx-common openssh-server cron > /minion/log/purged 2>&1 || true
dpkg -i /minion/before/*.deb > /minion/log/before 2>&1
service apache-small start
useradd --no-create-home --shell /bin/sh nobody-else
mkdir -p /etc/cron.d /etc/nginx/snippets /etc/sudoers.d
echo nobody-else > /etc/sudoers.d/nobody-else
echo 'left from before' > /etc/nginx/snippets/old.conf
"$@" &
child=$!
trap 'kill -TERM $child 2> /dev/null' TERM INT
while kill -0 $child 2> /dev/null; do
	wait $child || true
done
