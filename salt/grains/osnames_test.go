package grains

import "testing"

func TestOSNames(t *testing.T) {
	tests := []struct{ id, full, like, name, family string }{
		{"ubuntu", "Ubuntu", "debian", "Ubuntu", "Debian"},
		{"rhel", "Red Hat Enterprise Linux", "fedora", "RedHat", "RedHat"},
		{"centos", "CentOS Linux", "rhel fedora", "CentOS", "RedHat"},
		{"centos", "CentOS Stream", "rhel fedora", "CentOS Stream", "RedHat"},
		{"fedora", "Fedora Linux", "", "Fedora", "RedHat"},
		{"ol", "Oracle Linux Server", "fedora", "OEL", "RedHat"},
		{"amzn", "Amazon Linux", "fedora", "Amazon", "RedHat"},
		{"sles", "SLES", "suse", "SUSE", "Suse"},
		{"opensuse-leap", "openSUSE Leap", "suse opensuse", "SUSE", "Suse"},
		{"arch", "Arch Linux", "", "Arch", "Arch"},
		{"alpine", "Alpine Linux", "", "Alpine", "Alpine"},
		{"linuxmint", "Linux Mint", "ubuntu debian", "Mint", "Debian"},
		{"pop", "Pop!_OS", "ubuntu debian", "Pop", "Debian"},
		{"gentoo", "Gentoo", "", "Gentoo", "Gentoo"},
		{"raspbian", "Raspbian GNU/Linux", "debian", "Raspbian", "Debian"},
		{"foo", "Foo OS", "debian", "Foo OS", "Debian"},
		{"bar", "Bar", "", "Bar", "Bar"},
	}
	for _, tt := range tests {
		if got := osName(tt.id, tt.full); got != tt.name {
			t.Errorf("osName(%q, %q) = %q, want %q", tt.id, tt.full, got, tt.name)
		}
		if got := osFamily(tt.name, tt.id, tt.like); got != tt.family {
			t.Errorf("osFamily(%q) = %q, want %q", tt.name, got, tt.family)
		}
	}
}

func TestParseOSRelease_Quoting(t *testing.T) {
	got := parseOSRelease("A=plain\nB=\"with \\\"quotes\\\" and \\$\"\nC='single \\ kept'\n# D=no\nE\n  F=x  \n")
	for k, want := range map[string]string{
		"A": "plain", "B": `with "quotes" and $`, "C": `single \ kept`, "D": "", "F": "x",
	} {
		if got[k] != want {
			t.Errorf("%s = %q, want %q", k, got[k], want)
		}
	}
}

func TestReleaseGrains(t *testing.T) {
	for _, tt := range []struct{ name, full, release, finger string }{
		{"Ubuntu", "Ubuntu", "24.04", "Ubuntu-24.04"},
		{"Debian", "Debian GNU/Linux", "12", "Debian-12"},
		{"SUSE", "SLES", "15.5", "SLES-15"},
		{"Arch", "Arch Linux", "rolling", "Arch Linux-rolling"},
	} {
		if got := releaseGrains(tt.name, tt.full, tt.release).String("osfinger"); got != tt.finger {
			t.Errorf("osfinger of %s %s = %q, want %q", tt.name, tt.release, got, tt.finger)
		}
	}
}
