package functions

import (
	"testing"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// The results are those of salt-call 3006.0 with the same programs.
func TestService_Masks(t *testing.T) {
	h, none := systemd(t), changed{}
	mask := changed{"masked": changed{"old": false, "new": true}}
	h.wants(h.apply("service.masked", "momtest-odd", true), nil, mask, "Service momtest-odd would be masked")
	h.wants(h.apply("service.masked", "momtest-odd", true, "runtime", true), nil, changed{"runtime masked": mask["masked"]}, "Service momtest-odd would be runtime masked")
	h.wants(h.apply("service.masked", "momtest-odd", false), true, none, "Failed to mask service momtest-odd")
	h.wants(h.apply("service.masked", "momtest-shut", false), false, none, "Failed to mask service 'momtest-shut'. Additional info follows:\n\ncannot")
	h.wants(h.apply("service.unmasked", "momtest-web", false), true, none, "Service momtest-web was already unmasked")
	h.wants(h.apply("service.unmasked", "momtest-web", false, "runtime", true), true, none, "Service momtest-web was already runtime unmasked")
	h.wants(h.apply("service.running", "momtest-web", true, "unmask", true), nil, none, "Service momtest-web is set to start\nService momtest-web was already unmasked")
	h.wants(h.apply("service.running", "momtest-web", false, "unmask", true), true, changed{"momtest-web": true}, "Started service momtest-web\nService momtest-web was already unmasked")

	other := newHost(t, value.NewMap(), nil)
	other.wants(other.apply("service.masked", "momtest-web", false), false, none, "Service masking not available on this minion")
}

func TestService_ThatDoesNotStay(t *testing.T) {
	h, none := systemd(t), changed{}
	h.wants(h.apply("service.running", "dies", false), false, none, "Service dies failed to start")
	h.wants(h.apply("service.running", "dies", false, "enable", true), false, changed{"dies": true}, "Service dies has been enabled, and is dead")
}

// systemd knows its processes: sig is ignored.
func TestService_SigWithSystemd(t *testing.T) {
	h := systemd(t)
	h.put("up.web", "", 0o644)
	h.wants(h.apply("service.running", "web", false, "sig", "no such process here"), true, changed{}, "The service web is already running")
}

func TestService_SystemdArgumentsElsewhere(t *testing.T) {
	kwargs := value.NewMap("no_block", true, "unmask", true)
	for grains, want := range map[*value.Map]int{value.NewMap("init", "systemd"): 2, value.NewMap("init", "openrc"): 0} {
		h := systemd(t)
		h.grains = grains
		c := &Call{Call: &states.Call{Kwargs: kwargs}, Env: h}
		if got := c.systemdOnly("no_block", "unmask"); got.Len() != want {
			t.Errorf("%v: %v", grains, got)
		}
	}
}
