package functions

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("mount",
		Function{Name: "mounted", Run: mountMounted, Spec: states.Spec{Args: args([]string{"name", "device", "fstype"},
			"mkmnt", false, "opts", "defaults", "dump", 0, "pass_num", 0, "config", "/etc/fstab", "persist", true, "mount", true, "user", nil,
			"match_on", "auto", "device_name_regex", nil, "extra_mount_invisible_options", nil, "extra_mount_invisible_keys", nil,
			"extra_mount_ignore_fs_keys", nil, "extra_mount_translate_options", nil, "hidden_opts", nil, "bind_mount_copy_active_opts", true), VarKw: true}, Doc: `
Ensure that a device is mounted, and has its entry in fstab.

name, device, fstype, opts, user
    The mount point, the device (a path, UUID=… or LABEL=…), the type, the
    options as a list or with commas, and the user who mounts.
mkmnt : False
    Create the mount point.
mount, persist : True
    Mount it now; write it to the file config.
config, dump, pass_num, match_on
    The fstab, two fields of its entry, and the fields that identify the entry.
device_name_regex
    Devices that count as the same one.
extra_mount_invisible_options, extra_mount_invisible_keys, hidden_opts, extra_mount_ignore_fs_keys, extra_mount_translate_options
    Options that do not cause a remount when they change.
bind_mount_copy_active_opts : True
    A bind mount gets the options of the source mount.

    /mnt/sdb:
      mount.mounted:
        - device: /dev/sdb1
        - fstype: ext4
        - mkmnt: True
`},
		Function{Name: "unmounted", Run: mountUnmounted, Spec: states.Spec{Args: args(onlyName,
			"device", nil, "config", "/etc/fstab", "persist", false, "user", nil), VarKw: true}, Doc: `
Ensure that nothing is mounted at a folder.

name, device, user
    The mount point, the device if several are mounted there, and the user who
    unmounts.
persist : False
    Remove its entry from the file config.
config : /etc/fstab
    The fstab.

    /mnt/sdb:
      mount.unmounted:
        - persist: True
`},
		Function{Name: "swap", Run: mountSwap, Spec: states.Spec{Args: args(onlyName, "persist", true, "config", "/etc/fstab")}, Doc: `
Ensure that a device or file is used as swap space.

persist : True
    Write it to the file config.
config : /etc/fstab
    The fstab.

    /root/swapfile:
      mount.swap: []
`},
		Function{Name: "mod_watch", Run: mountWatch, Spec: states.Spec{Args: args(onlyName, "user", nil, "sfun", nil, "device", nil, "fstype", "", "opts", "defaults"), VarKw: true}, Doc: `
Run when a state that mount.mounted watches has changed: it remounts.
`},
	)
}

// mounted is one run of mount.mounted.
type mounted struct {
	*Call
	r      *states.Result
	name   string
	real   string
	key    string // real in the kernel's form
	device string
	opts   []string
	active *value.Map
	found  string   // the selected device
	known  []string // devices mounted there
	cache  bool     // the cached mount options have changed
}

func (m *mounted) read(ctx context.Context) (err error) {
	m.active, err = m.mapOfKw(ctx, "mount.active", value.NewMap("extended", true))
	return err
}

// here returns what is mounted at the folder, or nil.
func (m *mounted) here() *value.Map { return m.active.Map(m.key) }

// ends sets the final result of the state.
func (m *mounted) ends(verdict any, format string, a ...any) (bool, error) {
	_, err := says(m.r, verdict, format, a...)
	return true, err
}

// resolved resolves the links of a path.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func mountMounted(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	for _, name := range []string{"name", "device", "fstype"} {
		if c.Str(name) == "" {
			return says(r, false, "Must provide %s to mount.mounted", name)
		}
	}
	m := &mounted{Call: c, r: r, name: c.Name(), device: c.Str("device"), opts: commaList(c.Value("opts"))}
	if m.name != "/" {
		m.name = strings.TrimRight(m.name, "/")
	}
	m.real = resolved(m.name)
	m.key = strings.ReplaceAll(m.real, " ", `\040`)
	if err := m.read(ctx); err != nil {
		return workOr(r, "", err)
	}
	for _, step := range []func(context.Context) (bool, error){m.findDevice, m.again, m.mount, m.persist} {
		done, err := step(ctx)
		if err != nil {
			return workOr(r, "", err)
		}
		if done {
			break
		}
	}
	return r, nil
}

