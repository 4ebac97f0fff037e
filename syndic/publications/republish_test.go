package publications

import (
	"crypto/rand"
	"crypto/rsa"
	"testing"
	"time"

	"github.com/momtree/mom/internal/jobfields"
	"github.com/momtree/mom/internal/wire"
)

// The signature of the top verifies on the next tier.
func TestOrderOfTheTopPassesANode(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	parse := func(m *wire.Map) wire.Publication {
		t.Helper()
		b, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := wire.ParsePublication(b)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	now := time.Now()
	for what, m := range map[string]*wire.Map{
		"plain": wire.NewMap("fun", "test.ping", "arg", []any{}, "tgt", "*", "jid", "20240102030405678901", "ret", "", "user", "root"),
		"all": wire.NewMap("fun", []any{"test.arg", "test.echo"}, "arg", []any{[]any{1, 2.5, wire.NewMap("__kwarg__", true, "k", nil)}, []any{"é\xff"}},
			"tgt", []any{"a", "b"}, "tgt_type", "list", "jid", "20240102030405678901", "ret", "mysql", "master_id", "top", "delimiter", "|",
			"to", 7, "user", "sudo_eve", "metadata", wire.NewMap("ticket", 7), "ret_config", "alt", "ret_kwargs", wire.NewMap("x", []any{}),
			"module_executors", []any{"direct_call"}, "executor_opts", wire.NewMap("y", true), "id", "m1"),
	} {
		p := parse(m)
		order, err := jobfields.Sign(key, p, now, now.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		m.Set(jobfields.SignatureField, order)
		job, err := Republish(parse(m))
		if err != nil {
			t.Fatal(err)
		}
		// As published by a local master: the kwargs become fields.
		next := wire.NewMap("fun", job.Fun, "arg", job.Arg, "tgt", job.Tgt, "tgt_type", job.TgtType, "jid", job.JID, "ret", job.Ret)
		kwargs, err := wire.DecodeMap(job.Kwargs)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kwargs.Keys() {
			v, _ := kwargs.Get(k.(string))
			next.Set(k.(string), v)
		}
		if _, _, err := jobfields.NewVerifier(&key.PublicKey).Verify(parse(next), now); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The list of the parent's own minions does not change the target below.
func TestJudgedJobKeepsItsTarget(t *testing.T) {
	b, err := wire.Encode(wire.NewMap("fun", "test.ping", "arg", []any{}, "tgt", "role|web", "tgt_type", "grain", "delimiter", "|", "jid", "20240102030405678901"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := wire.ParsePublication(b)
	if err == nil {
		p, err = jobfields.Narrow(p, jobfields.TargetList{IDs: []string{"web1"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	job, err := Republish(p)
	if err != nil {
		t.Fatal(err)
	}
	kwargs, err := wire.DecodeMap(job.Kwargs)
	if tgt, _ := wire.Str(job.Tgt); err != nil || tgt != "role|web" || job.TgtType != "grain" || kwargs.String("delimiter") != "|" {
		t.Errorf("%s %q %v, %v", job.TgtType, tgt, kwargs, err)
	}
}

// Unlike Salt's syndic a node passes on start_event.
func TestStartEventsBelowANode(t *testing.T) {
	for _, asked := range []bool{false, true} {
		m := wire.NewMap("fun", "test.ping", "arg", []any{}, "tgt", "*", "jid", "20240102030405678901")
		if asked {
			m.Set("start_event", true)
		}
		b, err := wire.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := wire.ParsePublication(b)
		if err != nil || p.StartEvent != asked {
			t.Fatalf("%+v, %v", p, err)
		}
		job, err := Republish(p)
		if err != nil {
			t.Fatal(err)
		}
		if kwargs, err := wire.DecodeMap(job.Kwargs); err != nil || kwargs.Bool("start_event") != asked || kwargs.Has("start_event") != asked {
			t.Errorf("asked %v: %v, %v", asked, kwargs, err)
		}
	}
}
