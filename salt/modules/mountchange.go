package modules

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	name, user := Arg{Name: "name", Required: true}, Arg{Name: "user"}
	device, mkmnt := Arg{Name: "device", Default: false}, Arg{Name: "mkmnt", Default: false}
	fstype, opts, util := Arg{Name: "fstype", Default: ""}, Arg{Name: "opts", Default: "defaults"}, Arg{Name: "util", Default: "mount"}
	for _, f := range []struct {
		name          string
		args          []Arg
		run           func(context.Context, *Call) (any, error)
		what, example string
	}{
		{
			"mount",
			[]Arg{name, device, mkmnt, fstype, opts, user, util},
			mountMount,
			"Mount device at the folder name, of type fstype and with opts, as user. mkmnt makes the folder. Returns\nTrue, or the error of mount. util can only be mount.",
			"mount /mnt/foo /dev/sdz1 True",
		},
		{
			"remount",
			[]Arg{name, {Name: "device", Required: true}, mkmnt, fstype, opts, user},
			mountRemount,
			"Remount device at the folder name, or mount it. mkmnt, fstype, opts and user are as for mount.mount.",
			"remount /mnt/foo /dev/sdz1 True",
		},
		{
			"umount",
			[]Arg{name, {Name: "device"}, user, util},
			mountUmount,
			"Unmount the folder name, or device, as user. Returns True, or an error message. util can only be mount.",
			"umount /mnt/foo",
		},
		{"swapon", []Arg{name, {Name: "priority"}}, mountSwapOn, "Use the device or file name as swap space, with a priority. Returns its attributes and whether it\nis new.", "swapon /root/swapfile"},
		{"swapoff", []Arg{name}, mountSwapOff, "Stop using the device or file name as swap space. None: it was not in use. False: it still is.", "swapoff /root/swapfile"},
		{"is_fuse_exec", []Arg{{Name: "cmd", Required: true}}, mountFuse, "Report whether the program cmd mounts by FUSE.", "is_fuse_exec sshfs"},
		{"get_mount_from_path", []Arg{{Name: "path", Required: true}}, mountOfPath, "Return the folder where the file system is mounted that holds path.", "get_mount_from_path /opt/some/nested/path"},
		{"get_device_from_path", []Arg{{Name: "path", Required: true}}, deviceOfPath, "Return the device that holds path.", "get_device_from_path /"},
	} {
		Register("mount", Function{Name: f.name, Args: f.args, Run: f.run, Doc: "\n" + f.what + "\n\nCLI Example:\n\n    salt '*' mount." + f.example + "\n"})
	}
}

// mountRun runs a mount program as the user of the call. It returns True, or the program's
// error message.
func (c *Call) mountRun(ctx context.Context, words ...string) (any, error) {
	out, err := c.callAll(ctx, wire.AnyList(words), value.NewMap("python_shell", false, "runas", c.Value("user")))
	if err != nil {
		return nil, err
	}
	if out.Int("retcode") != 0 {
		return out.String("stderr"), nil
	}
	return true, nil
}

// mountWords returns the arguments of mount before the device and the folder.
func (c *Call) mountWords(opts []string) []string {
	var words []string
	if list := strings.Join(opts, ","); list != "" {
		words = append(words, "-o", list)
	}
	if fstype := c.Str("fstype"); fstype != "" {
		words = append(words, "-t", fstype)
	}
	return words
}

// mountPaths checks the folder and the device of a call.
func (c *Call) mountPaths() (name, device string, err error) {
	name = c.Str("name")
	if err := plainArg("name", name); err != nil {
		return "", "", err
	}
	if isTrue(c.Value("device")) || given(c.Value("device")) && c.Value("device") != false {
		device = c.Str("device")
		err = plainArg("device", device)
	}
	return name, device, err
}

// onlyMount returns an error for mounting images.
func (c *Call) onlyMount() error {
	if util := c.Str("util"); util != "" && util != "mount" {
		return InvocationErrorf("util=%s is not supported by this minion, only mount is", util)
	}
	return nil
}

func mountMount(ctx context.Context, c *Call) (any, error) {
	if err := c.onlyMount(); err != nil {
		return nil, err
	}
	return c.mountIt(ctx)
}

