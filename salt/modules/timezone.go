package modules

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/text"
)

// zones are the paths of the host's time zone; tests replace them.
var zones = struct{ etc, zoneinfo, rtc string }{"/etc", "/usr/share/zoneinfo", "/dev/rtc"}

func init() {
	zone := Arg{Name: "timezone", Required: true}
	Register("timezone",
		Function{Name: "get_zone", Run: timezoneGet, Doc: `
Return the time zone of the host, such as America/Denver.

CLI Example:

    salt '*' timezone.get_zone
`},
		Function{Name: "get_zonecode", Run: timezoneDate("+%Z"), Doc: `
Return the abbreviated time zone of the host, such as MST.

CLI Example:

    salt '*' timezone.get_zonecode
`},
		Function{Name: "get_offset", Run: timezoneDate("+%z"), Doc: `
Return the offset of the host's time from UTC, such as -0700.

CLI Example:

    salt '*' timezone.get_offset
`},
		Function{Name: "set_zone", Args: []Arg{zone}, Run: timezoneSet, Doc: `
Set the time zone of the host to timezone. Running services do not use it until
they are restarted.

CLI Example:

    salt '*' timezone.set_zone 'America/Denver'
`},
		Function{Name: "zone_compare", Args: []Arg{zone}, Run: timezoneCompare, Doc: `
Return whether timezone is that of the host, that is, whether both files are equal.

CLI Example:

    salt '*' timezone.zone_compare 'America/Denver'
`},
		Function{Name: "get_hwclock", Run: timezoneHardware, Doc: `
Return the setting of the host's hardware clock: UTC or localtime.

CLI Example:

    salt '*' timezone.get_hwclock
`},
		Function{Name: "set_hwclock", Args: []Arg{{Name: "clock", Required: true}}, Run: timezoneSetHardware, Doc: `
Set the hardware clock of the host to clock: UTC or localtime. Only with
timedatectl.

CLI Example:

    salt '*' timezone.set_hwclock UTC
`},
	)
}

func (c *Call) grain(name string) string { return c.Env.Grains().String(name) }

func (c *Call) family(names ...string) bool {
	for _, n := range names {
		if strings.Contains(c.grain("os_family"), n) {
			return true
		}
	}
	return false
}

// timedatectl returns the output of that program; had is false on a host without it.
func (c *Call) timedatectl(ctx context.Context) (out string, had bool, err error) {
	if which("timedatectl") == "" {
		return "", false, nil
	}
	r, err := runSystem(ctx, c, "timedatectl")
	if err == nil && r.retcode != 0 {
		err = CommandErrorf("timedatectl failed: %s", r.stderr)
	}
	return r.stdout, true, err
}

var zoneLine = regexp.MustCompile(`(?m)^\s*Time ?zone:\s+(\S+)`)

func timezoneGet(ctx context.Context, c *Call) (any, error) {
	out, had, err := c.timedatectl(ctx)
	if err != nil {
		return nil, err
	}
	if had {
		if m := zoneLine.FindStringSubmatch(out); m != nil {
			return m[1], nil
		}
		return nil, CommandErrorf("Failed to parse timedatectl output: %s", out)
	}
	switch {
	case strings.EqualFold(c.grain("os"), "centos"), c.family("FreeBSD", "OpenBSD", "NetBSD", "Slackware"):
		return c.linkedZone(ctx)
	case c.family("RedHat", "Suse"):
		return setting(filepath.Join(zones.etc, "sysconfig/clock"), "ZONE")
	case c.family("Debian", "Gentoo"):
		path := filepath.Join(zones.etc, "timezone")
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, CommandErrorf("Problem reading timezone file %s: %v", path, err)
		}
		return strings.TrimSpace(string(data)), nil
	}
	return nil, CommandErrorf("Unable to get timezone")
}

// setting returns the first setting in a file whose name ends with the suffix.
func setting(path, name string) (any, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, osFault(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") || !strings.Contains(line, name) || !strings.Contains(line, "=") {
			continue
		}
		v := strings.Trim(strings.TrimSpace(line[strings.LastIndexByte(line, '=')+1:]), `'"`)
		if v == "" {
			v = "UTC"
		}
		return v, nil
	}
	return nil, CommandErrorf("Unable to get timezone from %s", path)
}

// linkedZone returns the zone that /etc/localtime links to or copies.
func (c *Call) linkedZone(ctx context.Context) (any, error) {
	local := filepath.Join(zones.etc, "localtime")
	to, err := os.Readlink(local)
	switch {
	case err == nil:
		if !filepath.IsAbs(to) {
			to = filepath.Join(zones.etc, to)
		}
		if name, ok := strings.CutPrefix(filepath.Clean(to), zones.zoneinfo+"/"); ok {
			return name, nil
		}
		return nil, CommandErrorf("Unable to determine timezone")
	case c.family("FreeBSD"):
		return timezoneDate("+%Z")(ctx, c)
	case errors.Is(err, fs.ErrNotExist):
		return nil, CommandErrorf("%s does not exist", local)
	}
	want, err := os.ReadFile(local)
	if err != nil {
		return nil, osFault(err)
	}
	name := ""
	err = filepath.WalkDir(zones.zoneinfo, func(path string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		zone := strings.TrimPrefix(path, zones.zoneinfo+"/")
		// posix and right repeat all others.
		if !d.Type().IsRegular() || zone[0] >= 'a' && zone[0] <= 'z' {
			return nil
		}
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
			name = zone
			return fs.SkipAll
		}
		return nil
	})
	if err == nil && name == "" {
		err = CommandErrorf("Unable to determine timezone")
	}
	return name, err
}

