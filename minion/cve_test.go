package minion

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// inTurn returns the configuration of a minion that runs one job at a time: a job that must not
// run would return before the next one.
func inTurn(t *testing.T, m *channeltest.Master) *config.Minion {
	cfg := testConfig(t, m)
	cfg.ProcessCountMax = 1
	return cfg
}

// quietly publishes bodies that must have no effect, then a true job, and returns all returns
// except that of the true job. The minion is one of inTurn.
func quietly(t *testing.T, m *channeltest.Master, bodies ...[]byte) []*wire.Map {
	t.Helper()
	before := len(m.Seen("_return"))
	for _, b := range bodies {
		m.PublishRaw("", b)
	}
	last := channeltest.Job(newJID(), "m1", "test.ping")
	m.Publish(last)
	m.AwaitReturn(t, last.String("jid"))
	var out []*wire.Map
	for _, r := range m.Seen("_return")[before:] {
		if r.String("jid") != last.String("jid") {
			out = append(out, r)
		}
	}
	return out
}

// Attack: a recorded publication is sent again, and the minion runs an old job.
func TestCVE2022_22936(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := inTurn(t, m)
	cfg.MinionJidQueueHwm, cfg.Bounds.StartedJobs = 1, 1 // only the serial protects a job that another one has followed
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	job, next := channeltest.Job(newJID(), "m1", "test.ping"), channeltest.Job(newJID(), "m1", "test.ping")
	body := m.Seal(job)
	m.PublishRaw("", body)
	m.AwaitReturn(t, job.String("jid"))
	m.Publish(next)
	m.AwaitReturn(t, next.String("jid"))
	waiting.Until(t, "their end", func() bool { return len(d.jobs.Table().Running()) == 0 })
	if got := quietly(t, m, body, body); len(got) != 0 {
		t.Errorf("run again: %#v", got)
	}
}

// Attack: an unencrypted job is sent to the minion.
func TestCVE2016_1866(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, inTurn(t, m))
	m.AwaitSubscribers(t, 1)
	load, err := wire.Encode(channeltest.Job(newJID(), "m1", "test.ping"))
	if err != nil {
		t.Fatal(err)
	}
	var bodies [][]byte
	for _, enc := range []string{"clear", "", "AES", "pub"} {
		b, err := wire.Encode(wire.NewMap("enc", enc, "load", wire.Raw(load)))
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, b)
	}
	if got := quietly(t, m, bodies...); len(got) != 0 {
		t.Errorf("run: %#v", got)
	}
}

// Attack: an accepted minion, which has the shared key like all others, publishes in the
// master's place, unsigned or signed with its own key, to a minion with default options and to
// one that requires signatures. The forger is on the way: its bodies come over the true
// connection.
func TestCVE2017_7893(t *testing.T) {
	for _, demands := range []bool{false, true} {
		m := channeltest.Start(t, channeltest.Rules{SignPublications: true})
		cfg := inTurn(t, m)
		cfg.SignPubMessages = demands
		start(t, cfg)
		m.AwaitSubscribers(t, 1)
		first := channeltest.Job(newJID(), "m1", "test.ping")
		m.Publish(first) // so the minion learns that this master signs
		m.AwaitReturn(t, first.String("jid"))
		m.Change(func(r *channeltest.Rules) { r.SignPublications = false })
		unsigned := m.Seal(channeltest.Job(newJID(), "m1", "test.ping"))
		m.Change(func(r *channeltest.Rules) { r.SignPublications = true })
		env, err := wire.ParseEnvelope(unsigned)
		if err != nil {
			t.Fatal(err)
		}
		var forged [][]byte
		own, err := crypt.Sign(crypt.PKCS1SHA1, channeltest.Key(t, "minion").Private, env.Cipher)
		if err != nil {
			t.Fatal(err)
		}
		for _, sig := range [][]byte{own, []byte(strings.Repeat("s", 256)), {1}} {
			env.SigAlgo, env.Sig = crypt.PKCS1SHA1, sig
			b, err := env.Encode()
			if err != nil {
				t.Fatal(err)
			}
			forged = append(forged, b)
		}
		for _, ret := range quietly(t, m, append(forged, unsigned)...) { // it may report that it does not run them
			if ret.Bool("success") || !strings.Contains(ret.String("return"), "does not take the job") {
				t.Errorf("sign_pub_messages %v: run: %#v", demands, ret)
			}
		}
	}
}

// Attack: modules that pass their arguments to a shell or fetch a URL (snapper 2021-31607,
// restartcheck 2020-28243, source_hash 2021-21996, docker, vt, tls 2020-17490). They do not
// exist here, and neither does any function with a name like a path.
func TestCVE2021_31607_CVE2020_28243_CVE2021_21996_CVE2020_17490(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, m))
	m.AwaitSubscribers(t, 1)
	for _, fun := range []string{
		"snapper.diff", "restartcheck.restartcheck", "file.manage_file", "tls.create_csr", "vmware_info.x", "junos.facts",
		"cmd.__init__", "../cmd.run", "cmd.run;id", "cmd", ".run", "cmd.", "os.system", "__builtins__.eval", "config.get;x", "salt.modules.cmdmod.run",
	} {
		job := channeltest.Job(newJID(), "m1", fun, "x; touch "+filepath.Join(t.TempDir(), "evil"), "http://x/$(id)")
		m.Publish(job)
		r := m.AwaitReturn(t, job.String("jid"))
		if text := r.String("return"); r.Bool("success") || !strings.Contains(text, "is not available") {
			t.Errorf("%s: %#v", fun, r)
		}
	}
}

