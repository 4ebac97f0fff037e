package functions

import (
	"testing"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func TestPkg_NamesWithAnArchitecture(t *testing.T) {
	for _, c := range []struct{ family, arch, name, want string }{
		{"Debian", "amd64", "bash:amd64", "bash"},
		{"Debian", "amd64", "bash:any", "bash"},
		{"Debian", "amd64", "libc6:i386", "libc6:i386"},
		{"Debian", "amd64", "python3.11", "python3.11"},
		{"RedHat", "x86_64", "zsh.x86_64", "zsh"},
		{"RedHat", "x86_64", "zsh.noarch", "zsh"},
		{"RedHat", "x86_64", "zsh.i686", "zsh.i686"},
		{"RedHat", "x86_64", "python3.11", "python3.11"},
		{"Suse", "aarch64", "vim.aarch64", "vim"},
		{"Alpine", "x86_64", "a.x86_64", "a.x86_64"},
	} {
		call := &Call{Call: &states.Call{}, Env: host{grains: value.NewMap("os_family", c.family, "osarch", c.arch)}}
		if got := call.listedName(c.name); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.family, c.name, got, c.want)
		}
	}
	h := debian(t)
	const done = "All specified packages are already installed"
	h.wants(h.apply("pkg.installed", "bash:amd64", false), true, changed{}, done)
	h.wants(h.apply("pkg.installed", "x", false, "pkgs", []any{"bash:amd64"}), true, changed{}, done)
	h.wants(h.apply("pkg.removed", "bash:amd64", true), nil, changed{"bash": changed{"new": "removed", "old": ""}}, "The following packages will be removed: bash.")
	h.wants(h.apply("pkg.installed", "bash:amd64", true, "normalize", false), nil, changed{"bash:amd64": changed{"new": "installed", "old": ""}},
		"The following packages would be installed/updated: bash:amd64")
}
