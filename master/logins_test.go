package master

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
)

// Without a login service, a request with a login is judged by the login, never by the key beside
// it. Salt's clients send root's key with every token or eauth, so commands with a wrong password
// ran as root. The test sends every clear command that has an effect, with every field in both
// places.
func TestLoginsAreRefusedBesideAnyKey(t *testing.T) {
	r := newRig(t)
	r.start()
	m := r.minion("m1", "minion", "minion").listen().announce()
	loads := map[string]*wire.Map{
		"publish":       testJob("*", "glob"),
		"publish_batch": testJob("*", "glob"),
		"runner":        wire.NewMap("fun", "jobs.active", "key", rootKey, "user", "root"),
		"wheel":         wire.NewMap("fun", "key.list_all", "key", rootKey, "user", "root"),
	}
	for cmd, good := range loads {
		good.Set("cmd", cmd)
		for _, c := range []struct {
			name string
			want string // for runner and wheel
			cred []any
		}{
			{"a wrong password", "Eauth", []any{"eauth", "pam", "username", "nobody", "password", "WRONG"}},
			{"eauth alone", "Eauth", []any{"eauth", "pam"}},
			{"an empty eauth", "Eauth", []any{"eauth", ""}},
			{"no eauth", "Eauth", []any{"eauth", nil}},
			{"a token that is none", "Token", []any{"token", "deadbeef00"}},
			{"an empty token", "Token", []any{"token", ""}},
			{"no token", "Token", []any{"token", nil}},
			{"a number as token", "Token", []any{"token", 7}},
			{"both", "Token", []any{"eauth", "pam", "token", strings.Repeat("a", 64)}},
		} {
			for _, place := range []string{"load", "kwargs"} {
				load := good.Clone()
				cred := wire.NewMap(c.cred...)
				if place == "kwargs" {
					load.Set("kwargs", cred)
				} else {
					for _, k := range cred.Keys() {
						v, _ := cred.Get(k.(string))
						load.Set(k, v)
					}
				}
				name, message := "AuthenticationError", "Authentication error occurred."
				if cmd == "runner" || cmd == "wheel" {
					name, message = c.want+"AuthenticationError", `Authentication failure of type "`+strings.ToLower(c.want)+`" occurred`
				}
				got := r.say(load)
				if e := got.Map("error"); got.Len() != 1 || e == nil || e.String("name") != name || e.String("message") != message {
					t.Errorf("%s with %s in %s: %v", cmd, c.name, place, plain(t, got))
				}
			}
		}
	}
	for _, c := range [][]any{{"token", "x"}, {"eauth", "pam", "username", "u", "password", "p"}} {
		if v := decoded(t, r.clearBytes(wire.NewMap(append([]any{"cmd", "mk_token", "key", rootKey}, c...)...))); v != "" {
			t.Errorf("mk_token with %v: %v", c, v)
		}
	}
	// The key alone still works, and nothing was published before.
	id := r.say(testJob("*", "glob")).Map("load").String("jid")
	if p := m.hear(); p.JID != id {
		t.Errorf("heard %s before %s", p.JID, id)
	}
}

// loginUsers sets the external_auth option of these tests.
func loginUsers(c *config.Master) {
	c.ExternalAuth = map[string]any{
		"auto": map[string]any{
			"alice": []any{".*", "@runner", "@wheel"},
			"bob":   []any{map[string]any{"near": []any{"test.ping"}}},
			"carol": []any{"@runner"},
			"root":  []any{"test.ping"},
		},
		"sharedsecret": map[string]any{"frank": []any{"test.ping"}},
	}
	c.Raw = map[string]any{"sharedsecret": "s3cret"}
	c.PublisherAclBlacklist = map[string]any{"modules": []any{"cmd.exec_code"}}
	c.TokenDir = filepath.Join(c.Cachedir, "tokens")
}

