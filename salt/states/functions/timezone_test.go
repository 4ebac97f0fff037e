package functions

import (
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// The results are those of salt-call 3006.0 with the same programs.
func TestTimezoneAndLocale(t *testing.T) {
	h := newHost(t, value.NewMap("os_family", "Debian", "os", "Debian"), map[string]string{
		"timedatectl": `echo "          RTC in local TZ: yes"`,
		"locale":      `echo C.utf8`,
	})
	none := changed{}
	r := h.apply("timezone.system", "Nowhere/None", true) // the fault depends on the host
	if r.Result != false || !strings.HasPrefix(r.Comment, "Unable to compare desired timezone 'Nowhere/None' to system timezone: ") {
		t.Errorf("%+v", r)
	}
	h.wants(h.apply("locale.present", "C.UTF-8", false), true, none, "Locale C.UTF-8 is already present")
	h.wants(h.apply("locale.present", "xx_YY.UTF-8", true), nil, none, "Locale xx_YY.UTF-8 needs to be generated")
}
