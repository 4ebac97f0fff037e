package functions

import "testing"

// The results are those of salt-call 3006.0 with dpkg and apt-get.
func TestPkg_Holds(t *testing.T) {
	h, none := debian(t), changed{}
	held, released := changed{"old": "install", "new": "hold"}, changed{"old": "hold", "new": "install"}
	change := func(name string, diff changed, comment string) changed {
		return changed{name: changed{"name": name, "changes": diff, "result": true, "comment": comment}}
	}
	const all = "All specified packages are already installed"
	h.wants(h.apply("pkg.installed", "bash", true, "hold", true), nil, none, all+".\nPackage bash is set to be held.")
	h.wants(h.apply("pkg.installed", "bash", false, "hold", true), true, changed{"bash": held}, all+".\nPackage bash is now being held.")
	h.wants(h.apply("pkg.installed", "bash", true, "hold", true), true, none, all+".\nPackage bash is already set to be held.")
	h.wants(h.apply("pkg.installed", "bash", true, "hold", false), nil, none, all+".\nPackage bash is set not to be held.")
	h.wants(h.apply("pkg.installed", "vim", false, "hold", true), true, changed{"vim": changed{"old": "install", "new": "9.1-1\nhold"}},
		"The following packages were installed/updated: vim\nPackage vim is now being held.")
	h.wants(h.apply("pkg.unheld", "bash", true), true, none, "The following package would be unheld: bash")
	h.wants(h.apply("pkg.unheld", "bash", false), true, change("bash", released, "Package bash is no longer being held."), "Package bash is no longer being held.")
	h.wants(h.apply("pkg.unheld", "bash", false), true, none, "No changes made")
	h.wants(h.apply("pkg.held", "bash", true, "version", "1.0"), true, none, "The following package would be held: bash (version = 1.0)")
	h.wants(h.apply("pkg.held", "bash", false, "replace", true), true,
		changed{"bash": change("bash", held, "Package bash is now being held.")["bash"], "vim": change("vim", released, "Package vim is no longer being held.")["vim"]},
		"Package bash is now being held\nPackage vim is no longer being held.")
	h.wants(h.apply("pkg.held", "bash", false), true, none, "No changes made")
	h.wants(h.apply("pkg.held", "x", false, "pkgs", []any{}), true, none, "No packages to be held provided")
	h.wants(h.apply("pkg.unheld", "x", false, "pkgs", []any{}), true, none, "No packages to be unheld provided")
	h.wants(h.apply("pkg.unheld", "x", false, "all", true), true, change("bash", released, "Package bash is no longer being held."), "Package bash is no longer being held.")
}