// Users of login services may do what external_auth allows and no more, in every command, with
// token and password, each with root's key beside it.
func TestUsersOfLoginServices(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	near := r.minion("near", "minion", "minion").listen().announce()
	r.minion("far", "minion", "minion").listen().announce()
	token := func(user string) string {
		t.Helper()
		got := r.say(wire.NewMap("cmd", "mk_token", "eauth", "auto", "username", user, "password", "x"))
		if got.String("name") != user || got.String("eauth") != "auto" || got.Float("expire")-got.Float("start") != 43200 || len(got.List("perms")) == 0 || got.Has("auth_list") {
			t.Fatalf("token of %s: %v", user, plain(t, got))
		}
		if again := r.say(wire.NewMap("cmd", "get_token", "token", got.String("token"))); again.String("name") != user {
			t.Fatalf("token of %s: %v", user, plain(t, again))
		}
		info, err := os.Stat(filepath.Join(r.cfg.TokenDir, got.String("token")))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("its file: %v, %v", info, err)
		}
		return got.String("token")
	}
	logins := map[string][]any{
		"frank": {"eauth", "sharedsecret", "username", "frank", "password", "s3cret"},
		"liar":  {"eauth", "sharedsecret", "username", "frank", "password", "guess"},
		"none":  {"eauth", "auto", "username", "nobody", "password", "x"},
		"old":   {"token", strings.Repeat("ab", 32)},
		"path":  {"token", "../../.root_key"},
	}
	for _, u := range []string{"alice", "bob", "carol", "root"} {
		logins[u+" again"], logins[u] = []any{"eauth", "auto", "username", u, "password", "x"}, []any{"token", token(u)}
	}
	job := func(tgt any, kind, fun string) *wire.Map { return testJob(tgt, kind, "fun", fun) }
	run := func(fun string) *wire.Map {
		return wire.NewMap("cmd", "runner", "fun", fun, "key", rootKey, "user", "root")
	}
	wheel := func(fun string) *wire.Map {
		return wire.NewMap("cmd", "wheel", "fun", fun, "key", rootKey, "user", "root")
	}
	both := []any{"near", "far"}
	for _, c := range []struct {
		who  string
		load *wire.Map
		want string // name of the error; "" means success
	}{
		{"alice", job("*", "glob", "test.ping"), ""},
		{"alice again", job("*", "glob", "test.ping"), ""},
		{"alice", job("*", "glob", "cmd.exec_code"), "AuthorizationError"},
		{"alice", run("jobs.active"), ""},
		{"alice", wheel("key.list_all"), ""},
		{"bob", job("near", "glob", "test.ping"), ""},
		{"bob again", job([]any{"near"}, "list", "test.ping"), ""},
		{"bob", job("n*", "glob", "test.ping"), ""},
		{"bob", job("near", "glob", "test.pingx"), "AuthorizationError"},
		{"bob", job("near", "glob", "test.version"), "AuthorizationError"},
		{"bob", job("*", "glob", "test.ping"), "AuthorizationError"},
		{"bob", job(both, "list", "test.ping"), "AuthorizationError"},
		{"bob", job("near or far", "compound", "test.ping"), "AuthorizationError"},
		{"bob again", job("f??", "glob", "test.ping"), "AuthorizationError"},
		{"bob", run("jobs.active"), "TokenAuthenticationError"},
		{"bob again", wheel("key.list_all"), "EauthAuthenticationError"},
		{"carol", run("jobs.active"), ""},
		{"carol", wheel("key.delete"), "TokenAuthenticationError"},
		{"carol", job("near", "glob", "test.ping"), "AuthorizationError"},
		{"frank", job("near", "glob", "test.ping"), ""},
		{"frank", job("near", "glob", "cmd.run"), "AuthorizationError"},
		{"root", job("near", "glob", "test.ping"), ""},
		{"root", job("near", "glob", "cmd.run"), "AuthorizationError"}, // a login named root is not the machine's root
		{"root", run("jobs.active"), "TokenAuthenticationError"},
		{"liar", job("near", "glob", "test.ping"), "AuthenticationError"},
		{"none", job("near", "glob", "test.ping"), "AuthenticationError"},
		{"old", job("near", "glob", "test.ping"), "AuthenticationError"},
		{"path", run("jobs.active"), "TokenAuthenticationError"},
	} {
		load := c.load.Clone()
		cred := wire.NewMap(logins[c.who]...)
		if load.String("cmd") == "publish" {
			load.Set("kwargs", cred)
		} else {
			cred.Range(func(k, v any) bool { load.Set(k, v); return true })
		}
		got := r.say(load)
		name := ""
		if e := got.Map("error"); e != nil {
			name = e.String("name")
		}
		if name != c.want {
			t.Errorf("%s: %v: %v, want %q", c.who, plain(t, c.load), plain(t, got), c.want)
		}
		if load.String("cmd") != "publish" || name != "" {
			continue
		}
		p := near.hear()
		if id := got.Map("load").String("jid"); p.JID != id || p.User != strings.TrimSuffix(c.who, " again") {
			t.Errorf("%s: job %s of %s was heard in the place of %s", c.who, p.JID, p.User, id)
		}
		if _, secret := p.Extra.Get("token"); secret || p.Extra.Has("password") {
			t.Errorf("%s: minions see the login: %v", c.who, plain(t, p.Extra))
		}
		stored, _, err := r.store.Local().GetLoad(t.Context(), p.JID)
		raw := string(stored.Raw)
		if err != nil || stored.User != p.User {
			t.Errorf("job %s is stored for %q: %v", p.JID, stored.User, err)
		}
		for _, secret := range []string{"s3cret", "token", "password"} {
			if strings.Contains(raw, secret) {
				t.Errorf("%s: the stored job has %s: %s", c.who, secret, raw)
			}
		}
	}
}

