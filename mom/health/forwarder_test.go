package health

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/syndic/standalone"
)

// A forwarder beside a master that is another program answers on that one's bus how
// it is.
func TestForwarderTellsHowItIs(t *testing.T) {
	dir, err := os.MkdirTemp("", "fh") // short: paths of sockets are
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	theirs := bus.New(nil)
	server, err := bus.Serve(theirs, bus.ServerConfig{SockDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close(); theirs.Close() }()
	l, err := standalone.Open(t.Context(), standalone.Options{ID: "syn", Bus: bus.ClientConfig{SockDir: dir}, Store: filepath.Join(dir, "syndic.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	up := func() map[string]bool { return map[string]bool{"top": true, "other": false} }
	go func() {
		done <- daemon.RunWithHealth(running, l.Bus(), daemon.Health{Links: up, Say: l.Fire}, l.Run)
	}()
	defer func() { stop(); <-done }()
	for {
		p, err := askOnce(ctx, dir)
		if err == nil {
			if p.linked() != nil || p.ready() != nil || len(p.up) != 1 || len(p.down) != 1 {
				t.Errorf("told %+v", p)
			}
			return
		}
		if ctx.Err() != nil { // before that it may not have subscribed yet
			t.Fatal(err)
		}
	}
}

// askOnce asks once, for as long as an answer may take.
func askOnce(ctx context.Context, where string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	return askPulse(ctx, client.Options{Bus: client.Bus{Dir: where}}, "token")
}
