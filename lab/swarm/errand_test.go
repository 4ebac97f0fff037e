package swarm

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// shelf holds the files, served in pieces of 1000 bytes, and the pillars of a fake master.
type shelf struct {
	files map[string]string
	wrong string         // a file that is served with bytes that do not match its hash
	torn  int            // number of pieces that are answered with garbage
	asks  map[string]int // requests by command and path
	envs  []any
}

// serve answers requests of minions; f.mu is held.
func (s *shelf) serve(load *wire.Map) (v any, ok bool) {
	path := load.String("path")
	text, there := s.files[path]
	cmd := load.String("cmd")
	s.asks[strings.TrimSpace(cmd+" "+path)]++
	switch cmd {
	case "_file_envs":
		return s.envs, true
	case "_file_list":
		var all []any
		for name := range s.files {
			all = append(all, name)
		}
		return all, true
	case "_file_hash":
		if !there {
			return "", true
		}
		return wire.NewMap("hash_type", "sha256", "hsum", fmt.Sprintf("%x", sha256.Sum256([]byte(text)))), true
	case "_file_find":
		return wire.NewMap("path", "/srv/"+path, "rel", path), true
	case "_serve_file":
		if s.torn > 0 {
			s.torn--
			return "", true
		}
		if path == s.wrong {
			text = strings.Repeat("?", len(text))
		}
		at := min(int(load.Int("loc")), len(text))
		return wire.NewMap("data", []byte(text[at:min(at+1000, len(text))]), "dest", path), true
	case "_master_opts":
		return wire.NewMap("renderer", "jinja|yaml"), true
	case "_master_tops":
		return wire.NewMap("base", []any{"extra"}), true
	}
	return nil, false
}

func (f *fake) asked(what string) int { return f.count(func() int { return f.shelf.asks[what] }) }

func newShelf(files map[string]string) *shelf {
	return &shelf{files: files, asks: map[string]int{}, envs: []any{"base"}}
}

func jobOf(s *Swarm, jid string) (j JobReport) {
	for _, r := range s.Report().Jobs {
		if r.JID == jid {
			j = r
		}
	}
	return j
}

// Twelve minions of both kinds and protocols fetch a file of 3,500 bytes in pieces of 1,000. Each
// asks for the hash, for stat, and for five pieces, the last one empty, and has the right hash. A
// second time no piece is fetched; to another path all pieces are fetched again.
func TestErrand_File(t *testing.T) {
	const n = 12
	for _, c := range []struct {
		protocol int
		share    float64
	}{{2, 0}, {3, 0}, {3, 1}} {
		text := strings.Repeat("0123456789", 350)
		f := newFake(t, c.protocol)
		f.shelf = newShelf(map[string]string{"big": text})
		s := play(t, f, func(x *Config) { x.MomShare, x.IDs.Count = c.share, n })
		ready(t, f, s, n)
		for i, arg := range []string{"/tmp/a", "/tmp/a", "/tmp/b"} {
			jid := fmt.Sprintf("2026010100000000000%d", i)
			f.publish(jid, "cp.get_file", "*", "glob", "salt://big", arg)
			waiting.Until(t, "all answered", func() bool { return jobOf(s, jid).Acknowledged == n })
			w := jobOf(s, jid).Work
			if i == 1 {
				if w.Held != n || w.Bytes != 0 || w.Requests != 2*n {
					t.Errorf("%+v, job %d: %+v", c, i, w)
				}
				continue
			}
			sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
			if w.Files != n || w.Sums[sum] != n || w.Wrong+w.Failed+w.Held+w.Absent != 0 || w.Bytes != int64(n*len(text)) || w.Requests != 7*n {
				t.Errorf("%+v, job %d: %+v", c, i, w)
			}
			if w.First <= 0 || w.P50 < w.First || w.Last < w.P99 {
				t.Errorf("times: %+v", w)
			}
		}
		f.publish("20260101000000000009", "cp.cache_file", "*", "glob", "salt://none")
		waiting.Until(t, "all answered", func() bool { return jobOf(s, "20260101000000000009").Acknowledged == n })
		if w := jobOf(s, "20260101000000000009").Work; w.Absent != n || w.Files != 0 || w.Failed != 0 {
			t.Errorf("a file that is not there: %+v", w)
		}
	}
}

