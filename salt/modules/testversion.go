package modules

import (
	"context"
	"math/rand/v2"
	"strconv"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/versions"
	"github.com/momtree/mom/value"
)

func init() {
	Register("test",
		Function{Name: "versions_information", Run: func(_ context.Context, c *Call) (any, error) { return information(c), nil }, Doc: `
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

// information gathers what is known without running a program.
func information(c *Call) *value.Map {
	g := c.Env.Grains()
	mom, _ := g.Get("momversion")
	deps := value.NewMap()
	for _, l := range versions.Libraries() {
		deps.Set(l.Name, l.Version)
	}
	system := value.NewMap()
	for _, name := range []string{"osfullname", "osrelease", "oscodename", "kernel", "kernelrelease", "cpuarch", "locale_info"} {
		if v, ok := g.Get(name); ok {
			system.Set(name, v)
		}
	}
	return value.NewMap(
		"Salt Version", value.NewMap("Salt", versions.Salt, "mom", mom),
		"Dependency Versions", deps,
		"System Versions", system,
	)
}

func testVersionsReport(_ context.Context, c *Call) (any, error) {
	var report []versions.Section
	information(c).Range(func(title, section any) bool {
		s := versions.Section{Title: PyStr(title)}
		section.(*value.Map).Range(func(k, v any) bool {
			s.Lines = append(s.Lines, versions.Line{Name: PyStr(k), Version: PyStr(v)})
			return true
		})
		report = append(report, s)
		return true
	})
	return versions.Text(report), nil
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
	sum, err := crypt.HexHash(kind, strconv.FormatInt(rand.Int64N(size)+1, 10))
	if err != nil {
		return nil, argErrorf("hash_type %s is unknown; md5, sha1, sha224, sha256, sha384 and sha512 are known", PyRepr(kind))
	}
	return sum, nil
}
