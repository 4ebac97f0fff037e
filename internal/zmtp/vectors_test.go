package zmtp

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"testing"

	"github.com/momtree/mom/internal/vectors"
)

// tapped is the traffic of one connection between Salt's own processes.
type tapped struct {
	Connection       int
	ClientGreeting   []byte   `json:"client_greeting"`
	ClientCommands   [][]byte `json:"client_commands"`
	ServerGreeting   []byte   `json:"server_greeting"`
	ServerCommands   [][]byte `json:"server_commands"`
	FirstClientFrame [][]any  `json:"first_client_frames"`
}

// stream returns one side of a tapped connection as it was sent.
func stream(greeting []byte, commands [][]byte) []byte {
	b := append([]byte(nil), greeting...)
	for _, c := range commands {
		b = appendFrame(b, flagCommand, c)
	}
	return b
}

var lengthOnly = regexp.MustCompile(`^\((\d+) bytes\)$`)

func TestTappedConnections(t *testing.T) {
	for _, name := range []string{"live_v2_zmtp.json", "live_v3_zmtp.json"} {
		var file struct{ Connections []tapped }
		vectors.Load(t, name, &file)
		seen := 0
		for _, c := range file.Connections {
			what := fmt.Sprintf("%s connection %d", name, c.Connection)
			if len(c.ClientGreeting) < greetingSize {
				continue // a connection that was probed and dropped
			}
			seen++
			if err := checkGreeting(c.ClientGreeting); err != nil || greetingMinor(c.ClientGreeting) != 1 {
				t.Errorf("%s: greeting: %v", what, err)
			}
			local := "ROUTER"
			if string(c.ServerCommands[0][len(c.ServerCommands[0])-3:]) == "PUB" {
				local = "PUB"
			}
			bytes := stream(c.ClientGreeting, c.ClientCommands)
			for _, m := range c.FirstClientFrame {
				frames := make([]string, len(m))
				for i, f := range m {
					frames[i] = f.(string)
					if n := lengthOnly.FindStringSubmatch(frames[i]); n != nil {
						size, _ := strconv.Atoi(n[1])
						frames[i] = string(make([]byte, size))
					}
				}
				bytes = append(bytes, message(frames...)...)
			}
			p, err := handshake(newScript(13, bytes), limitsForTest(), nil, ready{socketType: local}, true)
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			for range c.FirstClientFrame {
				frames, err := p.recv()
				if err != nil {
					t.Errorf("%s: %v", what, err)
					break
				}
				if _, _, err := splitEnvelope(frames); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			if _, err := p.recv(); !errors.Is(err, io.EOF) {
				t.Errorf("%s: ended with %v", what, err)
			}
		}
		if seen == 0 {
			t.Errorf("%s: no connection", name)
		}
	}
}

// Each session of publications.json once as the master's PUB sees it, once as the minion's SUB
// does.
func TestTappedPublications(t *testing.T) {
	var file struct {
		Sessions []struct {
			Publications []struct{ Frames [][]byte } `json:"minion_publications"`
			Subscribers  []tapped                    `json:"subscriptions"`
		}
	}
	vectors.Load(t, "publications.json", &file)
	if len(file.Sessions) == 0 {
		t.Fatal("no sessions")
	}
	for i, s := range file.Sessions {
		for _, c := range s.Subscribers {
			var topics []string
			p, err := handshake(newScript(100, stream(c.ClientGreeting, c.ClientCommands)), limitsForTest(), nil, ready{socketType: "PUB"}, true)
			if err != nil {
				t.Fatalf("session %d: %v", i, err)
			}
			p.guard.begin(func(name, body []byte) error {
				if string(name) == cmdSubscribe {
					topics = append(topics, string(body))
				}
				return p.command(name, body)
			})
			if _, err := p.recv(); !errors.Is(err, io.EOF) {
				t.Errorf("session %d: subscriber ended with %v", i, err)
			}
			if len(topics) == 0 {
				t.Errorf("session %d: no subscription", i)
			}

			bytes := stream(c.ServerGreeting, c.ServerCommands)
			for _, m := range s.Publications {
				for j, f := range m.Frames {
					flags := byte(flagMore)
					if j == len(m.Frames)-1 {
						flags = 0
					}
					bytes = appendFrame(bytes, flags, f)
				}
			}
			conn := newScript(100, bytes)
			p, err = handshake(conn, limitsForTest(), nil, ready{socketType: "SUB"}, false)
			if err != nil {
				t.Fatalf("session %d: %v", i, err)
			}
			p.out.gauge = new(gauges)
			for j, m := range s.Publications {
				frames, err := p.recv()
				if err != nil || len(frames) != len(m.Frames) {
					t.Fatalf("session %d message %d: %d frames, %v", i, j, len(frames), err)
				}
				for k := range frames {
					if string(frames[k]) != string(m.Frames[k]) {
						t.Errorf("session %d message %d frame %d differs", i, j, k)
					}
				}
			}
			p.Close()
			p.out.done.Wait()
		}
	}
}
