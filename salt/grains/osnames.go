package grains

import (
	"regexp"
	"slices"
	"strings"
)

// The names and families in this file are Salt's, letter for letter, since states and
// targets compare them.

// osByID maps pairs of id and name.
var osByID = map[[2]string]string{
	{"astra", "Astra Linux (Orel)"}:     "AstraLinuxCE",
	{"astra", "Astra Linux (Smolensk)"}: "AstraLinuxSE",
	{"pop", "Pop!_OS"}:                  "Pop",
}

// osByShort maps the first ten letters of a name, without blanks and the word Linux, to the
// grain os.
var osByShort = map[string]string{
	"alibabaclo": "Alinux", "almalinux": "AlmaLinux", "alt": "ALT", "amazonami": "Amazon",
	"antergos": "Antergos", "arch": "Arch", "archarm": "Arch ARM", "chapeau": "Chapeau",
	"cloudlinux": "CloudLinux", "cloudserve": "CloudLinux", "debian": "Debian", "enterprise": "OEL",
	"fedoraremi": "Fedora", "gentoobase": "Gentoo", "korora": "Korora", "linuxmint": "Mint",
	"manjaro": "Manjaro", "manjarolin": "Manjaro", "mendel": "Mendel", "neon": "KDE neon",
	"nilrt": "NILinuxRT", "opensuse": "SUSE", "opensusele": "SUSE", "opensusetu": "SUSE",
	"oracleserv": "OEL", "pidora": "Fedora", "poky": "Poky", "pop": "Pop", "raspbian": "Raspbian",
	"redhatente": "RedHat", "rocky": "Rocky", "scientific": "ScientificLinux", "sles": "SUSE",
	"slesexpand": "RES", "synology": "Synology", "univention": "Univention", "void": "Void",
}

// families lists the values of os by family. A system in no list is its own family, unless
// ID_LIKE names another.
var families = map[string][]string{
	"Arch": {"Antergos", "Arch ARM", "EndeavourOS", "Manjaro"},
	"Debian": {
		"AstraLinuxCE", "AstraLinuxSE", "Cumulus", "Deepin", "Devuan", "GCEL", "IDMS", "KDE neon", "Kali",
		"Linaro", "Mendel", "Mint", "OSMC", "Parrot OS", "Pop", "Raspbian", "Trisquel", "TurnKey", "Ubuntu",
		"Univention", "antiX", "elementary", "elementary OS", "neon",
	},
	"Gentoo":   {"Funtoo"},
	"Mandriva": {"Mandrake"},
	"RedHat": {
		"ALT", "Alinux", "AlmaLinux", "Amazon", "CentOS", "CentOS Stream", "Chapeau", "CloudLinux", "FedBerry",
		"Fedora", "GoOSe", "Korora", "OEL", "OVS", "RES", "Rocky", "Sangoma", "Scientific", "ScientificLinux",
		"VMware Photon OS", "XCP", "XCP-ng", "XenServer",
	},
	"Slackware": {"Slamd64"},
	"Suse": {
		"SLED", "SLES", "SLES_SAP", "SUSE", "SUSE Enterprise Server", "openSUSE", "openSUSE Leap",
		"openSUSE Tumbleweed",
	},
}

// likeFamilies maps the ids of ID_LIKE to families.
var likeFamilies = map[string]string{
	"debian": "Debian", "ubuntu": "Debian", "rhel": "RedHat", "fedora": "RedHat", "centos": "RedHat",
	"suse": "Suse", "opensuse": "Suse", "arch": "Arch", "alpine": "Alpine", "gentoo": "Gentoo",
}

var linuxWord = regexp.MustCompile(`(?i)\W(?:gnu/)?linux`)

// osName returns the grain os for ID and NAME of os-release.
func osName(id, full string) string {
	if name, ok := osByID[[2]string{id, full}]; ok {
		return name
	}
	name := strings.TrimSpace(linuxWord.ReplaceAllString(full, ""))
	short := strings.ToLower(strings.ReplaceAll(name, " ", ""))
	if known, ok := osByShort[short[:min(len(short), 10)]]; ok {
		return known
	}
	return name
}

// osFamily returns the grain os_family.
func osFamily(name, id, like string) string {
	for family, members := range families {
		if name == family || slices.Contains(members, name) {
			return family
		}
	}
	for _, l := range append([]string{id}, strings.Fields(like)...) {
		if family, ok := likeFamilies[l]; ok {
			return family
		}
	}
	return name
}

// debianArch maps the machine names of the kernel to those of dpkg.
var debianArch = map[string]string{
	"x86_64": "amd64", "aarch64": "arm64", "armv7l": "armhf", "armv6l": "armel", "i686": "i386",
	"i586": "i386", "i386": "i386", "ppc64le": "ppc64el",
}

// osArch returns the architecture of packages.
func osArch(family, machine string) string {
	if arch, ok := debianArch[machine]; ok && family == "Debian" {
		return arch
	}
	return machine
}