// commaList returns a list; a string is split at commas.
func commaList(v any) []string {
	if s, ok := v.(string); ok {
		return strings.Split(s, ",")
	}
	return texts(v)
}

var (
	lvmDevice  = regexp.MustCompile(`^/dev/([^/]+)/([^/]+)$`)
	fuseDevice = regexp.MustCompile(`^\w+#(.+)`)
)

// findDevice determines the device.
func (m *mounted) findDevice(ctx context.Context) (bool, error) {
	upper := strings.ToUpper(m.device)
	_, behind, _ := strings.Cut(m.device, "=")
	switch {
	case strings.HasPrefix(m.device, "/"):
		m.found = m.bound()
		if m.found == "" {
			m.found = resolved(m.device)
		}
	case strings.HasPrefix(upper, "UUID="):
		m.found = strings.ToLower(strings.Trim(behind, `"`))
	case strings.HasPrefix(upper, "LABEL="):
		blocks, err := m.mapOfKw(ctx, "disk.blkid", value.NewMap("token", "LABEL="+behind))
		if err != nil {
			return false, err
		}
		if blocks.Len() == 0 {
			return m.ends(false, "Unable to find device with label %s.", behind)
		}
		for _, k := range blocks.Keys() {
			m.known = append(m.known, pystr(k))
		}
		m.found = m.known[0]
	default:
		m.found = m.device
	}
	if lvm := lvmDevice.FindStringSubmatch(m.device); lvm != nil {
		dashed := strings.NewReplacer("-", "--")
		if mapper := "/dev/mapper/" + dashed.Replace(lvm[1]) + "-" + dashed.Replace(lvm[2]); exists(mapper) {
			m.found = mapper
		}
	}
	if fuse := fuseDevice.FindStringSubmatch(m.device); fuse != nil {
		m.found = fuse[1]
	}
	return false, nil
}

// bound returns the device of an existing bind mount; "" if it is not one.
func (m *mounted) bound() string {
	here := m.here()
	if here == nil || !slices.Contains(m.opts, "bind") {
		return ""
	}
	remote := !strings.HasPrefix(here.String("device"), "/")
	for from := m.device; ; from = filepath.Dir(from) {
		if at := m.active.Map(strings.ReplaceAll(from, " ", `\040`)); at != nil {
			if m.Truth("bind_mount_copy_active_opts") {
				m.opts = slices.Concat(m.opts, at.Strings("opts"), at.Strings("superopts"))
				slices.Sort(m.opts)
				m.opts = slices.Compact(m.opts)
			}
			here.Set("opts", append(here.List("opts"), "bind"))
			if remote {
				return here.String("device")
			}
			return at.String("device")
		}
		if remote {
			return here.String("device")
		}
		if from == "/" || from == "." {
			return ""
		}
	}
}

