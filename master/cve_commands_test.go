package master

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
)

// clearBytes sends a clear command and returns the bytes of the reply.
func (r *rig) clearBytes(load *wire.Map) []byte {
	r.t.Helper()
	raw, err := wire.Encode(load)
	if err != nil {
		r.t.Fatal(err)
	}
	body, err := wire.Envelope{Enc: "clear", Load: raw, Version: 3}.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	return r.ask(body)
}

// tree lists the files of the rig, to which no attack may add.
func (r *rig) tree() map[string]int64 {
	r.t.Helper()
	out := map[string]int64{}
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // a temporary file that is gone
		}
		rel, _ := filepath.Rel(r.dir, path)
		if strings.HasPrefix(rel, "jobs.db") || strings.Contains(rel, "sessions") || strings.Contains(rel, "presence.p") || strings.HasSuffix(rel, "age_clock") || strings.HasPrefix(d.Name(), ".mom-") { // may be written at any time
			return nil
		}
		out[rel] = 0
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// unchanged fails if a file was added or removed since.
func (r *rig) unchanged(was map[string]int64) {
	r.t.Helper()
	now := r.tree()
	for f := range now {
		if _, ok := was[f]; !ok {
			r.t.Errorf("%s has come", f)
		}
	}
	for f := range was {
		if _, ok := now[f]; !ok {
			r.t.Errorf("%s has gone", f)
		}
	}
}

// Attack: a stranger calls internal methods of the master, obtains the root key from one of them
// and publishes with another.
func TestCVE2020_11651(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	for _, cmd := range []string{
		"_prep_auth_info", "_prep_pub", "_prep_jid", "_send_pub", "_send_ssh_pub", "_match", "__init__", "__class__", "__dict__",
		"destroy", "run", "get_method", "connect", "_handle_clear", "run_func", "loadauth", "ckminions", "local", "ssh",
		"_return", "_minion_event", "_presence", "_master_opts", "revoke_auth", "", "publish ", "PUBLISH", "runner\x00",
	} {
		reply := r.clearBytes(wire.NewMap("cmd", cmd, "tgt", "*", "fun", "test.ping", "arg", []any{}, "jid", someJob, "load", wire.NewMap(),
			"channel", "x", "publish", true))
		if bytes.Contains(reply, []byte(rootKey)) {
			t.Errorf("%q gives the root key away", cmd)
		}
		if v := decoded(t, reply); v != "" && v != server.BadLoad && len(v.(map[string]any)) > 0 {
			t.Errorf("%q is answered by %v", cmd, v)
		}
	}
	// Nor can an accepted minion.
	for _, cmd := range []string{"_prep_auth_info", "_send_pub", "run_func", "__init__", "publish", "runner", "wheel", "mk_token"} {
		if v := m.must(wire.NewMap("cmd", cmd, "fun", "jobs.active", "tgt", "*")); v.(*wire.Map).Len() != 0 {
			t.Errorf("%s of a minion is answered by %v", cmd, v)
		}
	}
	if len(m.heard) != 0 {
		t.Error("something was published")
	}
}

