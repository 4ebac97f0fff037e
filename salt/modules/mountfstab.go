package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	name, device := Arg{Name: "name", Required: true}, Arg{Name: "device", Required: true}
	config := Arg{Name: "config", Default: "/etc/fstab"}
	Register("mount",
		Function{Name: "set_fstab", VarKw: true, Run: mountSetFstab, Args: []Arg{
			name, device,
			{Name: "fstype", Required: true},
			{Name: "opts", Default: "defaults"},
			{Name: "dump", Default: int64(0)},
			{Name: "pass_num", Default: int64(0)},
			config,
			{Name: "test", Default: false},
			{Name: "match_on", Default: "auto"},
			{Name: "not_change", Default: false},
		}, Doc: `
Ensure that the file config has an entry for device at the folder name, with fstype, opts,
dump and pass_num. Returns present, change or new. test writes nothing. match_on are the
fields by which an entry is found: device, name, fstype, opts; auto is name for special file
systems, device for others. not_change leaves an entry that is found as it is.

CLI Example:

    salt '*' mount.set_fstab /mnt/foo /dev/sdz1 ext4
`},
		Function{Name: "rm_fstab", Args: []Arg{name, device, config}, Run: mountRemoveFstab, Doc: `
Remove the entry for the folder name and device, whatever device for None, from the file config.

CLI Example:

    salt '*' mount.rm_fstab /mnt/foo /dev/sdg
`},
	)
}

// fstabFields are the fields of an entry, in order.
var fstabFields = []string{"device", "name", "fstype", "opts", "dump", "pass_num"}

// fstabEntry parses a line; ok is false if it has no entry.
func fstabEntry(line string) (map[string]string, bool) {
	words := strings.Fields(line)
	if strings.HasPrefix(line, "#") || len(words) < 4 || len(words) > 6 {
		return nil, false
	}
	for len(words) < 6 {
		words = append(words, "0")
	}
	out := map[string]string{}
	for i, f := range fstabFields {
		out[f] = words[i]
	}
	return out, true
}

// fstabMatches reports whether an entry has these fields. The order of options does not
// matter.
func fstabMatches(entry, want map[string]string) bool {
	for k, v := range want {
		is := entry[k]
		if k == "opts" {
			a, b := strings.Split(is, ","), strings.Split(v, ",")
			slices.Sort(a)
			slices.Sort(b)
			is, v = strings.Join(a, ","), strings.Join(b, ",")
		}
		if is != v {
			return false
		}
	}
	return true
}

// namedFilesystems have no device of their own: their mount point identifies their entry.
var namedFilesystems = strings.Fields("none tmpfs sysfs proc fusectl debugfs securityfs devtmpfs cgroup nfs nfs4 glusterfs btrfs")

// fstabKeys returns the fields that identify the entry.
func (c *Call) fstabKeys() ([]string, error) {
	var keys []string
	switch v := c.Value("match_on").(type) {
	case []any:
		keys = textList(v)
	case string:
		keys = []string{v}
		if v == "auto" {
			keys = []string{"device"}
			if slices.Contains(namedFilesystems, c.Str("fstype")) {
				keys = []string{"name"}
			}
		}
	default:
		return nil, CommandErrorf("match_on must be a string or list of strings")
	}
	for _, k := range keys {
		if !slices.Contains(fstabFields, k) {
			return nil, CommandErrorf("Unrecognized keys in match_on: \"%s\"", k)
		}
	}
	return keys, nil
}

func mountSetFstab(_ context.Context, c *Call) (any, error) {
	opts := c.Str("opts")
	if list, ok := c.Value("opts").([]any); ok {
		opts = strings.Join(textList(list), ",")
	}
	entry := map[string]string{
		"name": c.Str("name"), "device": strings.ReplaceAll(c.Str("device"), `\ `, `\040`), "fstype": c.Str("fstype"),
		"opts": strings.ReplaceAll(opts, `\ `, `\040`), "dump": c.Str("dump"), "pass_num": c.Str("pass_num"),
	}
	for _, f := range fstabFields {
		if entry[f] == "" || strings.ContainsAny(entry[f], " \t\n\r\x00") {
			return nil, InvocationErrorf("invalid %s %s: it is empty or has a blank, which fstab writes as \\040", f, PyRepr(entry[f]))
		}
	}
	keys, err := c.fstabKeys()
	if err != nil {
		return nil, err
	}
	criteria := map[string]string{}
	for _, k := range keys {
		criteria[k] = entry[k]
	}
	config := c.Str("config")
	st, err := os.Stat(config)
	if err != nil || !st.Mode().IsRegular() {
		return nil, CommandErrorf("Bad config file \"%s\"", config)
	}
	b, err := os.ReadFile(config)
	if err != nil {
		return nil, CommandErrorf("Couldn't read from %s: %v", config, err)
	}
	line := entry["device"] + "\t\t" + entry["name"] + "\t" + entry["fstype"] + "\t" + entry["opts"] + "\t" + entry["dump"] + " " + entry["pass_num"] + "\n"
	status, out := "", ""
	for text := range strings.Lines(string(b)) {
		is, ok := fstabEntry(text)
		switch {
		case !ok || !fstabMatches(is, criteria):
			out += text
		case fstabMatches(is, entry) || c.IsTrue("not_change"):
			status, out = "present", out+text
		default:
			status, out = "change", out+line
		}
	}
	if status == "" {
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		status, out = "new", out+line
	}
	if status != "present" && !c.IsTrue("test") {
		if err := os.WriteFile(config, []byte(out), 0o644); err != nil {
			return nil, CommandErrorf("File not writable %s", config)
		}
	}
	return status, nil
}