// mount mounts or unmounts the device if needed.
func (m *mounted) mount(ctx context.Context) (bool, error) {
	if m.here() != nil {
		return false, nil
	}
	there, mkmnt := exists(m.name), m.Truth("mkmnt")
	var verdict any = true
	if m.Test {
		verdict = nil
	}
	if !m.Truth("mount") {
		switch {
		case there && m.Test:
			m.r.Comment = m.name + " would not be mounted"
		case there:
			m.r.Comment = m.name + " not mounted"
		case m.Test && mkmnt:
			m.r.Result, m.r.Comment = verdict, m.name+" would be created, but not mounted"
		case m.Test:
			m.r.Result, m.r.Comment = verdict, m.name+" does not exist and would neither be created nor mounted"
		case mkmnt:
			if _, err := m.Module(ctx, "file.mkdir", []any{m.name}, value.NewMap("user", m.Value("user"))); err != nil {
				return false, err
			}
			m.r.Comment = m.name + " was created, not mounted"
		default:
			m.r.Comment = m.name + " not present and not mounted"
		}
		return false, nil
	}
	switch {
	case m.Test && there:
		return m.ends(nil, "%s would be mounted", m.name)
	case m.Test && mkmnt:
		return m.ends(nil, "%s would be created and mounted", m.name)
	case m.Test:
		return m.ends(nil, "%s does not exist and would not be created", m.name)
	case !there && !mkmnt:
		return m.ends(false, "Mount directory is not present")
	}
	out, err := m.Module(ctx, "mount.mount", []any{m.name, m.device, mkmnt, m.Value("fstype"), texted(m.opts)}, value.NewMap("user", m.Value("user")))
	if err != nil {
		return false, err
	}
	m.cache = true
	if text, failed := out.(string); failed {
		return m.ends(false, "%s", text)
	}
	if err := m.read(ctx); err != nil {
		return false, err
	}
	if m.here() != nil {
		m.r.Comment = "Target was successfully mounted"
		m.r.Changes.Set("mount", true)
	}
	return false, nil
}

// persist writes the entry of fstab.
func (m *mounted) persist(ctx context.Context) (bool, error) {
	if !m.Truth("persist") {
		return true, nil
	}
	out, err := m.Module(ctx, "mount.set_fstab", []any{m.name, m.device, m.Value("fstype"), texted(m.opts), m.Value("dump"), m.Value("pass_num"), m.Value("config")},
		value.NewMap("test", m.Test, "match_on", m.Value("match_on")))
	if err != nil {
		return false, err
	}
	if m.Test {
		is := ""
		if m.Truth("mount") {
			is = m.name + " is mounted, but "
		}
		switch {
		case out == "present":
			written(m.r, out)
			return true, nil
		case out == "new" && is != "":
			return m.ends(nil, "%s. %sneeds to be written to the fstab in order to be made persistent.", m.r.Comment, is)
		case out == "new":
			return m.ends(nil, "%s. %s needs to be written to the fstab in order to be made persistent.", m.r.Comment, m.name)
		case is != "":
			return m.ends(nil, "%s. %sits fstab entry must be updated.", m.r.Comment, is)
		}
		return m.ends(nil, "%s. The %s fstab entry must be updated.", m.r.Comment, m.name)
	}
	if m.cache {
		if _, err := m.Module(ctx, "mount.write_mount_cache", []any{m.real, m.device, m.Value("mkmnt"), m.Value("fstype"), texted(m.opts)}, nil); err != nil {
			return false, err
		}
	}
	written(m.r, out)
	return true, nil
}

// written sets the result after the fstab entry was written.
func written(r *states.Result, out any) {
	switch out {
	case "present":
		r.Comment += ". Entry already exists in the fstab."
	case "new":
		r.Changes.Set("persist", "new")
		r.Comment += ". Added new entry to the fstab."
	case "change":
		r.Changes.Set("persist", "update")
		r.Comment += ". Updated the entry in the fstab."
	}
}

