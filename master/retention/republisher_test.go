package retention

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Unpublished jobs of the previous process are sent when peers subscribe, while their job is
// open and only for a while after the start.
func TestRepublisher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out []string
		closed := map[string]bool{}
		l := NewRepublisher(RepublisherOptions{
			For: time.Minute, Open: func(jid string) bool { return !closed[jid] },
			Publish: func(r Record) error { out = append(out, r.JID); return errors.New("logged and ignored") },
			Log:     slog.New(slog.DiscardHandler),
		})
		come := func(want string) {
			t.Helper()
			out = nil
			l.Subscribed()
			l.Subscribed()
			time.Sleep(2 * gathering)
			synctest.Wait()
			if got := strings.Join(out, " "); got != want {
				t.Errorf("published %q, want %q", got, want)
			}
		}
		come("")
		l.Start([]Record{{JID: "1"}, {JID: "2"}})
		come("1 2")
		closed["1"] = true
		come("2")
		time.Sleep(time.Minute)
		come("")
		l.Start([]Record{{JID: "3"}})
		l.Subscribed()
		l.Close()
		time.Sleep(2 * gathering)
		synctest.Wait()
		if out != nil {
			t.Errorf("published %v after the end", out)
		}
	})
}
