package postgres

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/postgres/pgtest"
	"github.com/momtree/mom/returners/returnertest"
)

func TestOptionsFrom(t *testing.T) {
	defaults := Options{Returner: JSONB, Host: "localhost", Port: 5432, User: "salt", Pass: "salt", DB: "salt"}
	with := func(f func(*Options)) Options { o := defaults; f(&o); return o }
	for _, c := range []struct {
		name   string
		values map[string]any
		prefix string
		want   Options
	}{
		{"defaults", nil, "", defaults},
		{
			"flat",
			map[string]any{"returner.pgjsonb.host": "db", "returner.pgjsonb.port": "5433", "returner.pgjsonb.pass": 1234, "archive_jobs": true, "returner.pgjsonb.connect_timeout": 5},
			"",
			with(func(o *Options) {
				o.Host, o.Port, o.Pass, o.ArchiveJobs, o.ConnectTimeout = "db", 5433, "1234", true, 5*time.Second
			}),
		},
		{"map", map[string]any{"returner.pgjsonb": map[string]any{"host": "db", "sslmode": "verify-full"}}, "", with(func(o *Options) { o.Host, o.SSLMode = "db", "verify-full" })},
		{"None of Salt's manual", map[string]any{"returner.pgjsonb.sslmode": "None", "returner.pgjsonb.host": nil}, "", defaults},
		{
			"alternative",
			map[string]any{"returner.pgjsonb.host": "db", "returner.pgjsonb.user": "u", "alternative.returner.pgjsonb.host": "other"},
			"alternative",
			with(func(o *Options) { o.Host, o.User = "other", "u" }),
		},
	} {
		got, err := OptionsFrom(JSONB, c.values, c.prefix)
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(Options{})); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
	text, err := OptionsFrom(Text, map[string]any{"returner.postgres.passwd": "p", "returner.postgres.pass": "other"}, "")
	if err != nil || text.Pass != "p" || text.Returner != Text {
		t.Errorf("%+v, %v", text, err)
	}
	_, err = OptionsFrom(JSONB, map[string]any{"returner.pgjsonb.port": "x", "returner.pgjsonb.host": []any{}, "archive_jobs": "maybe"}, "")
	for _, name := range []string{"returner.pgjsonb.port", "returner.pgjsonb.host", "archive_jobs"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"65535":                       {Port: 70000},
		"belong together":             {SSLCert: "c"},
		"returner.pgjsonb.sslmode":    {SSLMode: "always"},
		"separated by commas":         {Host: "a,,b"},
		"connect_timeout":             {ConnectTimeout: -1},
		"/does/not/exist":             {SSLRootCert: "/does/not/exist", SSLMode: "verify-full"},
		"unable to add CA":            {SSLRootCert: junk, SSLMode: "verify-full"},
		"needs returner.pgjsonb.sslr": {SSLCRL: junk},
		"not a returner":              {Returner: "mysql"},
	} {
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// listener returns a listener on loopback and its port.
func listener(t *testing.T) (net.Listener, int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, l.Addr().(*net.TCPAddr).Port
}

// A database that is down, or does not answer, does not prevent opening; its error says what
// to do, and comes in time.
func TestDatabaseAway(t *testing.T) {
	closed, port := listener(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	_, silent := listener(t)
	for name, port := range map[string]int{"closed": port, "silent": silent} {
		st, err := Open(t.Context(), Options{Host: "127.0.0.1", Port: port, Pass: "secret", SSLMode: "disable", ConnectTimeout: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		err = st.Ping(t.Context())
		if !errors.Is(err, returners.ErrUnavailable) || returners.Class(err) != returners.ClassConnection || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A statement to which the server says nothing for the timeout ends with an error that a
// drain retries.
func TestServerSilent(t *testing.T) {
	s := server(t)
	st := open(t, s, s.Database(t), func(o *Options) { o.Timeout = time.Second })
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := st.exec(t.Context(), "wait", "SELECT pg_sleep(600)")
	if !errors.Is(err, returners.ErrUnavailable) || !strings.Contains(err.Error(), "no answer for 1s") {
		t.Errorf("got %v", err)
	}
	if err := st.Ping(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Of several hosts the first one that accepts writes is used: the first is not there, and the
// second one rejects writes.
func TestSeveralHosts(t *testing.T) {
	s := server(t)
	name := s.Database(t)
	st := open(t, s, name, func(o *Options) { o.Host = "/nonexistent, " + s.Dir })
	if err := st.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Exec(t, "postgres", "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	load := []returners.Load{returnertest.Load(t, 1, "test.ping", "*")}
	later := open(t, s, name)
	if err := later.SaveLoads(t.Context(), load); returners.Class(err) != returners.ClassConnection || !strings.Contains(err.Error(), "writable") {
		t.Errorf("a server that is read-only: %v", err)
	}
	reader := open(t, s, name, func(o *Options) { o.ReadOnly = true })
	if _, ok, err := reader.GetLoad(t.Context(), returnertest.JID(1)); ok || err != nil {
		t.Errorf("reading from it: %v, %v", ok, err)
	}
	// A connection that became read-only is not used again.
	for _, c := range []struct{ mode, want string }{{"on", returners.ClassConnection}, {"off", ""}} {
		s.Exec(t, "postgres", "ALTER DATABASE "+name+" SET default_transaction_read_only = "+c.mode)
		if c.mode == "on" {
			if err := st.exec(t.Context(), "turn", "SET default_transaction_read_only = on"); err != nil {
				t.Fatal(err)
			}
		}
		if err := st.SaveLoads(t.Context(), load); returners.Class(err) != c.want {
			t.Errorf("read-only %s: %v", c.mode, err)
		}
	}
}

func TestTLS(t *testing.T) {
	p := newPKI(t)
	s := pgtest.Start(t, pgtest.Config{
		Files:    []string{p.ca, p.cert, p.key},
		Settings: []string{"ssl=on", "ssl_ca_file=ca.pem", "ssl_cert_file=cert.pem", "ssl_key_file=key.pem"},
		Access:   []string{"hostssl all salt 127.0.0.1/32 scram-sha-256 clientcert=verify-ca"},
	})
	name := s.Database(t)
	s.Exec(t, name, "CREATE ROLE salt LOGIN PASSWORD 'p ''\\ w'; GRANT ALL ON SCHEMA public TO salt")
	other := newPKI(t)
	for _, c := range []struct {
		what   string
		change func(*Options)
		want   string // in the error; "" = none
	}{
		{"with a client certificate", func(*Options) {}, ""},
		{"with a list", func(o *Options) { o.SSLCRL = p.crl(t) }, ""},
		{"revoked", func(o *Options) { o.SSLCRL = p.crl(t, 2) }, "has revoked"},
		{"a list of another", func(o *Options) { o.SSLCRL = other.crl(t) }, "has no list"},
		{"without a client certificate", func(o *Options) { o.SSLCert, o.SSLKey = "", "" }, "certificate"},
		{"without TLS", func(o *Options) { *o = Options{Host: o.Host, Port: o.Port, DB: o.DB, Pass: o.Pass, SSLMode: "disable"} }, "pg_hba.conf"},
		{"wrong password", func(o *Options) { o.Pass = "x" }, "returner.pgjsonb.pass"},
		{"a server of another authority", func(o *Options) { o.SSLRootCert = other.ca }, "certificate"},
	} {
		o := Options{
			Host: "127.0.0.1", Port: s.Port, DB: name, Pass: `p '\ w`, SSLMode: "verify-full", SSLRootCert: p.ca, SSLCert: p.cert, SSLKey: p.key,
			Log: slog.New(slog.DiscardHandler),
		}
		c.change(&o)
		st, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		err = st.Ping(t.Context())
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !errors.Is(err, returners.ErrUnavailable)) {
			t.Errorf("%s: %v", c.what, err)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}