// Attack: file names with .. in wheel calls read and write files of the master (11652), write
// pillar files (2021-25282), or change its configuration.
func TestCVE2020_11652_CVE2021_25282(t *testing.T) {
	r := newRig(t)
	r.start()
	was := r.tree()
	for _, fun := range []string{
		"file_roots.read", "file_roots.write", "file_roots.find", "pillar_roots.read", "pillar_roots.write", "config.update_config",
		"config.apply", "key.read", "minions.connected", "error.error", "../key.list_all", "key.__init__",
	} {
		load := wire.NewMap("cmd", "wheel", "fun", fun, "key", rootKey, "path", "../../../../etc/passwd", "file_name", "../../evil",
			"data", "x", "yaml_contents", "x: 1", "saltenv", "../../..", "match", "../../../etc/passwd")
		d := r.say(load).Map("data")
		if text := d.String("return"); d.Bool("success") || !strings.Contains(text, "is not available") && !strings.Contains(text, "is not served") && !strings.Contains(text, "invalid keyword arguments") {
			t.Errorf("%s: %v", fun, plain(t, d))
		}
	}
	for _, kwarg := range []*wire.Map{
		wire.NewMap("file_name", "../../evil", "yaml_contents", wire.NewMap("timeout", 1)),
		wire.NewMap("file_name", "/etc/salt/evil", "yaml_contents", wire.NewMap("timeout", 1)),
		wire.NewMap("file_name", "evil", "yaml_contents", wire.NewMap("external_auth", wire.NewMap("auto", wire.NewMap("eve", []any{".*"})))),
		wire.NewMap("file_name", "evil", "yaml_contents", "open_mode: true"),
	} {
		d := r.say(wire.NewMap("cmd", "wheel", "fun", "config.update_config", "key", rootKey, "arg", []any{}, "kwarg", kwarg)).Map("data")
		if d.Bool("success") || !strings.Contains(d.String("return"), "Passed invalid arguments") {
			t.Errorf("%v: %v", plain(t, kwarg), plain(t, d))
		}
	}
	// Keys are selected by the contents of the directories, never by a path.
	for _, fun := range []string{"key.accept", "key.reject", "key.delete", "key.finger", "key.key_str", "key.name_match", "key.glob_match"} {
		d := r.say(wire.NewMap("cmd", "wheel", "fun", fun, "key", rootKey, "match", "../master.pem")).Map("data").Map("return")
		if len(d.List("minions")) != 0 || strings.HasPrefix(fun, "key.f") && d.Len() != 0 {
			t.Errorf("%s: %v", fun, plain(t, d))
		}
	}
	if d := r.say(wire.NewMap("cmd", "wheel", "fun", "key.gen_accept", "key", rootKey, "id_", "../minions_pre/x", "force", true)).Map("data"); d.Bool("success") {
		t.Errorf("key.gen_accept: %v", plain(t, d))
	}
	r.unchanged(was)
}

// Attack: a caller passes any text as token or eauth and is admitted (25592 in salt-ssh, 25281 in
// wheel_async, 3144 with an expired token, 2017-5192 in batches).
func TestCVE2020_25592_CVE2021_25281_CVE2021_3144_CVE2017_5192(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	for _, cred := range [][]any{
		{"eauth", "pam", "username", "root", "password", "x"},
		{"eauth", "auto"},
		{"eauth", ""},
		{"token", "0"},
		{"token", "../../etc/passwd"},
		{"token", ""},
		{"key", ""},
		{"key", nil},
		{"key", []any{}},
		{"key", true},
		{"key", wire.NewMap()},
		{"key", rootKey + " "},
		{},
	} {
		for _, cmd := range []string{"publish", "runner", "wheel"} {
			for _, place := range []string{"load", "kwargs"} { // refused in either place
				load := wire.NewMap("cmd", cmd, "fun", map[string]string{"publish": "test.ping", "runner": "jobs.active", "wheel": "key.list_all"}[cmd],
					"tgt", "*", "arg", []any{}, "tgt_type", "glob", "user", "root", "client", "wheel_async")
				if place == "kwargs" {
					load.Set("kwargs", wire.NewMap(cred...))
				}
				for i := 0; i < len(cred) && place == "load"; i += 2 {
					load.Set(cred[i], cred[i+1])
				}
				if v := decoded(t, r.clearBytes(load)).(map[string]any); v["error"] == nil || len(v) != 1 {
					t.Errorf("%s with %v in %s: %v", cmd, cred, place, v)
				}
				if len(cred) == 0 || cred[0] == "key" {
					continue
				}
				load.Set("key", rootKey) // as Salt's clients do
				if v := decoded(t, r.clearBytes(load)).(map[string]any); v["error"] == nil || len(v) != 1 {
					t.Errorf("%s with %v in %s beside the key: %v", cmd, cred, place, v)
				}
			}
		}
		reply := r.clearBytes(wire.NewMap("cmd", "wheel_async", "fun", "key.list_all", "eauth", "pam"))
		if v := decoded(t, reply).(map[string]any); len(v) != 0 {
			t.Errorf("wheel_async: %v", v)
		}
	}
	if len(m.heard) != 0 {
		t.Error("something was published")
	}
	for _, cmd := range []string{"mk_token", "get_token"} {
		if v := decoded(t, r.clearBytes(wire.NewMap("cmd", cmd, "token", "x", "eauth", "pam"))); v != "" && len(v.(map[string]any)) > 0 {
			t.Errorf("%s: %v", cmd, v)
		}
	}
}

