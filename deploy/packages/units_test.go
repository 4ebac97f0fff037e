package packages

import (
	"strings"
	"testing"
)

// protections are the directives that take power from a daemon that needs none of it.
var protections = map[string]string{
	"CapabilityBoundingSet": "CAP_AUDIT_WRITE CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID CAP_KILL CAP_NET_BIND_SERVICE CAP_SETGID CAP_SETUID",
	"LockPersonality":       "yes", "NoNewPrivileges": "yes", "PrivateDevices": "yes", "PrivateTmp": "yes", "ProtectClock": "yes",
	"ProtectControlGroups": "yes", "ProtectHome": "read-only", "ProtectHostname": "yes", "ProtectKernelLogs": "yes",
	"ProtectKernelModules": "yes", "ProtectKernelTunables": "yes", "ProtectSystem": "yes",
	"RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6 AF_NETLINK", "RestrictNamespaces": "yes", "RestrictRealtime": "yes",
	"RestrictSUIDSGID": "yes", "SystemCallArchitectures": "native", "SystemCallErrorNumber": "EPERM", "SystemCallFilter": "@system-service",
}

// protected returns the directives that protect the host from a role, with their values. The
// minion has none: its jobs run with what its unit leaves it.
func protected(role string) map[string]string {
	want := map[string]string{}
	if role != "minion" {
		for k, v := range protections {
			want[k] = v
		}
		want["MemoryMax"], want["UMask"] = "80%", "0022"
	}
	switch role {
	case "api":
		want["MemoryMax"], want["UMask"] = "50%", "0077"
	case "minion":
		want["OOMPolicy"], want["UMask"] = "continue", "0022"
	}
	return want
}

// Each unit has the protections of its role, once each, and a minion keeps all of root's power.
func TestUnits_Protection(t *testing.T) {
	for _, role := range []string{"api", "master", "minion", "syndic"} {
		got := map[string][]string{}
		for line := range strings.Lines(read(t, "..", "systemd", "mom-"+role+".service")) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
				got[key] = append(got[key], value)
			}
		}
		want := protected(role)
		for key, value := range want {
			if len(got[key]) != 1 || got[key][0] != value {
				t.Errorf("%s: %s is %q, want %q", role, key, got[key], value)
			}
		}
		for key := range protections {
			if want[key] == "" && got[key] != nil {
				t.Errorf("%s: %s=%s takes from its jobs what they need", role, key, got[key])
			}
		}
	}
}
