package functions

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	const about = `
name, fs_file
    The device (a path, UUID=… or LABEL=…) and the mount point.
mount_by
    How to identify the device: device, label, uuid, partlabel or partuuid.
config : /etc/fstab
    The fstab.
`
	Register("mount",
		Function{Name: "fstab_present", Run: fstabPresent, Spec: states.Spec{Args: args([]string{"name", "fs_file", "fs_vfstype"},
			"fs_mntops", "defaults", "fs_freq", 0, "fs_passno", 0, "mount_by", nil, "config", "/etc/fstab", "mount", true, "match_on", "auto",
			"not_change", false, "fs_mount", true)}, Doc: `
Ensure that fstab has an entry.
` + about + `
fs_vfstype, fs_mntops, fs_freq, fs_passno, fs_mount
    The other fields of the entry; fs_mount is for AIX.
match_on, not_change
    The fields that identify the entry, and whether an existing one stays as it
    is.
mount : True
    Mount a new entry.

    /dev/sdb1:
      mount.fstab_present:
        - fs_file: /mnt/sdb
        - fs_vfstype: ext4
`},
		Function{Name: "fstab_absent", Run: fstabAbsent, Spec: states.Spec{Args: args([]string{"name", "fs_file"}, "mount_by", nil, "config", "/etc/fstab")}, Doc: `
Ensure that fstab does not have an entry.
` + about + `
    /dev/sdb1:
      mount.fstab_absent:
        - fs_file: /mnt/sdb
`},
	)
}

// fsSpec returns the device in the form for fstab, "" if it cannot be determined.
func (c *Call) fsSpec(ctx context.Context) (string, error) {
	name, by := c.Name(), c.Str("mount_by")
	if by == "" || by == "device" && strings.HasPrefix(name, "/") || strings.HasPrefix(name, strings.ToUpper(by)+"=") {
		return name, nil
	}
	kwargs := value.NewMap("token", name)
	if strings.HasPrefix(name, "/") {
		kwargs = value.NewMap("device", name)
	}
	blocks, err := c.mapOfKw(ctx, "disk.blkid", kwargs)
	if err != nil || blocks.Len() != 1 {
		return "", err
	}
	device := pystr(blocks.Keys()[0])
	if by == "device" {
		return device, nil
	}
	if v := blocks.Map(device).String(strings.ToUpper(by)); v != "" {
		return strings.ToUpper(by) + "=" + v, nil
	}
	return "", nil
}

// fsFile returns the mount point of a call.
func (c *Call) fsFile() string {
	if file := c.Str("fs_file"); file != "/" {
		return strings.TrimRight(file, "/")
	}
	return "/"
}

func fstabPresent(ctx context.Context, c *Call) (*states.Result, error) {
	r, file, config := outcome(c), c.fsFile(), c.Str("config")
	spec, err := c.fsSpec(ctx)
	if err != nil {
		return workOr(r, "", err)
	}
	if spec == "" {
		return says(r, false, "Device %s cannot be converted to %s", c.Name(), c.Str("mount_by"))
	}
	out, err := c.Module(ctx, "mount.set_fstab", []any{file, spec, c.Value("fs_vfstype")}, value.NewMap("opts", c.Value("fs_mntops"), "dump", c.Value("fs_freq"),
		"pass_num", c.Value("fs_passno"), "config", config, "test", c.Test, "match_on", c.Value("match_on"), "not_change", c.Value("not_change")))
	if err != nil {
		return workOr(r, "", err)
	}
	if c.Test {
		text := map[any]string{"present": "%s entry is already in %s.", "new": "%s entry will be written in %s.", "change": "%s entry will be updated in %s."}[out]
		comment := fmt.Sprintf(text, file, config)
		if out == "new" && c.Truth("mount") {
			comment += fmt.Sprintf("\nWill mount %s on %s", c.Name(), file)
		}
		return says(r, nil, "%s", comment)
	}
	if out == "present" {
		return says(r, true, "%s entry was already in %s.", file, config)
	}
	r.Changes.Set("persist", out)
	if out == "change" {
		return says(r, true, "%s entry updated in %s.", file, config)
	}
	r.Comment = fmt.Sprintf("%s entry added in %s.", file, config)
	if !c.Truth("mount") {
		return r, nil
	}
	done, err := c.Module(ctx, "mount.mount", []any{file}, nil)
	if err != nil {
		return workOr(r, "", err)
	}
	if text, failed := done.(string); failed {
		_, why, ok := strings.Cut(text, ":")
		if !ok {
			why = text
		}
		r.Result = false
		r.Comment += "\nError while mounting " + why
		return r, nil
	}
	r.Comment += fmt.Sprintf("\nMounted %s on %s", c.Name(), file)
	return r, nil
}

func fstabAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	r, file, config := outcome(c), c.fsFile(), c.Str("config")
	spec, err := c.fsSpec(ctx)
	if err != nil {
		return workOr(r, "", err)
	}
	entries, err := c.mapOf(ctx, "mount.fstab", config)
	if err != nil {
		return workOr(r, "", err)
	}
	var verdict any = true
	if c.Test {
		verdict = nil
	}
	switch {
	case !entries.Has(file):
		return says(r, verdict, "%s entry is already missing in %s.", file, config)
	case c.Test:
		return says(r, nil, "%s entry will be removed from %s.", file, config)
	}
	if _, err := c.Module(ctx, "mount.rm_fstab", []any{file, spec, config}, nil); err != nil {
		return workOr(r, "", err)
	}
	r.Changes.Set("persist", "removed")
	return says(r, true, "%s entry removed from %s.", file, config)
}