// Attack: broken packets, at least as many as there are workers, arrive at once and stop the master
// from accepting returns. They are invalid packets, clear requests with nonsense for each command,
// and encrypted requests of an accepted minion with fields of the wrong type. Each is answered, so
// it occupies neither a worker nor a slot of its connection. The test sends 100 at a time over one
// peer's connections.
func TestCVE2023_20897(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	bodies := [][]byte{nil, {0xc1}, {0x80}, {0x81}, []byte("garbage"), bytes.Repeat([]byte{0xff}, 1000), {0x81, 0xa3, 'e', 'n', 'c', 0xa3, 'a', 'e', 's'}}
	deep := append(bytes.Repeat([]byte{0x91}, 5000), 0xc0)
	wide := binary.BigEndian.AppendUint32([]byte{0xdd}, 20_000)
	wide = append(wide, bytes.Repeat([]byte{0x80}, 20_000)...)
	inClear := []server.Command{{Name: "nonsense"}, {Name: ""}}
	for _, c := range r.server.Commands() {
		if !c.Who.Sealed() {
			inClear = append(inClear, c)
		}
	}
	for _, c := range inClear {
		for _, x := range []wire.Raw{{0xc0}, deep, wide, {0x07}} {
			m := wire.NewMap("cmd", c.Name, "key", x)
			for _, field := range c.Args {
				m.Set(field, x)
			}
			load, err := wire.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			for _, version := range []int{0, 3, 99} {
				b, err := wire.Envelope{Enc: "clear", Load: load, Version: version}.Encode()
				if err != nil {
					t.Fatal(err)
				}
				bodies = append(bodies, b)
			}
		}
	}
	for _, c := range r.server.Commands() {
		for _, x := range []any{nil, 7, "x", []any{}, wire.NewMap("x", 1), wire.Raw(deep)} {
			load := wire.NewMap("cmd", c.Name, "id", "m1", "nonce", wire.NewNonce(), "ts", time.Now().Unix(), "tok", tokOf(t, "minion"))
			for _, field := range append([]string{"path", "fun"}, c.Args...) {
				load.Set(field, x)
			}
			if c.Who.Sealed() && c.Name != "revoke_auth" { // which it may send
				bodies = append(bodies, r.forge("m1", load, nil))
			}
		}
	}
	var wg sync.WaitGroup
	turns := make(chan struct{}, 100)
	for _, body := range bodies {
		for range brokenTimes {
			turns <- struct{}{}
			wg.Go(func() { defer func() { <-turns }(); r.ask(body) })
		}
	}
	wg.Wait()
	if n := r.stats.Panics.Load(); n != 0 {
		t.Errorf("%d of %d packets made a handler panic", n, brokenTimes*len(bodies))
	}
	if err := m.answer(someJob, true); err != nil {
		t.Fatal(err)
	}
}

