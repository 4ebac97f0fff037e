package kafka

import (
	"context"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestOptionsFrom(t *testing.T) {
	got, err := OptionsFrom(map[string]any{
		"returner.kafka.bootstrap": []any{"a:1", "b:2"}, "returner.kafka.topic": "salts", "kafka.topic": "ours",
		"kafka": map[string]any{"username": "u", "password": 12, "sasl": "SCRAM-SHA-256", "tls": true},
	}, "")
	want := Options{Bootstrap: []string{"a:1", "b:2"}, Topic: "ours", SASL: "SCRAM-SHA-256", Username: "u", Password: "12", TLS: true}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Options{})); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for want, o := range map[string]Options{
		"kafka.bootstrap is not set": {Topic: topic},
		"kafka.topic is not set":     {Bootstrap: []string{"a"}},
		"belong together":            {Bootstrap: []string{"a"}, Topic: topic, TLSKey: "x"},
		"scram-sha-512":              {Bootstrap: []string{"a"}, Topic: topic, Username: "u", SASL: "gssapi"},
		"kafka.tls_ca":               {Bootstrap: []string{"a"}, Topic: topic, TLSCA: "/does/not/exist"},
	} {
		if _, err := Open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// The key is the id of the event, and the partition that of the minion's id in Kafka's own clients.
func TestSaveEvents(t *testing.T) {
	c := cluster(t)
	s := open(t, c.ListenAddrs())
	all := returnertest.Events(t, 6, 40)
	if err := s.SaveEvents(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	got := stored(t, c)
	if n := checkOrder(t, got, all); n != 0 || len(got) != len(all) {
		t.Errorf("%d records for %d events, %d repeats", len(got), len(all), n)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.DefaultProduceTopic(topic), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	partitions := map[int32]bool{}
	for _, r := range got[:6] {
		theirs, err := cl.ProduceSync(t.Context(), &kgo.Record{Key: []byte(r.minion)}).First()
		if err != nil {
			t.Fatal(err)
		}
		if theirs.Partition != r.partition {
			t.Errorf("%s is in partition %d, by Kafka's partitioner in %d", r.minion, r.partition, theirs.Partition)
		}
		partitions[r.partition] = true
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.SaveEvents(t.Context(), all[:1]); !errors.Is(err, returners.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A returner for --return: the document is Salt's return.
func TestSaveReturns(t *testing.T) {
	c := cluster(t)
	saver, err := returners.Open(t.Context(), Name, returners.Options{Values: map[string]any{"returner.kafka.bootstrap": c.ListenAddrs()[0], "returner.kafka.topic": topic}})
	if err != nil {
		t.Fatal(err)
	}
	defer saver.Close()
	if err := saver.SaveReturns(t.Context(), []returners.Return{{JID: "1", ID: "m1", Full: returnertest.Event(t, "m1", 1).Data}}); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics(topic), kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := cl.PollFetches(ctx).Records()
	if len(got) != 1 || string(got[0].Key) != "1/m1" || string(got[0].Value) != `{"id": "m1", "n": 1}` {
		t.Errorf("got %+v", got)
	}
}

// A message that the topic refuses for its size is rejected alone. Others are stored in order, also
// those of the same partition and those that share a record batch that is too large.
func TestTooLarge(t *testing.T) {
	c := cluster(t)
	if err := c.DeleteTopic(topic); err != nil {
		t.Fatal(err)
	}
	if err := c.CreateTopic(topic, 1, map[string]string{"max.message.bytes": "40000"}); err != nil {
		t.Fatal(err)
	}
	s := open(t, c.ListenAddrs(), func(o *Options) { o.Timeout = 20 * time.Second })
	noise := func(n int) string { // does not compress
		b := make([]byte, n)
		for i, x := 0, uint32(n); i < n; i++ {
			x = x*1664525 + 1013904223
			b[i] = '!' + byte(x>>24)%90
		}
		return string(b)
	}
	var all []returners.Event
	for i := range 60 {
		size := 3000
		if i == 20 || i == 21 || i == 59 {
			size = 60000
		}
		all = append(all, returnertest.Event(t, "m1", i, "x", noise(size+i)))
	}
	for range 2 { // the second time with smaller rounds
		err := s.SaveEvents(t.Context(), all)
		var rows *returners.RowsError
		if !errors.As(err, &rows) || !errors.Is(err, returners.ErrRejected) || returners.Class(err) != returners.ClassData {
			t.Fatalf("%v", err)
		}
		for i, err := range rows.Rows {
			large := i == 20 || i == 21 || i == 59
			if large != errors.Is(err, returners.ErrRejected) || !large && err != nil {
				t.Errorf("event %d: %v", i, err)
			}
		}
	}
	got := stored(t, c)
	if n := checkOrder(t, got, all, all[20].Key, all[21].Key, all[59].Key); n != 57 {
		t.Errorf("%d repeats; want one of each", n)
	}
	if r := s.roundBytes(); r >= 180_000 || r < minRound {
		t.Errorf("rounds have %d bytes", r)
	}
}

// What an operator has to mend is named: topic, login, address.
func TestDenied(t *testing.T) {
	c := cluster(t, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "u", "p"), kfake.Superuser("PLAIN", "u", "p"))
	one := []returners.Event{returnertest.Event(t, "m1", 1)}
	login := func(mechanism, pass, topic string) func(*Options) {
		return func(o *Options) { o.SASL, o.Username, o.Password, o.Topic = mechanism, "u", pass, topic }
	}
	try := func(mechanism, topic, class string) {
		t.Helper()
		err := open(t, c.ListenAddrs(), login(mechanism, "p", topic)).SaveEvents(t.Context(), one)
		if returners.Class(err) != class || err != nil && !errors.Is(err, returners.ErrUnavailable) {
			t.Errorf("%s, topic %s: %v of class %q, want %q", mechanism, topic, err, returners.Class(err), class)
		}
	}
	try("scram-sha-256", topic, "")
	try("plain", topic, "")
	try("plain", "nosuch", returners.ClassAccess)
	// kfake answers a wrong password by closing the connection, Kafka by this error.
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.SASLAuthenticate}, TopLevel: true, Err: kerr.SaslAuthenticationFailed, Count: -1})
	try("plain", topic, returners.ClassAccess)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	begin := time.Now()
	err = open(t, []string{l.Addr().String()}).SaveEvents(t.Context(), one)
	if returners.Class(err) != returners.ClassConnection || !errors.Is(err, returners.ErrUnavailable) || time.Since(begin) > 30*time.Second {
		t.Errorf("nobody listens: %v after %v", err, time.Since(begin))
	}
}

func TestTLS(t *testing.T) {
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	defer srv.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := srv.TLS.Clone()
	conf.NextProtos = nil
	c := cluster(t, kfake.TLS(conf))
	if err := open(t, c.ListenAddrs(), func(o *Options) { o.TLSCA = ca }).SaveEvents(t.Context(), returnertest.Events(t, 2, 2)); err != nil {
		t.Error(err)
	}
	if err := open(t, c.ListenAddrs(), func(o *Options) { o.TLS = true }).SaveEvents(t.Context(), returnertest.Events(t, 1, 1)); err == nil {
		t.Error("an unknown authority is trusted")
	}
}

// A broker may come late; the returner is the same.
func TestBrokerComesLate(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	s := open(t, []string{addr})
	all := returnertest.Events(t, 3, 20)
	if err := s.SaveEvents(t.Context(), all); !errors.Is(err, returners.ErrUnavailable) {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.Atoi(port)
	c := cluster(t, kfake.Ports(n))
	if err := s.SaveEvents(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, c); checkOrder(t, got, all) != 0 || !slices.ContainsFunc(got, func(r record) bool { return r.n == 19 }) {
		t.Errorf("%d records", len(got))
	}
}