// A file that does not match its hash is counted as wrong, and a piece that cannot be read is
// requested again, four times in all.
func TestErrand_Liar(t *testing.T) {
	f := newFake(t, 3)
	f.shelf = newShelf(map[string]string{"bad": strings.Repeat("x", 1500), "good": "y"})
	f.shelf.wrong, f.shelf.torn = "bad", 3
	s := play(t, f, func(x *Config) { x.IDs.Count = 1 })
	ready(t, f, s, 1)
	for i, c := range []struct {
		path          string
		files, wrong  int
		failed, pause int
	}{{"good", 1, 0, 0, 4}, {"bad", 0, 1, 1, 0}, {"good", 0, 0, 1, 0}} {
		jid := fmt.Sprintf("2026010100000000000%d", i)
		f.count(func() int { f.shelf.torn = c.pause - 1; return 0 })
		if i == 2 {
			f.count(func() int { f.shelf.torn = 4; return 0 })
		}
		f.publish(jid, "cp.get_file", "*", "glob", "salt://"+c.path, fmt.Sprintf("/tmp/%d", i))
		waiting.Until(t, "it answered", func() bool { return jobOf(s, jid).Acknowledged == 1 })
		if w := jobOf(s, jid).Work; w.Files != c.files || w.Wrong != c.wrong || w.Failed != c.failed {
			t.Errorf("%d: %+v", i, w)
		}
	}
}

const top = `
{% set nothing = 1 %}
base:
  '*':
    - web
  's00[0-4]':
    - match: pcre
  's001':
    - db.*
`

// A highstate fetches what salt-minion fetches: the pillar, which must be its own, top.sls, the SLS
// for this minion with their includes, those of master_tops, and the source files. A second
// highstate fetches no content.
func TestErrand_Highstate(t *testing.T) {
	const n = 12
	for _, protocol := range []int{2, 3} {
		f := newFake(t, protocol)
		f.shelf = newShelf(map[string]string{
			"top.sls": top, "web/init.sls": "include:\n  - common\n  - .more\n/etc/web:\n  file.managed:\n    - source: salt://web/conf\n",
			"common.sls": "/etc/common:\n  file.managed:\n    - source: salt://common.conf\n", "web/more.sls": "more:\n  test.nop\n", "web.more.sls": "",
			"more.sls": "more:\n  test.nop\n", "db/one.sls": "one:\n  test.nop\n", "db/two.sls": "two:\n  test.nop\n", "extra.sls": "extra:\n  test.nop\n",
			"web/conf": "a", "common.conf": "b",
		})
		s := play(t, f, func(x *Config) { x.PillarID, x.IDs.Count = "whose", n })
		ready(t, f, s, n)
		f.publish("20260101000000000001", "state.highstate", "*", "glob")
		waiting.Until(t, "all answered", func() bool { return jobOf(s, "20260101000000000001").Acknowledged == n })
		w := jobOf(s, "20260101000000000001").Work
		// top, web, common, more, extra and two sources; s001 has the two of db too.
		if w.Failed != 0 || w.Files != 7*n+2 || w.Pillars != n || w.Foreign+w.Faulty+w.Wrong != 0 {
			t.Errorf("protocol %d: %+v", protocol, w)
		}
		if a, b := f.asked("_master_opts"), f.asked("_master_tops"); a != n || b != n {
			t.Errorf("%d asked for options, %d for tops", a, b)
		}
		f.publish("20260101000000000002", "state.apply", "*", "glob")
		waiting.Until(t, "all answered", func() bool { return jobOf(s, "20260101000000000002").Acknowledged == n })
		if w := jobOf(s, "20260101000000000002").Work; w.Files != 0 || w.Held != 7*n+2 || w.Bytes != 0 {
			t.Errorf("again: %+v", w)
		}
		f.publish("20260101000000000003", "state.apply", "*", "glob", "db.one,none")
		waiting.Until(t, "all answered", func() bool { return jobOf(s, "20260101000000000003").Acknowledged == n })
		if w := jobOf(s, "20260101000000000003").Work; w.Failed != n {
			t.Errorf("an SLS that is not there: %+v", w)
		}
	}
}