func mountRemoveFstab(_ context.Context, c *Call) (any, error) {
	criteria := map[string]string{"name": c.Str("name")}
	if c.Value("device") != nil {
		criteria["device"] = c.Str("device")
	}
	config := c.Str("config")
	b, err := os.ReadFile(config)
	if err != nil {
		return nil, CommandErrorf("Couldn't read from %s: %s", config, pythonOSError(err))
	}
	var out strings.Builder
	for text := range strings.Lines(string(b)) {
		if is, ok := fstabEntry(text); !ok || !fstabMatches(is, criteria) {
			out.WriteString(text)
		}
	}
	if out.Len() != len(b) {
		if err := os.WriteFile(config, []byte(out.String()), 0o644); err != nil {
			return nil, CommandErrorf("Couldn't write to %s: %s", config, pythonOSError(err))
		}
	}
	return true, nil
}

func init() {
	name := Arg{Name: "real_name", Required: true}
	Register("mount",
		Function{Name: "read_mount_cache", Args: []Arg{{Name: "name", Required: true}}, Run: readMountCache, Doc: `
Return the saved mount parameters of the folder name for the state
mount.mounted.

CLI Example:

    salt '*' mount.read_mount_cache /mnt/share
`},
		Function{Name: "write_mount_cache", Args: []Arg{name, {Name: "device", Required: true}, {Name: "mkmnt", Required: true}, {Name: "fstype", Required: true}, {Name: "mount_opts", Required: true}}, Run: writeMountCache, Doc: `
Save the mount parameters of the folder real_name: device, mkmnt, fstype and
mount_opts.

CLI Example:

    salt '*' mount.write_mount_cache /mnt/share /dev/sda1 False ext4 defaults,nosuid
`},
		Function{Name: "delete_mount_cache", Args: []Arg{name}, Run: deleteMountCache, Doc: `
Remove the saved mount parameters of the folder real_name.

CLI Example:

    salt '*' mount.delete_mount_cache /mnt/share
`},
	)
}

// mountCache returns the content of the file cachedir/mounts, by mount point.
func (c *Call) mountCache() (path string, mounts *value.Map, err error) {
	path = c.cacheDir() + "/mounts"
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, value.NewMap(), nil
	}
	if err != nil {
		return path, nil, osFault(err)
	}
	kept, err := wire.DecodeMap(b)
	if err != nil {
		return path, value.NewMap(), nil //nolint:nilerr // it is written again
	}
	return path, kept, nil
}

func (c *Call) keepMounts(path string, mounts *value.Map) error {
	b, err := wire.Encode(mounts)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		return CommandErrorf("Unable to write mount cache: %v", err)
	}
	return nil
}

func readMountCache(_ context.Context, c *Call) (any, error) {
	_, mounts, err := c.mountCache()
	if err != nil {
		return nil, err
	}
	if m := mounts.Map(c.Str("name")); m != nil {
		return m, nil
	}
	return value.NewMap(), nil
}

func writeMountCache(_ context.Context, c *Call) (any, error) {
	path, mounts, err := c.mountCache()
	if err != nil {
		return nil, err
	}
	mounts.Set(c.Str("real_name"), value.NewMap("device", c.Value("device"), "fstype", c.Value("fstype"), "mkmnt", c.Value("mkmnt"), "opts", c.Value("mount_opts")))
	return true, c.keepMounts(path, mounts)
}

func deleteMountCache(_ context.Context, c *Call) (any, error) {
	path, mounts, err := c.mountCache()
	if err != nil || !mounts.Has(c.Str("real_name")) {
		return true, err
	}
	mounts.Delete(c.Str("real_name"))
	return true, c.keepMounts(path, mounts)
}