// Attack: a peer uses an old protocol to avoid newer checks. With the shared key, which every
// accepted minion has, m2 sends requests in m1's name in the form without proof that masters before
// protocol 3 accept. It also signs in with the old protocols.
func TestCVE2025_62349(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	r.minion("m1", "minion", "minion")
	m2 := r.minion("m2", "minion", "minion2")
	events := r.events()
	now, _ := m2.Current()
	shared := crypticle(t, now.AES) // received by m2 at sign-in
	for version := range 3 {
		for _, load := range []*wire.Map{
			returnOf("m1", someJob, true),
			wire.NewMap("cmd", "_minion_event", "id", "m1", "tag", "custom/x", "data", wire.NewMap(), "nonce", wire.NewNonce()),
			wire.NewMap("cmd", "_pillar", "id", "m1", "grains", wire.NewMap("role", "evil"), "saltenv", "base", "ver", "2"),
			syndicReturn("m1", otherJob, "victim"),
		} {
			raw, err := wire.Encode(load)
			if err != nil {
				t.Fatal(err)
			}
			frame, err := shared.Seal("", raw)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{"", "m1", "m2"} {
				body, err := wire.Envelope{Enc: "aes", Cipher: frame, Version: version, ID: id}.Encode()
				if err != nil {
					t.Fatal(err)
				}
				if v := decoded(t, r.ask(body)); v != server.BadLoad {
					t.Errorf("version %d, %s: %v", version, load.String("cmd"), v)
				}
			}
		}
		if v, _ := decoded(t, r.ask(signInVersion(t, version))).(string); !strings.HasPrefix(v, server.BadLoad) {
			t.Errorf("sign-in of version %d: %v", version, v)
		}
	}
	if got := len(stored(t, r, someJob)) + len(stored(t, r, otherJob)); got != 0 || r.data.Get("m1") != nil || r.policy.IsNode("m1") {
		t.Errorf("stored %v, data %v", got, r.data.Get("m1"))
	}
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("fired %v", tags)
	}
}