func (c *Call) mountIt(ctx context.Context) (any, error) {
	name, device, err := c.mountPaths()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(name); err != nil && c.IsTrue("mkmnt") {
		if _, err := c.sub(ctx, "file.mkdir", []any{name}, value.NewMap("user", c.Value("user"))); err != nil {
			return nil, err
		}
	}
	if device == "" {
		return c.mountRun(ctx, "mount", name)
	}
	return c.mountRun(ctx, append(append([]string{"mount"}, c.mountWords(textList(c.Value("opts")))...), device, name)...)
}

func mountRemount(ctx context.Context, c *Call) (any, error) {
	name, device, err := c.mountPaths()
	if err != nil {
		return nil, err
	}
	table, err := mountTable()
	if err != nil {
		return nil, err
	}
	if !table.Has(name) {
		return c.mountIt(ctx)
	}
	opts := textList(c.Value("opts"))
	if !slices.Contains(opts, "remount") {
		opts = append(opts, "remount")
	}
	return c.mountRun(ctx, append(append([]string{"mount"}, c.mountWords(opts)...), device, name)...)
}

func mountUmount(ctx context.Context, c *Call) (any, error) {
	if err := c.onlyMount(); err != nil {
		return nil, err
	}
	name, device, err := c.mountPaths()
	if err != nil {
		return nil, err
	}
	table, err := mountTable()
	if err != nil {
		return nil, err
	}
	if !table.Has(name) {
		return name + " does not have anything mounted", nil
	}
	if device != "" {
		name = device
	}
	return c.mountRun(ctx, "umount", name)
}

// swapOf returns the attributes of a swap space, nil if it is not in use.
func swapOf(ctx context.Context, c *Call, name string) (any, error) {
	all, err := mountSwaps(ctx, c)
	if err != nil {
		return nil, err
	}
	v, _ := all.(*value.Map).Get(name)
	return v, nil
}

func mountSwapOn(ctx context.Context, c *Call) (any, error) {
	name, _, err := c.mountPaths()
	if err != nil {
		return nil, err
	}
	is, err := swapOf(ctx, c, name)
	if err != nil {
		return nil, err
	}
	if is != nil {
		return value.NewMap("stats", is, "new", false), nil
	}
	words := []string{"swapon", name}
	if isTrue(c.Value("priority")) {
		words = append(words, "-p", c.Str("priority"))
	}
	if _, err := c.sub(ctx, "cmd.run", []any{wire.AnyList(words)}, value.NewMap("python_shell", false)); err != nil {
		return nil, err
	}
	if is, err = swapOf(ctx, c, name); err != nil || is == nil {
		return value.NewMap(), err
	}
	return value.NewMap("stats", is, "new", true), nil
}

func mountSwapOff(ctx context.Context, c *Call) (any, error) {
	name, _, err := c.mountPaths()
	if err != nil {
		return nil, err
	}
	if is, err := swapOf(ctx, c, name); is == nil || err != nil {
		return nil, err
	}
	if _, err := c.sub(ctx, "cmd.run", []any{wire.AnyList([]string{"swapoff", name})}, value.NewMap("python_shell", false)); err != nil {
		return nil, err
	}
	is, err := swapOf(ctx, c, name)
	return is == nil, err
}

func mountFuse(ctx context.Context, c *Call) (any, error) {
	program := which(c.Str("cmd"))
	if program == "" {
		return false, nil
	}
	r, err := c.exec(ctx, "ldd", program)
	return strings.Contains(r.stdout, "libfuse"), err
}

func mountPoint(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", osFault(err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	table, err := mountTable()
	if err != nil {
		return "", err
	}
	for path != "/" && !table.Has(strings.ReplaceAll(path, " ", `\040`)) {
		path = filepath.Dir(path)
	}
	return path, nil
}

func mountOfPath(_ context.Context, c *Call) (any, error) { return mountPoint(c.Str("path")) }

func deviceOfPath(_ context.Context, c *Call) (any, error) {
	path, err := mountPoint(c.Str("path"))
	if err != nil {
		return nil, err
	}
	table, err := mountTable()
	if err != nil {
		return nil, err
	}
	if f, ok := table.Get(path); ok {
		return f.([]string)[0], nil
	}
	return nil, nil
}
