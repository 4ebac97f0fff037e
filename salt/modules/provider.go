package modules

import (
	"context"
	"strings"

	"github.com/momtree/mom/value"
)

func init() {
	Register("test",
		Function{Name: "provider", Args: []Arg{{Name: "module", Required: true}}, Run: testProvider, Doc: `
Return the provider of a module on this host, by its name in Salt, such as
aptpkg for pkg; nothing for an unknown module.

CLI Example:

    salt '*' test.provider service
`},
		Function{Name: "providers", Run: testProviders, Doc: `
Return the provider of each module of this host.

CLI Example:

    salt '*' test.providers
`},
	)
}

// providers are the modules whose file in Salt has another name.
var providers = map[string]string{
	"cmd": "cmdmod", "sys": "sysmod", "user": "useradd", "group": "groupadd", "shadow": "linux_shadow", "sysctl": "linux_sysctl",
	"locale": "localemod", "random": "mod_random", "log": "logmod",
}

// provider returns the name of the module's provider.
func (c *Call) provider(module string) string {
	switch module {
	case "pkg":
		switch p, _ := packagerOf(c); p.(type) {
		case apt:
			return "aptpkg"
		case dnf:
			return "yumpkg"
		case zypper:
			return "zypperpkg"
		case apk:
			return "apkpkg"
		}
		return ""
	case "service":
		switch m, _ := managerOf(c); m.(type) {
		case systemd:
			return "systemd_service"
		case openrc:
			return "gentoo_service"
		case nil:
			return ""
		}
		if c.Env.Grains().String("os_family") == "Debian" {
			return "debian_service"
		}
		return "service"
	}
	if name, ok := providers[module]; ok {
		return name
	}
	return module
}

func testProvider(ctx context.Context, c *Call) (any, error) {
	for _, fun := range Available(ctx, c.Env) {
		if strings.HasPrefix(fun, c.Str("module")+".") {
			return c.provider(c.Str("module")), nil
		}
	}
	return "", nil
}

func testProviders(ctx context.Context, c *Call) (any, error) {
	out := value.NewMap()
	for _, fun := range Available(ctx, c.Env) {
		module, _, _ := strings.Cut(fun, ".")
		if name := c.provider(module); name != "" {
			out.Set(name, module)
		}
	}
	return out, nil
}
