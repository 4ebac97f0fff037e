package master

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// commandsFile is a script of requests that was run against a live Salt master.
type commandsFile struct {
	Version  int           `json:"protocol_version"`
	AES      string        `json:"aes_key_string"`
	Session  string        `json:"session_key_string"`
	RootKey  string        `json:"root_key"`
	Aes      []commandCase `json:"aes_commands"`
	Clear    []commandCase `json:"clear_commands"`
	Garbage  commandCase   `json:"not_msgpack"`
	OtherEnc commandCase   `json:"unknown_enc"`
	Events   []struct {
		Tag  string
		Data map[string]any
	}
}

type commandCase struct {
	Name    string
	Load    map[string]any
	Nonce   string
	Request []byte
	Decoded any
	Plain   any
}

// differs lists the answers that differ from Salt's, with the reason.
var differs = map[string]struct {
	why  string
	want any
}{
	"minion_publish":            {"nobody is meant, and Salt stumbles over that", map[string]any{}},
	"pub_ret foreign jid":       {"there is no such job, and Salt stumbles over that", map[string]any{}},
	"_return without return":    {"it cannot be stored, and the sender receives an empty answer", ""},
	"_return for another id":    {"an id without an accepted key has no returns", ""},
	"mk_token":                  {"there is no external auth", ""},
	"get_token":                 {"no external auth", map[string]any{}},
	"publish with token":        {"no external auth", authError("AuthenticationError", "Authentication error occurred.")},
	"publish with eauth":        {"no external auth", authError("AuthenticationError", "Authentication error occurred.")},
	"publish eauth not allowed": {"no external auth", authError("AuthenticationError", "Authentication error occurred.")},
	"wheel by token":            {"no external auth", authError("TokenAuthenticationError", `Authentication failure of type "token" occurred`)},
}

// wrongTok lists requests that get Salt's answer since protocol 3 in every version, so that the
// minion signs in again.
var wrongTok = map[string]bool{"bad tok": true, "_mine after revoke": true}

func authError(name, message string) any {
	return map[string]any{"error": map[string]any{"name": name, "message": message}}
}

func TestCommandsAgainstSalt(t *testing.T) {
	for _, name := range []string{"commands_v2.json", "commands_v3.json"} {
		t.Run(name, func(t *testing.T) {
			v := readVectors[commandsFile](t, name)
			r := newRig(t, func(c *config.Master) {
				c.MinimumAuthVersion, c.FileRecv = 0, true
				c.Peer, c.PeerRun = map[string]any{"m1": []any{"test.*"}}, map[string]any{"m1": []any{"test.arg"}}
			})
			r.plantFiles()
			r.accept("m1", "minion")
			r.admit("m1") // one id sends everything, as a machine that is minion and syndic
			if v.Session != "" {
				r.session("m1", v.Session, time.Now())
			}
			r.open()
			r.secret(v.AES)
			r.access.Users = access.Users{"root": v.RootKey}
			r.serve()
			events := r.events()
			key := v.Session
			if v.Version < 3 {
				key = v.AES
			}
			// The local user's commands come first: the last of the others deletes the key.
			for _, c := range v.Clear {
				t.Run(c.Name, func(t *testing.T) { c.clear(t, r) })
			}
			for _, c := range v.Aes {
				t.Run(c.Name, func(t *testing.T) { c.encrypted(t, r, key) })
			}
			// Salt answers invalid msgpack with the map {msg: "bad load"}, which would not make a
			// minion sign in again.
			if got := decoded(t, r.ask(v.Garbage.Request)); got != server.BadLoad {
				t.Errorf("not msgpack: %v", got)
			}
			load, err := wire.Encode(wire.NewMap("cmd", "ping"))
			if err != nil {
				t.Fatal(err)
			}
			odd, err := wire.Envelope{Enc: "odd", Load: load, Version: v.Version}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if got := decoded(t, r.ask(odd)); !cmp.Equal(got, v.OtherEnc.Decoded) {
				t.Errorf("unknown enc: got %v, want %v", got, v.OtherEnc.Decoded)
			}
			checkEvents(t, events, v)
		})
	}
}

func (c commandCase) encrypted(t *testing.T, r *rig, key string) {
	got := r.ask(c.Request)
	if c.Load["cmd"] == "_pillar" && c.Plain == nil {
		checkPillar(t, got, "minion", c.Nonce, c.Name, c.Load["grains"] != nil)
		return
	}
	want, sealed := c.Decoded, c.Plain == nil
	if !sealed {
		want = c.Plain
	}
	switch d, ok := differs[c.Name]; {
	case wrongTok[c.Name]:
		want, sealed = server.BadLoad, false
	case ok:
		want = d.want
	}
	value, encrypted := openReply(t, got, key, c.Nonce)
	if cmd, _ := c.Load["cmd"].(string); strings.Contains(cmd, "file") {
		want, value = fileAnswer(t, want), fileAnswer(t, value)
	}
	if diff := cmp.Diff(want, value); encrypted != sealed || diff != "" {
		t.Errorf("encrypted %v, want %v (-want +got):\n%s", encrypted, sealed, diff)
	}
}

