package functions

import (
	"testing"

	"github.com/momtree/mom/value"
)

// The results are those of Salt 3006.27.
func TestAlternatives(t *testing.T) {
	h := newHost(t, value.NewMap("os_family", "Debian"), map[string]string{
		"update-alternatives": `case "$*" in
"--display gone"*) echo "update-alternatives: error: no alternatives for gone" >&2; exit 2;;
"--display "*) echo "ed - auto mode"; cat $here/choices;;
"--install "*) echo "$4 - priority $5" >> $here/choices;;
"--remove "*) grep -v "^$3 " $here/choices > $here/rest; mv $here/rest $here/choices;;
esac`,
	})
	h.put("choices", "/bin/one - priority 10\n", 0o644)
	args := []any{"link", "/bin/ed", "path", "/bin/two", "priority", 5}
	h.wants(h.apply("alternatives.install", "ed", true, args...), nil, changed{}, "Alternative will be set for ed to /bin/two with priority 5")
	r := h.apply("alternatives.install", "ed", false, args...)
	h.wants(r, true, changed{"name": "ed", "link": "/bin/ed", "path": "/bin/two", "priority": 5}, "Alternative /bin/two for ed registered with priority 5 and not set to default")
	if r.Extra.String("link") != "/bin/ed" || r.Extra.String("path") != "/bin/two" {
		t.Errorf("arguments in the result: %v", r.Extra)
	}
	h.wants(h.apply("alternatives.install", "ed", false, args...), true, changed{}, "Alternative /bin/two for ed is already registered")
	h.wants(h.apply("alternatives.auto", "ed", false), true, changed{}, "ed already in auto mode")
	h.wants(h.apply("alternatives.auto", "gone", true), nil, changed{}, "gone will be put in auto mode")
	h.wants(h.apply("alternatives.set", "ed", true, "path", "/bin/two"), nil, changed{}, "Alternative for ed will be set to path /bin/two")
	h.wants(h.apply("alternatives.set", "ed", false, "path", "/bin/three"), false, changed{}, "Alternative /bin/three for ed doesn't exist")
	h.wants(h.apply("alternatives.remove", "ed", true, "path", "/bin/two"), nil, changed{}, "Alternative for ed will be removed")
	h.wants(h.apply("alternatives.remove", "ed", false, "path", "/bin/two"), true, changed{}, "Alternative for ed removed")
	h.wants(h.apply("alternatives.remove", "ed", false, "path", "/bin/two"), false, changed{}, "Alternative for ed doesn't exist")
}

// The results are those of Salt 3006.27.
func TestSysctlPresent(t *testing.T) {
	h := newHost(t, value.NewMap("kernel", "Linux"), map[string]string{
		"sysctl": `case "$1" in -n) [ "$2" != c1.nosuch ] && echo 60;; -w) echo "$2" | sed 's/=/ = /';; esac`,
	})
	conf := h.dir + "/sysctl.conf"
	present := func(test bool, name string, v any) func(result any, changes changed, comment string) {
		r := h.apply("sysctl.present", name, test, "value", v, "config", conf)
		return func(result any, changes changed, comment string) {
			t.Helper()
			h.wants(r, result, changes, comment)
		}
	}
	present(true, "vm.swappiness", 60)(nil, changed{}, "Sysctl value is currently set on the running system but not in a config file. "+
		"Sysctl option vm.swappiness set to be changed to 60 in config file.")
	present(true, "vm.swappiness", 61)(nil, changed{}, "Sysctl option vm.swappiness set to be changed to 61")
	present(false, "vm.swappiness", 60)(true, changed{"vm.swappiness": 60}, "Updated sysctl value vm.swappiness = 60")
	present(false, "vm.swappiness", 60)(true, changed{}, "Sysctl value vm.swappiness = 60 is already set")
	present(true, "vm.swappiness", 60)(true, changed{}, "Sysctl value vm.swappiness = 60 is already set")
	present(true, "vm.swappiness", 61)(nil, changed{}, "Sysctl option vm.swappiness would be changed to 61")
	present(true, "c1.nosuch", 1)(nil, changed{}, "Sysctl option c1.nosuch would be changed to 1")
	present(false, "c1.nosuch", 1)(false, changed{}, "Failed to set c1.nosuch to 1: sysctl c1.nosuch does not exist")
}

// The results are those of Salt 3006.27.
func TestFstab(t *testing.T) {
	h := newHost(t, value.NewMap("kernel", "Linux"), map[string]string{"mount": `echo "mount: $1: no such device" >&2; exit 32`, "blkid": "exit 2"})
	h.put("fstab", "# c\n/dev/c1a\t/mnt/x ext4 defaults,noatime 0 1\ntmpfs /mnt/t tmpfs size=1m 0 0\n", 0o644)
	conf := h.dir + "/fstab"
	entry := func(more ...any) []any { return append([]any{"fs_vfstype", "ext4", "config", conf}, more...) }
	h.wants(h.apply("mount.fstab_present", "/dev/c1a", true, entry("fs_file", "/mnt/x")...), nil, changed{}, "/mnt/x entry will be updated in "+conf+".")
	h.wants(h.apply("mount.fstab_present", "/dev/c1a", false, entry("fs_file", "/mnt/x", "not_change", true)...), true, changed{}, "/mnt/x entry was already in "+conf+".")
	h.wants(h.apply("mount.fstab_present", "/dev/c1a", false, entry("fs_file", "/mnt/x")...), true, changed{"persist": "change"}, "/mnt/x entry updated in "+conf+".")
	h.wants(h.apply("mount.fstab_present", "/dev/c1b", true, entry("fs_file", "/mnt/y/")...), nil, changed{}, "/mnt/y entry will be written in "+conf+".\nWill mount /dev/c1b on /mnt/y")
	h.wants(h.apply("mount.fstab_present", "/dev/c1b", false, entry("fs_file", "/mnt/y/")...), false, changed{"persist": "new"},
		"/mnt/y entry added in "+conf+".\nError while mounting  /mnt/y: no such device")
	h.wants(h.apply("mount.fstab_present", "/dev/c1b", false, entry("fs_file", "/mnt/y/", "mount_by", "uuid")...), false, changed{}, "Device /dev/c1b cannot be converted to uuid")
	h.wants(h.apply("mount.fstab_absent", "/dev/c1b", true, "fs_file", "/mnt/y/", "config", conf), nil, changed{}, "/mnt/y entry will be removed from "+conf+".")
	h.wants(h.apply("mount.fstab_absent", "/dev/c1b", false, "fs_file", "/mnt/y/", "config", conf), true, changed{"persist": "removed"}, "/mnt/y entry removed from "+conf+".")
	h.wants(h.apply("mount.fstab_absent", "/dev/c1b", true, "fs_file", "/mnt/y/", "config", conf), nil, changed{}, "/mnt/y entry is already missing in "+conf+".")
	h.wants(h.apply("mount.unmounted", "/mnt/x", true, "persist", true, "config", conf), nil, changed{}, "Mount point /mnt/x is unmounted but needs to be purged from "+conf+" to be made persistent")
	h.wants(h.apply("mount.unmounted", "/mnt/x", false, "persist", true, "config", conf), true, changed{"persist": "purged"}, "Target was already unmounted. Removed target from fstab")
}