// Attack: a jid is a path out of the folder of running jobs, or names the files
// of another job.
func TestJIDIsNoPath(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := inTurn(t, m)
	cfg.CacheJobs = true
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	var bodies [][]byte
	for _, jid := range []string{"../evil", "/tmp/evil", `..\evil`, "..", ".hidden", "a/b", "x\x00y", strings.Repeat("x", 129)} {
		bodies = append(bodies, m.Seal(channeltest.Job(jid, "m1", "test.ping")))
	}
	if got := quietly(t, m, bodies...); len(got) != 0 {
		t.Errorf("run: %#v", got)
	}
	for _, file := range []string{filepath.Join(cfg.Cachedir, "evil"), filepath.Join(cfg.Cachedir, "minion_jobs", "evil")} {
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("%s is there", file)
		}
	}
}

// Attack: a man in the middle answers a minion that has pinned its master, with a key of his
// own or with one of the short answers that need none, and the minion stops (22935), accepts
// what he sends, or goes elsewhere. One minion for each answer; then the true master is back.
func TestCVE2022_22935(t *testing.T) {
	clear := func(load any) func(string, []byte) []byte {
		b, err := wire.Encode(wire.NewMap("enc", "clear", "load", load))
		if err != nil {
			t.Fatal(err)
		}
		return func(string, []byte) []byte { return b }
	}
	ret := func(v any) channeltest.Rules { return channeltest.Rules{Answer: clear(wire.NewMap("ret", v))} }
	thief := channeltest.Key(t, "syndic")
	forged, err := wire.Encode(wire.NewMap("ret", false, "nonce", strings.Repeat("0", 32)))
	if err != nil {
		t.Fatal(err)
	}
	sig, err := crypt.Sign(crypt.PKCS1SHA1, thief.Private, forged)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := wire.Encode(wire.NewMap("enc", "clear", "load", []byte(forged), "sig", sig))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := wire.Encode("bad load")
	if err != nil {
		t.Fatal(err)
	}
	for what, rules := range map[string]channeltest.Rules{
		"a key of his own":                      {Grant: func(reply *wire.Map) { reply.Set("pub_key", thief.PublicPEM) }},
		"he is a master himself":                {},
		"bad enc algo":                          ret("bad enc algo"),
		"bad sig algo":                          ret("bad sig algo"),
		"refused":                               ret(false),
		"pending":                               ret(true),
		"full":                                  ret("full"),
		"no ret":                                {Answer: clear(wire.NewMap())},
		"another port":                          {Answer: clear(wire.NewMap("enc", "pub", "publish_port", 1, "aes", "x"))},
		"a plain text":                          {Answer: func(string, []byte) []byte { return plain }},
		"refused, signed with a key of his own": {Answer: func(string, []byte) []byte { return signed }},
	} {
		t.Run(what, func(t *testing.T) {
			m := channeltest.Start(t, channeltest.Rules{})
			cfg := testConfig(t, m)
			d := start(t, cfg)
			m.AwaitSubscribers(t, 1)
			if err := d.end(); err != nil {
				t.Fatal(err)
			}
			m.Change(func(r *channeltest.Rules) { r.Grant, r.Answer = rules.Grant, rules.Answer })
			own := m.Key
			become := func(k *crypt.KeyPair) { m.Down(); m.Key = k; m.Up() }
			if what == "he is a master himself" {
				become(thief)
			}
			before := len(m.Seen("_auth"))
			d = start(t, cfg)
			m.Await(t, "_auth", before+3) // it retries
			if links := d.sessions.Serving(); len(links) != 0 {
				t.Error("it serves him")
			}
			m.Change(func(r *channeltest.Rules) { r.Grant, r.Answer = nil, nil }) // the true master is back
			if m.Key != own {
				become(own)
			}
			waiting.Until(t, "the true master served", func() bool { return len(d.sessions.Serving()) == 1 && d.sessions.Serving()[0].Up() })
			job := channeltest.Job(newJID(), "m1", "test.ping")
			m.Publish(job)
			m.AwaitReturn(t, job.String("jid"))
		})
	}
}

// Attack: a machine on the way publishes as the master, under the shared key that each accepted
// minion has, with the minion's default options. A master that has signed once must sign from
// then on, even after a restart of the minion; one that never signed continues to work.
func TestPublications_AsTheMaster(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{SignPublications: true})
	cfg := inTurn(t, m)
	if cfg.SignPubMessages {
		t.Fatal("these are not the defaults")
	}
	sign := func(on bool) { m.Change(func(r *channeltest.Rules) { r.SignPublications = on }) }
	forged := func() []byte {
		sign(false)
		defer sign(true)
		return m.Seal(channeltest.Job(newJID(), "m1", "test.ping"))
	}
	d := start(t, cfg)
	m.AwaitSubscribers(t, 1)
	first := channeltest.Job(newJID(), "m1", "test.ping")
	m.Publish(first)
	m.AwaitReturn(t, first.String("jid"))
	if got := quietly(t, m, forged()); len(got) != 0 {
		t.Errorf("run: %v", got)
	}
	awaitEmpty(t, d) // otherwise unacknowledged returns come again
	if err := d.end(); err != nil {
		t.Fatal(err)
	}
	start(t, cfg)
	m.AwaitSubscribers(t, 2)
	if got := quietly(t, m, forged(), forged()); len(got) != 0 {
		t.Errorf("run after a restart: %v", got)
	}

	never := channeltest.Start(t, channeltest.Rules{})
	start(t, testConfig(t, never))
	never.AwaitSubscribers(t, 1)
	job := channeltest.Job(newJID(), "m1", "test.ping")
	never.Publish(job)
	never.AwaitReturn(t, job.String("jid"))
}
