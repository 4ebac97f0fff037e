package master

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/server"
)

// Attack: an accepted minion sends requests in the name of another (2013-4439, and again 2024-38822
// in commands that did not check).
func TestCVE2013_4439_CVE2024_38822(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	r.minion("m1", "minion", "minion")
	r.minion("m2", "minion", "syndic")
	events := r.events()
	now := time.Now().Unix()
	for _, load := range []*wire.Map{
		returnOf("m2", someJob, true),
		wire.NewMap("cmd", "_minion_event", "id", "m2", "tag", "custom/x", "data", wire.NewMap()),
		wire.NewMap("cmd", "_pillar", "id", "m2", "grains", wire.NewMap("role", "evil"), "saltenv", "base", "ver", "2"),
		wire.NewMap("cmd", "_mine", "id", "m2", "data", wire.NewMap("x", 1)),
		wire.NewMap("cmd", "_presence", "id", "m2", "session", "s", "role", "minion"),
		wire.NewMap("cmd", "revoke_auth", "id", "m2"),
	} {
		for _, proof := range []string{"minion", "syndic", ""} { // its own, and the other's, which it cannot create
			load.Set("nonce", wire.NewNonce())
			load.Set("ts", now)
			if load.Delete("tok"); proof != "" {
				load.Set("tok", tokOf(t, proof))
			}
			if v := decoded(t, r.ask(r.forge("m1", load, nil))); v != server.BadLoad {
				t.Errorf("%s: %v", load.String("cmd"), v)
			}
		}
	}
	if got := stored(t, r, someJob); len(got) != 0 {
		t.Errorf("stored %v", got)
	}
	if tags := events.tags(); len(tags) != 0 || !r.keys.Accepted("m2") || r.data.Get("m2") != nil {
		t.Errorf("events %v, m2 accepted %v, data %v", tags, r.keys.Accepted("m2"), r.data.Get("m2"))
	}
	// Nor does the tok of another minion help: it proves that minion's key.
	if _, err := r.keys.PublicKey("m2"); err != nil || r.keys.Toks.Valid("m2", tokOf(t, "minion")) {
		t.Errorf("m1's tok passes for m2: %v", err)
	}
}

// Attack: an accepted minion fires events that make the master, a reactor or another minion act
// (22236: jobs for others; 22239: any event).
func TestCVE2025_22236_CVE2025_22239(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	m1 := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	data := wire.NewMap("fun", "cmd.run", "arg", []any{"id"}, "tgt", "*", "id", "m2", "act", "accept", "result", true, "return", "x")
	for _, tag := range []string{
		"salt/auth", "salt/key", "salt/run/" + someJob + "/ret", "salt/wheel/" + someJob + "/ret", "salt/job/" + someJob + "/new",
		"salt/job/" + someJob + "/ret/m2", "salt/job/" + someJob + "/complete", "salt/job/" + someJob + "/missing", someJob, "key",
		"salt/minion/m2/start", "salt/beacon/m2/load/", "minion/refresh/m2", "salt/presence/change", "syndic/n1/salt/auth", "salt/syndic/n1/start",
		"topology/refused", "salt/stats/m1",
	} {
		m1.must(wire.NewMap("cmd", "_minion_event", "tag", tag, "data", data))
		m1.must(bulk(nil, event(tag, data)))
	}
	m1.must(wire.NewMap("cmd", "minion_pub", "tgt", "*", "fun", "cmd.run", "arg", []any{"id"}))
	m1.must(wire.NewMap("cmd", "minion_publish", "tgt", "*", "fun", "cmd.run", "arg", []any{"id"}))
	m1.must(wire.NewMap("cmd", "minion_runner", "fun", "salt.cmd", "arg", []any{"cmd.run", "id"}))
	if tags := events.tags(); len(tags) != 0 || len(m1.heard) != 0 {
		t.Errorf("fired %v, published %d", tags, len(m1.heard))
	}
	if n := r.Stats().Trespasses[ownership.OfEvent]; n != 36 {
		t.Errorf("%d counted, want 36", n)
	}
}

// Attack: a minion sends or requests a file whose name is a path outside the master's directories
// (2024-38824 writes, 2024-22232 and 2018-15750 read, 2025-22240 creates and deletes, 2023-20898
// shares).
func TestCVE2024_38824_CVE2024_22232_CVE2018_15750_CVE2025_22240(t *testing.T) {
	r := newRig(t, func(c *config.Master) { c.MinionDataCache, c.FileRecv = true, true })
	r.file("secret", "top secret", 0o644)
	r.file("srv/a/x", "served", 0o644)
	r.start()
	m := r.minion("m1", "minion", "minion")
	was := r.tree()
	for _, path := range []string{"../secret", "../../secret", filepath.Join(r.dir, "secret"), "/etc/passwd", "..\\..\\secret", "a/../../secret"} {
		for _, cmd := range []string{
			"_serve_file", "_file_find", "_file_hash", "_file_hash_and_stat", "_file_list", "_dir_list", "_symlink_list",
			"_file_list_emptydirs", "_file_recv", "_file_envs", "_master_tops", "_ext_nodes",
		} {
			for _, env := range []string{"base", "../../.."} {
				v := m.must(wire.NewMap("cmd", cmd, "path", path, "saltenv", env, "tgt_env", "../..", "prefix", path, "loc", 0,
					"data", "x", "gzip", nil, "size", 1, "opts", wire.NewMap("id", "../../x")))
				b, err := wire.Encode(v)
				if err != nil || strings.Contains(string(b), "secret") || strings.Contains(string(b), "root:") {
					t.Errorf("%s %s: %v", cmd, path, v)
				}
			}
		}
		if strings.Contains(path, "\\") { // an ordinary name here
			continue
		}
		m.must(wire.NewMap("cmd", "_file_recv", "path", strings.Split(path, "/"), "data", "x", "loc", 0))
	}
	r.unchanged(was)
}