// Pillars of another minion, unsigned pillars, and pillars with errors are counted.
func TestErrand_Pillar(t *testing.T) {
	const n = 12
	f := newFake(t, 3)
	s := play(t, f, func(x *Config) { x.PillarID, x.IDs.Count = "whose", n })
	ready(t, f, s, n)
	for i, c := range []struct {
		spoil                            string
		pillars, foreign, faulty, failed int
	}{{"", n, 0, 0, 0}, {"foreign", n, n, 0, 0}, {"errors", n, 0, n, 0}, {"unsigned", 0, 0, 0, n}, {"nonce", 0, 0, 0, n}, {"key", 0, 0, 0, n}} {
		jid := fmt.Sprintf("2026010100000000000%d", i)
		f.count(func() int { f.spoil = c.spoil; return 0 })
		f.publish(jid, "pillar.items", "*", "glob")
		waiting.Until(t, "all answered", func() bool { return jobOf(s, jid).Acknowledged == n })
		if w := jobOf(s, jid).Work; w.Pillars != c.pillars || w.Foreign != c.foreign || w.Faulty != c.faulty || w.Failed != c.failed {
			t.Errorf("%q: %+v", c.spoil, w)
		}
	}
}

// whole returns a pillar as Salt's master sends it, or damaged in one way.
func (f *fake) whole(q *zmtp.Request, load *wire.Map, pub, spoil string) {
	must := func(v any) []byte {
		b, err := wire.Encode(v)
		if err != nil {
			f.t.Error(err)
		}
		return b
	}
	public, err := crypt.ParsePublicPEM(pub)
	if err != nil {
		f.t.Error(err)
		return
	}
	once, _ := crypt.ParseKey(crypt.NewKeyString())
	key, err := crypt.Encrypt(crypt.OAEPSHA1, public, []byte(once.Key()))
	if err != nil {
		f.t.Error(err)
	}
	pillar, nonce, inner := wire.NewMap("whose", load.String("id")), load.String("nonce"), key
	switch spoil {
	case "foreign":
		pillar.Set("whose", "somebody")
	case "errors":
		pillar.Set("_errors", []any{"no"})
	case "nonce":
		nonce = "another"
	case "key":
		inner = []byte("another")
	}
	data := must(wire.NewMap("key", inner, "pillar", pillar, "nonce", nonce))
	sig, err := crypt.Sign(crypt.PKCS1SHA1, f.pair.Private, data)
	if err != nil {
		f.t.Error(err)
	}
	if spoil == "unsigned" {
		sig[0] ^= 1
	}
	sealed, err := once.Seal("", must(wire.NewMap("data", data, "sig", sig)))
	if err != nil {
		f.t.Error(err)
	}
	f.reply(q, wire.NewMap("key", key, "pillar", sealed))
}

// Parsing an SLS or top file, or a piece, never panics.
func FuzzSheet(f *testing.F) {
	f.Add([]byte(top))
	f.Add([]byte("include:\n  - a\nb:\n  file.managed:\n    - source: salt://c\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, y := readSLS(b), readTop(b)
		if len(x.include)+len(x.sources)+len(x.states) > 3*mostNamed || y.fault == nil && len(y.top) > mostNamed {
			t.Error("more than the bound")
		}
		_, _ = readPiece(b)
		_, _ = judgePillar(b, []byte("k"), "n")
	})
}