// Pages of results are for the owner of the job and for users who may look jobs up. A login user
// does not own the jobs of a machine user with the same name.
func TestJobPagesOfLogins(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	m := r.minion("near", "minion", "minion").listen().announce()
	jobs := map[string]string{}
	for _, u := range []string{"bob", "root"} {
		load := testJob("near", "glob")
		load.Set("kwargs", wire.NewMap("eauth", "auto", "username", u, "password", "x"))
		jobs[u] = r.say(load).Map("load").String("jid")
		if err := m.answer(m.hear().JID, true); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range []string{"bob", "root"} { // by key
		jobs[u+" here"] = r.say(testJob("near", "glob", "key", rootKey, "user", u)).Map("load").String("jid")
		if err := m.answer(m.hear().JID, true); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		who, of string
		may     bool
	}{
		{"bob", "bob", true},
		{"bob", "root", false},
		{"root", "root", true},
		{"carol", "bob", true},
		{"alice", "root", true},
		{"bob", "bob here", false},
		{"root", "root here", false},
		{"carol", "bob here", true},
	} {
		got := r.say(wire.NewMap("cmd", "job_page", "jid", jobs[c.of], "after", "", "eauth", "auto", "username", c.who, "password", "x", "key", rootKey, "user", "root"))
		if may := got.Map("error") == nil; may != c.may {
			t.Errorf("%s reads the job of %s: %v", c.who, c.of, plain(t, got))
		}
	}
}

// A key created by a wheel function reaches the caller, and not the readers of the event bus.
func TestPrivateKeysAreNotOnTheBus(t *testing.T) {
	r := newRig(t)
	r.start()
	ev := r.events()
	got := r.say(wire.NewMap("cmd", "wheel", "fun", "key.gen_accept", "id_", "new", "key", rootKey, "user", "root"))
	data := got.Map("data")
	if !strings.Contains(data.Map("return").String("priv"), "PRIVATE KEY") {
		t.Fatalf("the caller has %v", plain(t, got))
	}
	fired := ev.take(got.String("tag") + "/ret")
	raw, err := wire.Encode(fired)
	if err != nil || strings.Contains(string(raw), "KEY") || !fired.Bool("success") {
		t.Errorf("fired %v, %v", plain(t, fired), err)
	}
	if !r.keys.Accepted("new") {
		t.Error("the key is not accepted")
	}
}

// A token that was revoked or has expired is refused.
func TestTokensEnd(t *testing.T) {
	c := &clock{at: time.Unix(1_800_000_000, 0)}
	r := newRig(t, loginUsers)
	r.opts.Now = c.now
	r.start()
	m := r.minion("near", "minion", "minion").listen().announce()
	newToken := func() string {
		return r.say(wire.NewMap("cmd", "mk_token", "eauth", "auto", "username", "alice", "password", "x")).String("token")
	}
	publish := func(token string) bool {
		load := testJob("near", "glob")
		load.Set("kwargs", wire.NewMap("token", token))
		return r.say(load).Map("load") != nil
	}
	one, two := newToken(), newToken()
	if !publish(one) || !publish(two) {
		t.Error("new tokens are refused")
	}
	m.hear()
	m.hear()
	for _, want := range []bool{true, false} { // it no longer exists the second time
		if got := decoded(t, r.clearBytes(wire.NewMap("cmd", "revoke_token", "token", one))); got != want {
			t.Errorf("revoked: %v, want %v", got, want)
		}
	}
	if publish(one) || !publish(two) {
		t.Error("the revoked token is still valid, or the other is not")
	}
	c.forward(r.cfg.TokenExpire + time.Second)
	if publish(two) {
		t.Error("a token past its time is taken")
	}
}

// Requests of users are audited, without their credentials.
func TestAuditOfLogins(t *testing.T) {
	r := newRig(t, loginUsers)
	r.start()
	r.minion("near", "minion", "minion").listen().announce()
	ev := r.events()
	r.say(wire.NewMap("cmd", "mk_token", "eauth", "sharedsecret", "username", "frank", "password", "s3cret"))
	load := testJob("near", "glob", "fun", "cmd.run", "arg", []any{"id", wire.NewMap("__kwarg__", true, "password", "hidden")})
	load.Set("kwargs", wire.NewMap("eauth", "sharedsecret", "username", "frank", "password", "s3cret"))
	r.say(load)
	r.say(testJob("near", "glob"))
	for _, want := range []string{"login eauth frank true", "publish eauth frank false cmd.run", "publish key root true test.ping"} {
		d := ev.take(access.AuditTag)
		allowed := "false"
		if d.Bool("allowed") {
			allowed = "true"
		}
		got := strings.TrimSpace(strings.Join([]string{d.String("kind"), d.String("door"), d.String("user"), allowed, d.String("fun")}, " "))
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		raw, err := wire.Encode(d)
		if err != nil || strings.Contains(string(raw), "s3cret") || strings.Contains(string(raw), "hidden") {
			t.Errorf("a secret is in the event: %q, %v", raw, err)
		}
	}
}
