//go:build saltpeer

package interop

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deb is a small Debian package that the formulas install or take away: real for dpkg and
// apt, and its service runs a real process.
type deb struct {
	name, version, depends string
	daemon                 string            // name of the service that it brings
	started                bool              // by the installation, as Debian's packages do
	files                  map[string]string // by path; executable below bin and sbin
}

// boxed are in each root from the start.
var boxed = []deb{
	{name: "apache-small", version: "2.4", daemon: "apache-small"},
	{name: "tools-small", version: "1.0", files: map[string]string{"etc/tools.conf": "a=1\n"}},
	{name: "insserv-small", version: "1.0", files: map[string]string{
		// Salt enables services of Debian without systemd by insserv, which Debian has no more.
		"usr/sbin/insserv": "#!/bin/sh\nexec update-rc.d \"$1\" defaults\n",
	}},
}

// offered are what apt has.
var offered = []deb{
	{name: "nginx-common", version: "1.22.1-9", files: map[string]string{
		"etc/nginx/nginx.conf":              "worker_processes 1;\n",
		"etc/nginx/sites-available/default": "server { }\n",
	}},
	{name: "nginx", version: "1.22.1-9", depends: "nginx-common (= 1.22.1-9)", daemon: "nginx", started: true, files: map[string]string{
		"usr/sbin/nginx": `#!/bin/sh
[ "$1" = -t ] || exit 2
if grep -q '^# .*; site ' /etc/nginx/nginx.conf; then
	echo 'nginx: the configuration file /etc/nginx/nginx.conf syntax is ok' >&2
	echo 'nginx: configuration file /etc/nginx/nginx.conf test is successful' >&2
else
	echo 'nginx: [emerg] invalid configuration' >&2
	exit 1
fi
`,
	}},
	{name: "nginx", version: "1.24.0-1", depends: "nginx-common", daemon: "nginx", started: true},
	{name: "nginx-tools", version: "0.9"},
	{name: "nginx-tools", version: "0.10"},
	{name: "sudo-small", version: "1.9"},
	{name: "openssh-server", version: "1:9.2p1-2", daemon: "ssh", files: map[string]string{
		"etc/ssh/sshd_config": "# as it came\nPermitRootLogin yes\nUsePAM yes\n",
	}},
	{name: "cron-small", version: "3.0pl1-162", daemon: "cron", files: map[string]string{
		"usr/bin/crontab": crontab,
	}},
}

// crontab keeps tables as cron's own does: -l, -r, a file or standard input; -u for whom.
const crontab = `#!/bin/sh
spool=/var/spool/cron/crontabs
mkdir -p $spool
user=$(id -un)
if [ "$1" = -u ]; then
	user=$2
	shift 2
fi
table=$spool/$user
case "$1" in
-l)
	[ -f "$table" ] || { echo "no crontab for $user" >&2; exit 1; }
	cat "$table"
	;;
-r) rm "$table" ;;
-e) exit 1 ;;
-) cat > "$table" ;;
-u) exit 2 ;;
*) cat "$1" > "$table" ;;
esac
`

// initScript is that of a service whose process only sleeps.
const initScript = `#!/bin/sh
### BEGIN INIT INFO
# Provides:          NAME
# Required-Start:    $remote_fs
# Required-Stop:     $remote_fs
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: NAME
### END INIT INFO
pid=/run/NAME.pid
running() { [ -s $pid ] && kill -0 "$(cat $pid)" 2> /dev/null; }
start() {
	running && return
	setsid sleep infinity < /dev/null > /dev/null 2>&1 &
	echo $! > $pid
}
stop() {
	running || return 0
	kill "$(cat $pid)"
	rm -f $pid
}
echo "$1" >> /var/log/NAME.actions
case "$1" in
start) start ;;
stop) stop ;;
restart) stop; start ;;
reload | force-reload) running ;;
status)
	if running; then echo "NAME is running"; else echo "NAME is not running"; exit 3; fi
	;;
*) echo "usage: $0 start|stop|restart|reload|status" >&2; exit 2 ;;
esac
`

// build makes the package in a folder and gives its paragraph for the list of a repository.
func (d deb) build(t *testing.T, dir string) string {
	t.Helper()
	control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: for the formulas\n", d.name, d.version)
	if d.depends != "" {
		control += "Depends: " + d.depends + "\n"
	}
	files := map[string]string{"DEBIAN/control": control}
	for path, text := range d.files {
		files[path] = text
		if strings.HasPrefix(path, "etc/") {
			files["DEBIAN/conffiles"] += "/" + path + "\n"
		}
	}
	if d.daemon != "" {
		path := "etc/init.d/" + d.daemon
		files[path] = strings.ReplaceAll(initScript, "NAME", d.daemon)
		files["DEBIAN/conffiles"] += "/" + path + "\n"
		files["DEBIAN/postinst"] = "#!/bin/sh\nset -e\n"
		if d.started {
			files["DEBIAN/postinst"] += fmt.Sprintf("update-rc.d %s defaults\nservice %s start\n", d.daemon, d.daemon)
		}
		files["DEBIAN/postrm"] = fmt.Sprintf("#!/bin/sh\n[ \"$1\" != purge ] || update-rc.d %s remove\n", d.daemon)
	}
	root := filepath.Join(t.TempDir(), d.name)
	for path, text := range files {
		mode := os.FileMode(0o644)
		if strings.Contains(path, "bin/") || strings.Contains(path, "init.d/") || strings.HasPrefix(path, "DEBIAN/post") {
			mode = 0o755
		}
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s_%s.deb", d.name, strings.ReplaceAll(d.version, ":", "-"))
	file := filepath.Join(dir, name)
	if out, err := exec.Command("dpkg-deb", "--root-owner-group", "-Znone", "--build", root, file).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", d.name, err, out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%sFilename: ./%s\nSize: %d\nSHA256: %x\n\n", control, name, len(b), sha256.Sum256(b))
}

// buildDebs lays out below dir a repository for apt (repo) and what is installed before (before).
func buildDebs(t *testing.T, dir string) {
	t.Helper()
	for folder, debs := range map[string][]deb{"repo": offered, "before": boxed} {
		path := filepath.Join(dir, folder)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		var list strings.Builder
		for _, d := range debs {
			list.WriteString(d.build(t, path))
		}
		if folder == "repo" {
			write(t, filepath.Join(path, "Packages"), list.String())
		}
	}
}