// Attack: a minion id is a path: at sign-in (2017-12791, 2017-14695, and 22241 through the autosign
// directory), in the caches of returns and syndics (2024-22231) and of minions (2025-22238).
func TestCVE2017_12791_CVE2017_14695_CVE2024_22231_CVE2025_22238_CVE2025_22241(t *testing.T) {
	r := newRig(t, ordersMasters)
	r.start()
	node := r.minion("n1", "syndic", "syndic")
	was := r.tree()
	_, public := goldenPair(t, "minion")
	for _, id := range []string{"../evil", "a/../../evil", "/tmp/evil", "..", ".", "", "a/b", `a\b`, ".hidden", "a\nb", "\x1b[2J", strings.Repeat("x", 256)} {
		load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", id, "pub", public, "nonce", wire.NewNonce(), "enc_algo", "OAEP-SHA1", "sig_algo", "PKCS1v15-SHA1",
			"autosign_grains", wire.NewMap("../../x", "../../y")))
		if err != nil {
			t.Fatal(err)
		}
		body, err := wire.Envelope{Enc: "clear", Load: load, Version: 3}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		r.ask(body)
		node.must(wire.NewMap("cmd", "_syndic_return", "load", []any{
			wire.NewMap("id", id, "jid", someJob, "fun", "test.ping", "return", wire.NewMap(id, wire.NewMap("return", true, "retcode", 0))),
		}))
		body, err = wire.Envelope{Enc: "aes", Cipher: []byte(strings.Repeat("x", 80)), Version: 3, ID: id}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if v := decoded(t, r.ask(body)); v != server.BadLoad {
			t.Errorf("a request of %q: %v", id, v)
		}
	}
	if got := stored(t, r, someJob); len(got) != 0 {
		t.Errorf("stored %v", got)
	}
	delete(was, "cache/syndics/n1")
	now := r.tree()
	delete(now, "cache/syndics/n1")
	for f := range now {
		if _, ok := was[f]; !ok {
			t.Errorf("%s has come", f)
		}
	}
}

// Attack: a crafted sign-in stops the master (2017-14696: a NUL in the id).
func TestCVE2017_14696(t *testing.T) {
	r := newRig(t)
	r.start()
	was := r.tree()
	for _, id := range []any{"a\x00b", "\x00", "\xff\xfe", 5, nil, []any{"x"}, wire.NewMap("a", 1), true} {
		for _, pub := range []any{"", "\x00", nil, 7, strings.Repeat("A", 1<<16), "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"} {
			load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", id, "pub", pub, "nonce", wire.NewNonce(), "token", pub))
			if err != nil {
				t.Fatal(err)
			}
			body, err := wire.Envelope{Enc: "clear", Load: load, Version: 3}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if v, _ := decoded(t, r.ask(body)).(string); !strings.HasPrefix(v, server.BadLoad) && v != "Some exception handling minion payload" {
				t.Errorf("id %q is answered by %q", id, v)
			}
		}
	}
	r.unchanged(was)
	if err := r.minion("m1", "minion", "minion").answer(someJob, true); err != nil {
		t.Fatal(err)
	}
	if n := r.Stats().Panics; n != 0 {
		t.Errorf("%d panics", n)
	}
}

// Attack: a minion requests a pillar of its own making: a git URL that runs a command (22237), an
// environment that is a path, an override.
func TestCVE2025_22237(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion")
	was := r.tree()
	evil := channel.PillarRequest{
		Grains: wire.NewMap("id", "../../x"), Ext: "git", Saltenv: "__env__\n../..", Pillarenv: "../../..", CleanCache: true,
		Override: wire.NewMap("git_pillar", "ext::sh -c id"), ExtraMinionData: wire.NewMap("x", "ext::sh -c id"),
	}
	pillar := func() *wire.Map {
		t.Helper()
		raw, err := m.Pillar(t.Context(), evil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := wire.DecodeMap(raw)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := pillar(); p.Len() != 1 || len(p.List("_errors")) != 1 { // the error: invalid environments
		t.Errorf("pillar %v", p)
	}
	evil.Saltenv, evil.Pillarenv = "dev", "dev"
	if p := pillar(); p.Len() != 2 || p.String("git_pillar") != "ext::sh -c id" || len(p.List("_errors")) != 1 { // its own override, and the refusal of git
		t.Errorf("pillar %v", p)
	}
	for k, v := range map[string]any{
		"ext": "git", "pillar_override": wire.NewMap("git_pillar", "x"), "pillarenv": "../../..", "saltenv": "__env__\n../..",
		"extra_minion_data": wire.NewMap("x", "ext::sh -c id"), "clean_cache": true,
	} {
		_, _ = m.send(wire.NewMap("cmd", "_pillar", "grains", wire.NewMap("id", "../../x"), "ver", "2", k, v))
	}
	for f := range r.tree() {
		if _, ok := was[f]; !ok && !strings.HasPrefix(f, "cache/minions") {
			t.Errorf("%s has come", f)
		}
	}
	if _, ok := r.tree()["cache/minions/m1/data.p"]; !ok {
		t.Error("the grains are not under the id of the sender")
	}
}
