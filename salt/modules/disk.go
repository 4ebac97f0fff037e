package modules

import (
	"context"
	"regexp"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	args := []Arg{{Name: "args"}}
	const flags = `args are letters of options of df: a B h H i k l P t T x v.`
	Register("disk",
		Function{Name: "usage", Args: args, Run: diskFull, Doc: `
Return the usage of the host's file systems. ` + flags + `

CLI Example:

    salt '*' disk.usage
`},
		Function{Name: "inodeusage", Args: args, Run: diskInodes, Doc: `
Return the inode usage of the host's file systems. ` + flags + `

CLI Example:

    salt '*' disk.inodeusage
`},
		Function{Name: "percent", Args: args, Run: diskPercent, Doc: `
Return the usage of the host's file systems in percent; with args, a mount
point, only of that one.

CLI Example:

    salt '*' disk.percent /var
`},
		Function{Name: "blkid", Args: []Arg{{Name: "device"}, {Name: "token"}}, Run: diskBlkid, Doc: `
Return the output of blkid for all block devices, of one device, or of those with a
token such as TYPE=ext4.

CLI Example:

    salt '*' disk.blkid
    salt '*' disk.blkid /dev/sda
    salt '*' disk.blkid token='TYPE=ext4'
`},
	)
}

// diskFlags returns the flags for df.
func (c *Call) diskFlags() ([]string, error) {
	var letters string
	switch v := c.Value("args").(type) {
	case nil:
	case []any:
		letters = strings.Join(textList(v), "")
	default:
		letters = PyStr(v)
	}
	if letters == "" {
		return nil, nil
	}
	if strings.Trim(letters, "aBhHiklPtTxv") != "" {
		return nil, CommandErrorf("Invalid flag passed to %s", c.Fun)
	}
	return []string{"-" + letters}, nil
}

// df runs df. It ignores errors about single file systems.
func (c *Call) df(ctx context.Context, words ...string) ([]string, error) {
	r, err := runSystem(ctx, c, append([]string{"df"}, words...)...)
	return strings.Split(r.stdout, "\n"), err
}

// dfOption returns the option of df for one line per file system.
func (c *Call) dfOption() []string {
	switch c.grain("kernel") {
	case "Linux":
		return []string{"-P"}
	case "OpenBSD":
		return []string{"-kP"}
	}
	return nil
}

// fileSystems splits the output of df. It calls each with the mount point and the columns
// of each file system.
func (c *Call) fileSystems(lines []string, each func(mounted string, cols []string)) {
	at, pending := 5, ""
	if c.grain("kernel") == "Darwin" {
		at = 8
	}
	for _, line := range lines {
		if line == "" || strings.HasPrefix(line, "Filesystem") {
			continue
		}
		cols := strings.Fields(pending + line)
		if len(cols) == 1 {
			pending = line + " " // a long name has its own line
			continue
		}
		pending = ""
		for len(cols) >= 2 && strings.Trim(cols[1], "0123456789") != "" {
			cols = append([]string{cols[0] + " " + cols[1]}, cols[2:]...)
		}
		if len(cols) > at {
			each(cols[at], cols)
		}
	}
}

func diskFull(ctx context.Context, c *Call) (any, error) {
	flags, err := c.diskFlags()
	if err != nil {
		return nil, err
	}
	lines, err := c.df(ctx, append(c.dfOption(), flags...)...)
	names := []string{"filesystem", "1K-blocks", "used", "available", "capacity"}
	if c.grain("kernel") == "Darwin" {
		names = []string{"filesystem", "512-blocks", "used", "available", "capacity", "iused", "ifree", "%iused"}
	}
	m := value.NewMap()
	c.fileSystems(lines, func(mounted string, cols []string) {
		row := value.NewMap()
		for i, n := range names {
			row.Set(n, cols[i])
		}
		m.Set(mounted, row)
	})
	return m, err
}

func diskInodes(ctx context.Context, c *Call) (any, error) {
	flags, err := c.diskFlags()
	if err != nil {
		return nil, err
	}
	lines, err := c.df(ctx, append([]string{"-iP"}, flags...)...)
	m := value.NewMap()
	for _, line := range lines {
		cols := strings.Fields(line)
		if len(cols) == 0 || strings.HasPrefix(line, "Filesystem") {
			continue
		}
		if c.grain("kernel") == "OpenBSD" && len(cols) > 8 {
			m.Set(cols[8], value.NewMap("inodes", number10(cols[5])+number10(cols[6]), "used", cols[5], "free", cols[6], "use", cols[7], "filesystem", cols[0]))
		} else if len(cols) > 5 {
			m.Set(cols[5], value.NewMap("inodes", cols[1], "used", cols[2], "free", cols[3], "use", cols[4], "filesystem", cols[0]))
		}
	}
	return m, err
}

func diskPercent(ctx context.Context, c *Call) (any, error) {
	lines, err := c.df(ctx, c.dfOption()...)
	m := value.NewMap()
	c.fileSystems(lines, func(mounted string, cols []string) { m.Set(mounted, cols[4]) })
	if err != nil || !given(c.Value("args")) {
		return m, err
	}
	if v, ok := m.Get(c.Str("args")); ok {
		return v, nil
	}
	return value.NewMap(), nil
}

var blkidPair = regexp.MustCompile(`([A-Za-z0-9_-]+)="([^"]*)"`)

// blkid runs blkid and returns the tags of each device.
func (c *Call) blkid(ctx context.Context, words ...string) (*value.Map, error) {
	m := value.NewMap()
	r, err := runSystem(ctx, c, append([]string{"blkid"}, words...)...)
	if err != nil || r.retcode > 0 {
		return m, err
	}
	for line := range strings.Lines(r.stdout) {
		device, rest, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		info := value.NewMap()
		for _, pair := range blkidPair.FindAllStringSubmatch(rest, -1) {
			info.Set(pair[1], pair[2])
		}
		m.Set(device, info)
	}
	return m, nil
}

func diskBlkid(ctx context.Context, c *Call) (any, error) {
	var words []string
	switch {
	case given(c.Value("device")):
		if err := plainArg("device", c.Str("device")); err != nil {
			return nil, err
		}
		words = []string{c.Str("device")}
	case given(c.Value("token")):
		if err := plainArg("token", c.Str("token")); err != nil {
			return nil, err
		}
		words = []string{"-t", c.Str("token")}
	}
	return c.blkid(ctx, words...)
}
