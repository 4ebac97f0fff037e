package grains

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/momtree/mom/value"
)

var (
	serverWithoutYear = regexp.MustCompile(`^Microsoft[^\d]+(Server|Datacenter|Standard|Essentials)$`)
	serverYear        = regexp.MustCompile(`^\d+`)
	serverSecond      = regexp.MustCompile(`^R\d+$`)
	clientVersion     = regexp.MustCompile(`^\d+(\.\d+)?|^Thin$|^Vista$|^XP$`)
)

// windowsRelease returns osrelease, osrelease_info and osfinger for the name of a Windows:
// 2019Server for "Microsoft Windows Server 2019 Standard", 11 for "Microsoft Windows 11 Pro".
// fallback is the release if the name has none.
func windowsRelease(full, fallback string) *value.Map {
	release := ""
	switch words := strings.Fields(full); {
	case serverWithoutYear.MatchString(full) && strings.Contains(full, "Server"):
		release = "2019Server"
	case strings.Contains(full, "Server"):
		year, second := "", ""
		for _, w := range words {
			if serverYear.MatchString(w) {
				year = w
			}
			if serverSecond.MatchString(w) {
				second = w
			}
		}
		if year != "" {
			release = year + "Server" + second
		}
	default:
		for _, w := range words {
			if clientVersion.MatchString(w) {
				release = w
			}
		}
	}
	if release == "" {
		release = fallback
	}
	parts := strings.Split(release, ".")
	if year, second, server := strings.Cut(release, "Server"); server {
		parts = []string{year, strings.TrimLeft(second, "R")}
	}
	info := []any{}
	for _, p := range parts {
		if n, err := strconv.ParseInt(p, 10, 64); err == nil {
			info = append(info, n)
		} else if p != "" {
			info = append(info, p)
		}
	}
	return value.NewMap("osrelease", release, "osrelease_info", info, "osfinger", "Windows-"+release)
}
