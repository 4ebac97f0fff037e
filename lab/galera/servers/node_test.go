package servers

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Galera takes the timeouts for short and long times: chaos has 2 s, make galera 5 s.
func TestTimeouts(t *testing.T) {
	for suspect, want := range map[time.Duration]string{
		2 * time.Second:  "evs.keepalive_period=PT0.5S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT6S",
		5 * time.Second:  "evs.keepalive_period=PT1S;evs.suspect_timeout=PT5S;evs.inactive_timeout=PT15S",
		30 * time.Second: "evs.keepalive_period=PT1S;evs.suspect_timeout=PT30S;evs.inactive_timeout=PT90S",
	} {
		if got := (&Node{suspect: suspect}).timeouts(); got != want {
			t.Errorf("%v: %s, want %s", suspect, got, want)
		}
	}
}
