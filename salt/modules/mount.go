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
	Register("mount",
		Function{Name: "active", Args: []Arg{{Name: "extended", Default: false}}, Run: mountActive, Doc: `
Return the mounted file systems by mount point. extended adds the device
numbers, the options of the file system, its UUID and label.

CLI Example:

    salt '*' mount.active
`},
		Function{Name: "is_mounted", Args: []Arg{{Name: "name", Required: true}}, Run: mountIs, Doc: `
Report whether something is mounted at the folder name.

CLI Example:

    salt '*' mount.is_mounted /mnt/share
`},
		Function{Name: "fstab", Args: []Arg{{Name: "config", Default: "/etc/fstab"}}, Run: mountFstab, Doc: `
Return the entries of the file config, by mount point.

CLI Example:

    salt '*' mount.fstab
`},
		Function{Name: "swaps", Run: mountSwaps, Doc: `
Return the swap space in use, by device or file.

CLI Example:

    salt '*' mount.swaps
`},
	)
}

// mountLines returns the lines of a file of /proc, split into words. It returns an error on
// hosts without the file.
func mountLines(name string) ([][]string, error) {
	b, err := procFile(name)
	if err != nil {
		return nil, CommandErrorf("File not readable /proc/%s: %v", name, err)
	}
	var out [][]string
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}

// mountTable reads /proc/self/mounts: the entries by mount point, in order.
func mountTable() (*value.Map, error) {
	rows, err := mountLines("self/mounts")
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	for _, f := range rows {
		if len(f) >= 4 {
			out.Set(f[1], f)
		}
	}
	return out, nil
}

// mountOptions returns the options of a mount in Salt's form.
func mountOptions(text string) []any {
	return wire.AnyList(strings.Split(strings.ReplaceAll(text, `\040`, `\ `), ","))
}

func mountActive(ctx context.Context, c *Call) (any, error) {
	table, err := mountTable()
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	if !c.IsTrue("extended") {
		table.Range(func(folder, v any) bool {
			f := v.([]string)
			out.Set(folder, value.NewMap("device", f[0], "alt_device", f[0], "fstype", f[2], "opts", mountOptions(f[3])))
			return true
		})
		return out, nil
	}
	rows, err := mountLines("self/mountinfo")
	if err != nil {
		return nil, err
	}
	blocks, err := c.blkid(ctx)
	if err != nil {
		blocks = value.NewMap() // without the program, UUIDs are unknown
	}
	for _, f := range rows {
		sep := slices.Index(f, "-")
		if sep < 6 || len(f) < sep+4 {
			continue
		}
		major, minor, _ := strings.Cut(f[2], ":")
		device := f[sep+2]
		var uuid, label, alt any
		if b := blocks.Map(device); b != nil {
			if v := b.String("UUID"); v != "" {
				uuid = strings.ToLower(v)
			}
			if v := b.String("LABEL"); v != "" {
				label = v
			}
		}
		if v, ok := table.Get(f[4]); ok {
			alt = v.([]string)[0]
		}
		out.Set(f[4], value.NewMap("mountid", f[0], "parentid", f[1], "major", major, "minor", minor, "root", f[3], "opts", mountOptions(f[5]),
			"fstype", f[sep+1], "device", strings.ReplaceAll(device, `\040`, `\ `), "alt_device", alt, "superopts", mountOptions(f[sep+3]),
			"device_uuid", uuid, "device_label", label))
	}
	return out, nil
}

func mountIs(_ context.Context, c *Call) (any, error) {
	table, err := mountTable()
	if err != nil {
		return nil, err
	}
	return table.Has(c.Str("name")), nil
}

func mountFstab(_ context.Context, c *Call) (any, error) {
	out := value.NewMap()
	b, err := os.ReadFile(c.Str("config"))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, CommandErrorf("read %s: %v", c.Str("config"), err)
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 4 || len(f) > 6 || strings.HasPrefix(f[0], "#") {
			continue
		}
		for len(f) < 6 {
			f = append(f, "0")
		}
		name := f[1]
		for out.Has(name) {
			name += "_"
		}
		out.Set(name, value.NewMap("device", f[0], "fstype", f[2], "opts", wire.AnyList(strings.Split(f[3], ",")), "dump", f[4], "pass", f[5]))
	}
	return out, nil
}

func mountSwaps(context.Context, *Call) (any, error) {
	rows, err := mountLines("swaps")
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	for _, f := range rows {
		if len(f) >= 5 && f[0] != "Filename" {
			out.Set(f[0], value.NewMap("type", f[1], "size", f[2], "used", f[3], "priority", f[4]))
		}
	}
	return out, nil
}
