package grains

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/momtree/mom/value"
)

// system returns the distribution, its init system and its security modules.
func (c *collector) system() *value.Map {
	g := value.NewMap()
	lay(g, c.lsb())
	lay(g, c.distribution())
	g.Set("init", c.initSystem())
	if c.tree.which("systemctl") {
		if v := c.systemdVersion(); v != "" {
			g.Set("systemd", value.NewMap("version", v))
		}
	}
	if mode := c.tree.line("/sys/fs/selinux/enforce"); mode != "" {
		enforced := "Permissive"
		if mode == "1" {
			enforced = "Enforcing"
		}
		g.Set("selinux", value.NewMap("enabled", true, "enforced", enforced))
	}
	g.Set("efi", c.tree.exists("/sys/firmware/efi"))
	g.Set("ps", "ps -efHww")
	return g
}

// parseOSRelease parses the assignments of an os-release file.
func parseOSRelease(text string) map[string]string {
	out := map[string]string{}
	for _, line := range strings.Split(text, "\n") {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || strings.HasPrefix(key, "#") {
			continue
		}
		out[key] = unquote(value)
	}
	return out
}

// unquote removes the quotes of a shell assignment.
func unquote(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] || s[0] != '"' && s[0] != '\'' {
		return s
	}
	inner := s[1 : len(s)-1]
	if s[0] == '\'' {
		return inner
	}
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) && strings.IndexByte("\"$`\\", inner[i+1]) >= 0 {
			i++
		}
		b.WriteByte(inner[i])
	}
	return b.String()
}

func (c *collector) distribution() *value.Map {
	text := c.tree.text("/etc/os-release")
	if text == "" {
		text = c.tree.text("/usr/lib/os-release")
	}
	rel := parseOSRelease(text)
	full := strings.TrimSpace(rel["NAME"])
	if full == "" {
		// A container with only the program, or a custom system.
		full = c.uname.sysname
	}
	name := osName(rel["ID"], full)
	if name == "SUSE" && full == "openSUSE Leap" {
		full = "Leap"
	}
	g := value.NewMap("os", name, "os_family", osFamily(name, rel["ID"], rel["ID_LIKE"]), "osfullname", full)
	if code := codename(rel); code != "" {
		g.Set("oscodename", code)
	}
	release := rel["VERSION_ID"]
	if release == "" && rel["BUILD_ID"] == "rolling" {
		release = "rolling"
	}
	if release != "" {
		lay(g, releaseGrains(name, full, release))
	}
	g.Set("osarch", osArch(g.String("os_family"), c.uname.machine))
	return g
}

var inParentheses = regexp.MustCompile(`\(([^)]+)\)`)

func codename(rel map[string]string) string {
	if code := rel["VERSION_CODENAME"]; code != "" {
		return code
	}
	switch rel["ID"] {
	case "almalinux", "rocky":
		if m := inParentheses.FindStringSubmatch(rel["VERSION"]); m != nil {
			return m[1]
		}
	}
	return rel["PRETTY_NAME"]
}

func releaseGrains(name, full, release string) *value.Map {
	info := versionInfo(release)
	g := value.NewMap("osrelease", release, "osrelease_info", info)
	major, numeric := info[0].(int64)
	if numeric {
		g.Set("osmajorrelease", major)
	}
	finger := full
	switch name {
	case "Debian", "Raspbian":
		finger = name
	}
	first, _, _ := strings.Cut(release, ".")
	if numeric {
		first = strconv.FormatInt(major, 10)
	}
	switch name {
	case "Ubuntu", "Pop":
		first = release
	}
	g.Set("osfinger", finger+"-"+first)
	return g
}

// lsb reads /etc/lsb-release, which some distributions have.
func (c *collector) lsb() *value.Map {
	g := value.NewMap()
	rel := parseOSRelease(c.tree.text("/etc/lsb-release"))
	for _, key := range []string{"ID", "RELEASE", "CODENAME", "DESCRIPTION"} {
		if v := rel["DISTRIB_"+key]; v != "" {
			g.Set("lsb_distrib_"+strings.ToLower(key), v)
		}
	}
	return g
}

// initSystem returns the name of process 1.
func (c *collector) initSystem() string {
	if c.tree.exists("/run/systemd/system") {
		return "systemd"
	}
	argv := strings.Split(strings.TrimRight(c.tree.text("/proc/1/cmdline"), "\x00"), "\x00")
	switch base := filepath.Base(argv[0]); base {
	case "systemd", "supervisord", "dumb-init", "tini", "runit", "upstart":
		return base
	case "docker-init":
		return "tini"
	case "my_init":
		return "runit"
	case "init":
		target := c.tree.link("/sbin/init")
		switch {
		case strings.Contains(target, "systemd"):
			return "systemd"
		case strings.Contains(target, "upstart"):
			return "upstart"
		case target == "" && c.tree.exists("/etc/inittab"):
			return "sysvinit"
		}
	}
	return "unknown"
}

var systemdLibrary = regexp.MustCompile(`^libsystemd-shared-(\d+)`)

// systemdVersion returns the version in the name of systemd's library, so that no program
// has to run.
func (c *collector) systemdVersion() string {
	dirs := []string{"/usr/lib/systemd", "/lib/systemd", "/usr/lib64/systemd"}
	for _, arch := range c.tree.list("/usr/lib") {
		if strings.Contains(arch, "-linux-gnu") {
			dirs = append(dirs, filepath.Join("/usr/lib", arch, "systemd"))
		}
	}
	for _, dir := range dirs {
		for _, name := range c.tree.list(dir) {
			if m := systemdLibrary.FindStringSubmatch(name); m != nil {
				return m[1]
			}
		}
	}
	return ""
}
