package modules

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/hashtype"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/grains"
)

func init() {
	Register("test",
		Function{Name: "versions_information", Run: func(_ context.Context, c *Call) (any, error) { return versions(c), nil }, Doc: `
Return the versions of mom, of what it is built from, and of the host as a map.

CLI Example:

    salt '*' test.versions_information
`},
		Function{Name: "versions_report", Run: testVersionsReport, Doc: `
Return the versions of mom, of what it is built from, and of the host as text.

CLI Example:

    salt '*' test.versions_report
`},
		Function{
			Name: "random_hash", Args: []Arg{{Name: "size", Default: int64(9999999999)}, {Name: "hash_type"}}, Run: testRandomHash,
			Doc: `
Return the hash of a random number between 1 and size. hash_type is md5, sha1,
sha224, sha256, sha384 or sha512; the minion's option hash_type by default.

CLI Example:

    salt '*' test.random_hash hash_type=sha512
`,
		},
	)
	alias("test", "versions_report", "versions")
	alias("test", "random_hash", "rand_str")
}

// versions gathers what is known without running a program.
func versions(c *Call) *wire.Map {
	deps := wire.NewMap("Go", strings.TrimPrefix(runtime.Version(), "go"))
	if info, ok := debug.ReadBuildInfo(); ok {
		sort.Slice(info.Deps, func(i, j int) bool { return info.Deps[i].Path < info.Deps[j].Path })
		for _, d := range info.Deps {
			deps.Set(d.Path, d.Version)
		}
	}
	g := c.Env.Grains()
	system := wire.NewMap()
	for _, name := range []string{"osfullname", "osrelease", "oscodename", "kernel", "kernelrelease", "cpuarch", "locale_info"} {
		if v, ok := g.Get(name); ok {
			system.Set(name, v)
		}
	}
	return wire.NewMap(
		"Salt Version", wire.NewMap("Salt", grains.SaltVersion, "mom", grains.MomVersion()),
		"Dependency Versions", deps,
		"System Versions", system,
	)
}

func testVersionsReport(_ context.Context, c *Call) (any, error) {
	var b strings.Builder
	versions(c).Range(func(title, section any) bool {
		m := section.(*wire.Map)
		width := 0
		for _, k := range m.Keys() {
			width = max(width, len(PyStr(k)))
		}
		fmt.Fprintf(&b, "%s:\n", title)
		m.Range(func(k, v any) bool {
			fmt.Fprintf(&b, "%*s: %s\n", width+2, k, PyStr(v))
			return true
		})
		b.WriteByte('\n')
		return true
	})
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

func testRandomHash(_ context.Context, c *Call) (any, error) {
	size, err := c.Int("size")
	if err != nil {
		return nil, err
	}
	if size < 1 {
		return nil, argErrorf("size must be above 0, not %d", size)
	}
	kind := c.Str("hash_type")
	if kind == "" {
		kind, _ = c.Env.Option("hash_type").(string)
	}
	sum, err := hashtype.Hex(kind, strconv.FormatInt(rand.Int64N(size)+1, 10))
	if err != nil {
		return nil, argErrorf("hash_type %s is unknown; md5, sha1, sha224, sha256, sha384 and sha512 are known", PyRepr(kind))
	}
	return sum, nil
}