func mountSwap(ctx context.Context, c *Call) (*states.Result, error) {
	r, name := outcome(c), c.Name()
	device := name
	if to, err := os.Readlink(name); err == nil {
		if device = to; !strings.HasPrefix(to, "/") {
			device = "/dev/" + filepath.Base(to)
		}
	}
	on, err := c.mapOf(ctx, "mount.swaps")
	if err != nil {
		return workOr(r, "", err)
	}
	switch {
	case on.Has(device):
		r.Comment = "Swap " + name + " already active"
	case c.Test:
		r.Result, r.Comment = nil, "Swap "+name+" is set to be activated"
	default:
		if _, err := c.Module(ctx, "mount.swapon", []any{device}, nil); err != nil {
			return workOr(r, "", err)
		}
		if on, err = c.mapOf(ctx, "mount.swaps"); err != nil {
			return workOr(r, "", err)
		}
		r.Result, r.Comment = false, "Swap "+name+" failed to activate"
		if is := on.Map(device); is != nil {
			r.Result, r.Comment, r.Changes = true, "Swap "+name+" activated", is.Clone()
		}
	}
	if !c.Truth("persist") {
		return r, nil
	}
	entries, err := c.mapOf(ctx, "mount.fstab", c.Value("config"))
	if err != nil {
		return workOr(r, "", err)
	}
	if c.Test {
		there := entries.Has(name)
		entries.Range(func(_, v any) bool {
			there = there || v.(*value.Map).String("device") == name
			return !there
		})
		if !there {
			r.Result = nil
			if on.Has(name) {
				r.Comment = "Swap " + name + " is set to be added to the fstab and to be activated"
			}
		}
		return r, nil
	}
	if none := entries.Map("none"); none != nil && none.String("device") == name && none.String("fstype") != "swap" {
		return r, nil
	}
	out, err := c.Module(ctx, "mount.set_fstab", []any{"none", name, "swap", []any{"defaults"}, 0, 0, c.Value("config")}, nil)
	if err != nil {
		return workOr(r, "", err)
	}
	if out != "present" {
		written(r, out)
	}
	return r, nil
}

func mountUnmounted(ctx context.Context, c *Call) (*states.Result, error) {
	r, name, device := outcome(c), c.Name(), c.Str("device")
	if name == "" {
		return says(r, false, "Must provide name to mount.unmounted")
	}
	active, err := c.mapOfKw(ctx, "mount.active", value.NewMap("extended", true))
	if err != nil {
		return workOr(r, "", err)
	}
	if !active.Has(strings.ReplaceAll(name, " ", `\040`)) {
		r.Comment = "Target was already unmounted"
	} else {
		if c.Test {
			return says(r, nil, "Mount point %s is mounted but should not be", name)
		}
		out, err := c.Module(ctx, "mount.umount", []any{name, c.Value("device")}, value.NewMap("user", c.Value("user")))
		if err != nil {
			return workOr(r, "", err)
		}
		if out == true {
			r.Comment = "Target was successfully unmounted"
			r.Changes.Set("umount", true)
		} else {
			r.Result, r.Comment = false, pystr(out)
		}
		if _, err := c.Module(ctx, "mount.delete_mount_cache", []any{name}, nil); err != nil {
			return workOr(r, "", err)
		}
	}
	if !c.Truth("persist") {
		return r, nil
	}
	entries, err := c.mapOf(ctx, "mount.fstab", c.Value("config"))
	if err != nil {
		return workOr(r, "", err)
	}
	entry := entries.Map(name)
	switch {
	case entry == nil:
		r.Comment += ". fstab entry not found"
		return r, nil
	case device != "" && entry.String("device") != device:
		r.Comment += ". fstab entry for device " + device + " not found"
		return r, nil
	case c.Test:
		return says(r, nil, "Mount point %s is unmounted but needs to be purged from %s to be made persistent", name, c.Str("config"))
	}
	if _, err := c.Module(ctx, "mount.rm_fstab", []any{name, c.Value("device"), c.Value("config")}, nil); err != nil {
		return workOr(r, "", err)
	}
	r.Comment += ". Removed target from fstab"
	r.Changes.Set("persist", "purged")
	return r, nil
}

func mountWatch(ctx context.Context, c *Call) (*states.Result, error) {
	r := outcome(c)
	if c.Str("sfun") != "mounted" {
		r.Comment = "Watch not supported in " + c.Str("sfun") + " at this time"
		return r, nil
	}
	if c.Test {
		return says(r, nil, "%s is set to be remounted", c.Name())
	}
	out, err := c.Module(ctx, "mount.remount", []any{c.Name(), c.Value("device"), false, c.Value("fstype"), c.Value("opts")}, value.NewMap("user", c.Value("user")))
	if err != nil {
		return workOr(r, "", err)
	}
	if out != true {
		return says(r, false, "%s failed to remount: %s", c.Name(), pystr(out))
	}
	r.Comment = c.Name() + " remounted"
	return r, nil
}