// clear compares the answers of a clear command, except for generated jids and times.
func (c commandCase) clear(t *testing.T, r *rig) {
	got, want := decoded(t, r.ask(c.Request)), c.Decoded
	if d, ok := differs[c.Name]; ok {
		want = d.want
	}
	if m, ok := got.(map[string]any); ok {
		if load, ok := m["load"].(map[string]any); ok {
			delete(load, "nodes") // our addition; empty here
		}
	}
	if strings.HasPrefix(c.Name, "wheel ") {
		want = wheelWant(c.Name, want)
	}
	if diff := cmp.Diff(timeless(t, want), timeless(t, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// wheelWant adapts a recorded wheel reply where ours is simpler.
func wheelWant(name string, v any) any {
	m, _ := v.(map[string]any)
	data, ok := m["data"].(map[string]any)
	if !ok {
		return v
	}
	switch name {
	case "wheel by key with user":
		// A user beside the key breaks Salt's wheel. We do not copy that.
		data["return"] = map[string]any{
			"minions": []any{"m1"}, "minions_pre": []any{}, "minions_rejected": []any{}, "minions_denied": []any{},
			"local": []any{"master.pem", "master.pub"},
		}
		data["success"] = true
	case "wheel unknown function":
		data["return"] = "'no.such' is not available." // without the traceback
	}
	return v
}

var madeJID = regexp.MustCompile(`2026\d{16}`)

// timeless replaces the jids and times that differ in each run. Jids that come from the test or a
// recording stay.
func timeless(t *testing.T, v any) any {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b = madeJID.ReplaceAll(b, []byte("JID"))
	b = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+`).ReplaceAll(b, []byte("STAMP"))
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// otherEvent reports whether an event belongs to features that this master lacks, or to the second
// pair that Salt's wheel fires under another jid.
func otherEvent(tag string, data map[string]any) bool {
	user, _ := data["user"].(string)
	return tag == "salt/job/error" || user == "UNKNOWN" || user == "tester" || strings.HasPrefix(tag, "salt/run/") && data["fun_args"] == nil ||
		tag == "salt/auth" || tag == "salt/key" || tag == "key" || strings.HasSuffix(tag, "/ret/other")
}

// checkEvents looks for each recorded event: same tag, and all of Salt's data. Generated jids are
// replaced by JID in both.
func checkEvents(t *testing.T, rec *recorder, v commandsFile) {
	t.Helper()
	var have []map[string]any
	var tags []string
	for _, e := range rec.rest() {
		d, err := wire.Decode(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := timeless(t, plain(t, d)).(map[string]any)
		have, tags = append(have, m), append(tags, madeJID.ReplaceAllString(e.Tag, "JID"))
	}
	byExternalAuth, runners, pillars := 0, 0, 0
	for _, e := range v.Events {
		if jid.Valid(e.Tag) && madeJID.MatchString(e.Tag) {
			if byExternalAuth++; byExternalAuth > 1 {
				continue // jobs of users with tokens
			}
		}
		if strings.HasPrefix(e.Tag, "salt/run/") {
			if runners++; runners <= 2 {
				continue // a minion's peer runner, which has other fields
			}
			continue
		}
		if otherEvent(e.Tag, e.Data) || strings.HasPrefix(e.Tag, "salt/wheel/") {
			continue
		}
		if strings.HasPrefix(e.Tag, "minion/refresh/") {
			if pillars++; pillars > 2 {
				continue // version 2 of Salt keeps the data of a minion whose key is deleted
			}
		}
		delete(e.Data, "_stamp")
		delete(e.Data, "tok") // proof of identity, which must not be on the bus
		want := timeless(t, e.Data).(map[string]any)
		tag := madeJID.ReplaceAllString(e.Tag, "JID")
		found := false
		for i, m := range have {
			if tags[i] == tag && contains(m, want) {
				found = true
				have = slices.Delete(have, i, i+1)
				tags = slices.Delete(tags, i, i+1)
				break
			}
		}
		if !found {
			t.Errorf("no event %s with %v; left are %v", tag, want, tags)
		}
	}
	for what, n := range map[string]int{"salt/wheel/JID/new": 3, "salt/wheel/JID/ret": 3, "salt/run/JID/new": 2} {
		got := 0
		for _, tag := range tags {
			if tag == what {
				got++
			}
		}
		if got != n {
			t.Errorf("%d events %s, want %d", got, what, n)
		}
	}
}

func contains(have, want map[string]any) bool {
	for k, v := range want {
		if !cmp.Equal(have[k], v) {
			return false
		}
	}
	return true
}