func signInVersion(t *testing.T, version int) []byte {
	t.Helper()
	_, public := goldenPair(t, "minion")
	load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", "m1", "pub", public))
	if err != nil {
		t.Fatal(err)
	}
	body, err := wire.Envelope{Enc: "clear", Load: load, Version: version}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Attack: private keys and other secrets are readable by every user of the machine (2020-17490 with
// the tls module, 2015-8034 with cached states).
func TestCVE2020_17490_CVE2015_8034(t *testing.T) {
	r := newRig(t)
	if err := os.RemoveAll(filepath.Join(r.dir, "pki")); err != nil {
		t.Fatal(err)
	}
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	if _, err := m.Pillar(t.Context(), channel.PillarRequest{Grains: wire.NewMap("os", "x")}); err != nil {
		t.Fatal(err)
	}
	if err := m.answer(someJob, "secret"); err != nil {
		t.Fatal(err)
	}
	r.say(testJob("m1", "glob"))
	r.stop()
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := info.Mode()
		switch rel, _ := filepath.Rel(r.dir, path); {
		case strings.HasPrefix(rel, "peers"), strings.HasPrefix(rel, "pki/minions/"): // written by the test
		case mode.IsRegular() && mode.Perm()&0o022 != 0:
			t.Errorf("%s: %v: others may write it", rel, mode)
		case mode.IsRegular() && mode.Perm()&0o077 != 0 && !strings.HasSuffix(rel, ".pub"):
			t.Errorf("%s: %v: others may read it", rel, mode)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Attack: the key of a deleted minion still grants access, the shared key it has still decrypts
// publications, or a new machine of the same name inherits the data of the old one.
func TestCVE2016_9639(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	other := r.minion("m2", "minion", "minion2").listen().announce()
	learned, _ := m.Current()
	if err := r.data.Put("m1", wire.NewMap("role", "db"), wire.NewMap("password", "x")); err != nil {
		t.Fatal(err)
	}
	r.say(wire.NewMap("cmd", "wheel", "fun", "key.delete", "match", "m1", "key", rootKey))
	eventually(t, "the key gone", func() bool { return !r.keys.Accepted("m1") })
	m.mute()
	m.listen() // a subscription alone needs no key
	r.say(testJob("m2", "glob", "arg", []any{"for m2 alone"}))
	if other.hear(); r.keys.Shared.Text() == learned.AES {
		t.Error("the next job is under the key that the deleted minion has")
	}
	if len(m.heard) != 0 {
		t.Error("the deleted minion reads the next job")
	}
	if err := m.answer(someJob, true); err == nil {
		t.Error("a return of a deleted minion was taken")
	}
	eventually(t, "its data gone", func() bool { return r.data.Get("m1") == nil })
	r.minion("m1", "minion", "syndic")
	if err := m.answer(someJob, true); err == nil {
		t.Error("the former minion returns beside the new one")
	}
	if got := stored(t, r, someJob); len(got) != 0 {
		t.Errorf("stored %v", got)
	}
}

// Attack: a jid is a path, and the master creates or reads files outside of its directories (in
// 2025-22242 a worker hangs while reading one).
func TestCVE2025_22242(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	was := r.tree()
	for _, jid := range []string{
		"../../../../proc/self/fd/0", "20240102030405678901_/../../evil", "20240102030405678901_\n\nx", "20240102030405678901_" + strings.Repeat("x", 300),
		`20240102030405678901_\..\evil`, "/dev/zero", ".", "20240102030405678901_\x00",
	} {
		if v := r.say(testJob("m1", "glob", "jid", jid)); v.Map("error") == nil {
			t.Errorf("publish %q: %v", jid, plain(t, v))
		}
		if v, err := m.send(returnOf("m1", jid, true)); err == nil && v != "" {
			t.Errorf("return %q: %v", jid, v)
		}
		if v := m.must(wire.NewMap("cmd", "pub_ret", "jid", jid)); v.(*wire.Map).Len() != 0 {
			t.Errorf("pub_ret %q: %v", jid, v)
		}
	}
	r.unchanged(was)
}

// Attack: a recorded request is replayed (2024-38823), so that the master executes it twice.
func TestCVE2024_38823(t *testing.T) {
	at := &clock{at: time.Now()}
	r := newRig(t, func(c *config.Master) { c.RequestServerTtl = time.Minute })
	r.opts.Now = at.now
	r.start()
	r.minion("m1", "minion", "minion")
	load := wire.NewMap("cmd", "_minion_event", "id", "m1", "tag", "custom/door", "data", wire.NewMap("open", true),
		"nonce", strings.Repeat("a", 32), "ts", at.now().Unix(), "tok", tokOf(t, "minion"))
	body := r.forge("m1", load, nil)
	events := r.events()
	for range 5 {
		r.ask(body)
	}
	events.take("custom/door")
	if tags := events.tags(); len(tags) != 0 {
		t.Errorf("fired again: %v", tags)
	}
	if n := r.Stats().Trespasses[ownership.OfReplay]; n != 4 {
		t.Errorf("%d replays counted, want 4", n)
	}
	at.forward(2 * time.Minute)
	if v := decoded(t, r.ask(body)); v != server.BadLoad {
		t.Errorf("an old one: %v", v)
	}
	// Altered in transit: a fresh request in which one changed byte decrypts to another command.
	load.Set("ts", at.now().Unix())
	load.Set("nonce", strings.Repeat("b", 32))
	altered := r.forge("m1", load, func(frame []byte) { frame[15] ^= 1 }) // the block before the first
	if v := decoded(t, r.ask(altered)); v != server.BadLoad {
		t.Errorf("altered: %v", v)
	}
}

// forge encrypts a request with the session key of an id, whatever the load says.
func (r *rig) forge(id string, load *wire.Map, alter func(frame []byte)) []byte {
	r.t.Helper()
	raw, err := wire.Encode(load)
	if err != nil {
		r.t.Fatal(err)
	}
	key, err := r.keys.Sessions.Current(id)
	if err != nil {
		r.t.Fatal(err)
	}
	frame, err := key.Seal("", raw)
	if err != nil {
		r.t.Fatal(err)
	}
	if alter != nil {
		alter(frame)
	}
	body, err := wire.Envelope{Enc: "aes", Cipher: frame, Version: 3, ID: id}.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	return body
}
