#!/bin/sh
# box.sh SHARED PROGRAM [ARGUMENT…] runs a program in a root of its own: that of this machine
# with a layer in memory over it, which goes with the last process. To be called in a mount
# and a pid namespace of its own. SHARED, a folder of this machine, is /minion in there.
set -eu
shared=$1
shift
box=$shared/box
mkdir -p "$box"
mount -t tmpfs -o mode=0755 box "$box"
mkdir "$box/upper" "$box/work" "$box/root"
mount -t overlay -o "lowerdir=/,upperdir=$box/upper,workdir=$box/work" box "$box/root"
mount -t proc proc "$box/root/proc"
mount --rbind /dev "$box/root/dev"
mount --rbind /sys "$box/root/sys"
mount -t tmpfs -o mode=0755 run "$box/root/run"
mount -t tmpfs -o mode=1777 tmp "$box/root/tmp"
mkdir -p "$box/root/run/lock" "$box/root/minion"
mount --bind "$shared" "$box/root/minion"
exec chroot "$box/root" /bin/sh /minion/init.sh "$@"