func timezoneDate(form string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		r, err := runSystem(ctx, c, "date", form)
		return said(r), err
	}
}

var zoneName = regexp.MustCompile(`^[A-Za-z0-9+_-]+(/[A-Za-z0-9+_-]+)*$`)

// zoneFile returns the file of a time zone. A name that points outside the folder is an
// error.
func zoneFile(name string) (string, error) {
	if !zoneName.MatchString(name) || strings.HasPrefix(name, "-") {
		return "", InvocationErrorf("%s is not a time zone", PyRepr(name))
	}
	return filepath.Join(zones.zoneinfo, name), nil
}

func timezoneSet(ctx context.Context, c *Call) (any, error) {
	name := c.Str("timezone")
	file, err := zoneFile(name)
	if err != nil {
		return nil, err
	}
	if !regular(file) {
		return "Zone does not exist: " + file, nil
	}
	if which("timedatectl") != "" {
		// If it fails because its service does not answer, the files are set instead.
		if _, err := runSystem(ctx, c, "timedatectl", "set-timezone", name); err != nil && ctx.Err() != nil {
			return nil, err
		}
	}
	local := filepath.Join(zones.etc, "localtime")
	tmp := local + ".new"
	_ = os.Remove(tmp) // of an earlier try
	if err := os.Symlink(file, tmp); err != nil {
		return nil, osFault(err)
	}
	if err := os.Rename(tmp, local); err != nil {
		return nil, osFault(errors.Join(err, os.Remove(tmp)))
	}
	switch {
	case c.family("RedHat"):
		err = setLine(filepath.Join(zones.etc, "sysconfig/clock"), "^ZONE=.*", `ZONE="`+name+`"`)
	case c.family("Suse"):
		err = setLine(filepath.Join(zones.etc, "sysconfig/clock"), "^TIMEZONE=.*", `TIMEZONE="`+name+`"`)
	case c.family("Debian", "Gentoo"):
		err = putText(filepath.Join(zones.etc, "timezone"), name+"\n")
	}
	return err == nil, err
}

// setLine replaces a line of an existing file.
func setLine(path, pattern, line string) error {
	body, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return osFault(err)
	}
	edit, err := text.Replace(body, text.ReplaceOptions{Pattern: pattern, Repl: line, Literal: true})
	if err != nil || !edit.Changed() {
		return textFault(err)
	}
	return osFault(writeOver(path, edit.Text(), false))
}

func timezoneCompare(ctx context.Context, c *Call) (any, error) {
	local := filepath.Join(zones.etc, "localtime")
	name := c.Str("timezone")
	if c.family("Arch", "FreeBSD") && !regular(local) {
		have, err := timezoneGet(ctx, c)
		return have == name, err
	}
	file, err := zoneFile(name)
	if err != nil {
		return nil, err
	}
	have, err := os.ReadFile(local)
	if err != nil {
		return nil, CommandErrorf("Failed to read %s to determine current timezone: %v", local, err)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		return nil, InvocationErrorf(`Can't find a local timezone "%s"`, name)
	}
	return bytes.Equal(have, want), nil
}

func timezoneHardware(ctx context.Context, c *Call) (any, error) {
	out, had, err := c.timedatectl(ctx)
	if err != nil {
		return nil, err
	}
	if had {
		for line := range strings.Lines(out) {
			name, v, _ := strings.Cut(line, ":")
			if strings.Contains(strings.ToLower(name), "rtc in local tz") {
				return map[bool]string{true: "localtime", false: "UTC"}[strings.EqualFold(strings.TrimSpace(v), "yes")], nil
			}
		}
		return nil, CommandErrorf("Failed to parse timedatectl output: %s", out)
	}
	switch {
	case c.family("Debian"):
		data, _ := os.ReadFile(filepath.Join(zones.etc, "default/rcS"))
		for line := range strings.Lines(string(data)) {
			if v, ok := strings.CutPrefix(strings.TrimSpace(line), "UTC="); ok {
				return map[bool]string{true: "UTC", false: "localtime"}[strings.EqualFold(v, "yes")], nil
			}
		}
	case c.family("RedHat", "Suse", "Gentoo", "Slackware"):
	default:
		return nil, nil
	}
	adjtime := filepath.Join(zones.etc, "adjtime")
	data, err := os.ReadFile(adjtime)
	if err == nil {
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		return lines[len(lines)-1], nil
	}
	if absentPath(zones.rtc) {
		return nil, nil // no clock
	}
	return nil, CommandErrorf("Unable to get hwclock timezone from %s", adjtime)
}

func timezoneSetHardware(ctx context.Context, c *Call) (any, error) {
	clock := c.Str("clock")
	if clock != "UTC" && clock != "localtime" {
		return nil, InvocationErrorf("Only 'UTC' and 'localtime' are allowed")
	}
	if which("timedatectl") == "" {
		return nil, &NotFoundError{"timedatectl"}
	}
	r, err := runSystem(ctx, c, "timedatectl", "set-local-rtc", map[bool]string{true: "true", false: "false"}[clock == "localtime"])
	return err == nil && r.retcode == 0, err
}
