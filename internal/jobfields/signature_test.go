package jobfields

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

var topKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

func raw(t testing.TB, v any) wire.Raw {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func job(t testing.TB, more ...any) wire.Publication {
	t.Helper()
	m := wire.NewMap("fun", "cmd.run", "arg", []any{"id", wire.NewMap("__kwarg__", true, "cwd", "/", "b", 1)}, "tgt", "web*",
		"jid", "20240102030405678901", "ret", "", "tgt_type", "glob", "user", "root")
	for i := 0; i < len(more); i += 2 {
		m.Set(more[i], more[i+1])
	}
	p, err := wire.ParsePublication(raw(t, m))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var at = time.Unix(1_700_000_000, 0)

func signed(t testing.TB, p wire.Publication) *wire.Map {
	t.Helper()
	o, err := Sign(topKey(), p, at, at.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A node may encode the same job in other bytes, and add the fields of its hop.
func TestOrderOutlivesRepublication(t *testing.T) {
	v := NewVerifier(&topKey().PublicKey)
	o := signed(t, job(t))
	for what, p := range map[string]wire.Publication{
		"as it is": job(t, SignatureField, o),
		"a hop's":  job(t, SignatureField, o, "to", 5, "master_id", "s1", "auth_list", []any{"x"}, "serial", 7, "delimiter", ":"),
		"keys in another order": job(t, SignatureField, o, "arg",
			[]any{[]byte("id"), wire.NewMap("b", 1, "cwd", "/", "__kwarg__", true)}),
		"empty fields": job(t, SignatureField, o, "metadata", nil, "ret_kwargs", wire.NewMap(), "ret_config", ""),
	} {
		if _, expires, err := v.Verify(p, at); err != nil || !expires.Equal(at.Add(time.Hour)) {
			t.Errorf("%s: %v, until %v", what, err, expires)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	v := NewVerifier(&topKey().PublicKey)
	o := signed(t, job(t))
	with := func(k string, val any) *wire.Map { m := o.Clone(); m.Set(k, val); return m }
	foreign, err := Sign(other, job(t), at, at.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	claimed := foreign.Clone()
	claimed.Set("key", o.String("key"))
	for what, c := range map[string]struct {
		p    wire.Publication
		want error
	}{
		"unsigned":          {job(t), ErrUnsigned},
		"no map":            {job(t, SignatureField, "x"), ErrUnsigned},
		"nothing":           {job(t, SignatureField, wire.NewMap()), ErrUnknownKey},
		"another's key":     {job(t, SignatureField, foreign), ErrUnknownKey},
		"in the top's name": {job(t, SignatureField, claimed), ErrAltered},
		"no base64":         {job(t, SignatureField, with("sig", "?")), ErrAltered},
		"later end":         {job(t, SignatureField, with("expires", at.Add(2*time.Hour).Unix())), ErrAltered},
		"fun":               {job(t, SignatureField, o, "fun", "cmd.shell"), ErrAltered},
		"arg":               {job(t, SignatureField, o, "arg", []any{"reboot"}), ErrAltered},
		"tgt":               {job(t, SignatureField, o, "tgt", "*"), ErrAltered},
		"tgt_type":          {job(t, SignatureField, o, "tgt_type", "pcre"), ErrAltered},
		"jid":               {job(t, SignatureField, o, "jid", "20240102030405678902"), ErrAltered},
		"user":              {job(t, SignatureField, o, "user", "eve"), ErrAltered},
		"ret":               {job(t, SignatureField, o, "ret", "mysql"), ErrAltered},
		"delimiter":         {job(t, SignatureField, o, "delimiter", "|"), ErrAltered},
		"id":                {job(t, SignatureField, o, "id", "eve"), ErrAltered},
		"ret_config":        {job(t, SignatureField, o, "ret_config", "x"), ErrAltered},
		"ret_kwargs":        {job(t, SignatureField, o, "ret_kwargs", wire.NewMap("host", "eve")), ErrAltered},
		"metadata":          {job(t, SignatureField, o, "metadata", wire.NewMap("x", 1)), ErrAltered},
		"module_executors":  {job(t, SignatureField, o, "module_executors", []any{"sudo"}), ErrAltered},
		"executor_opts":     {job(t, SignatureField, o, "executor_opts", wire.NewMap("x", 1)), ErrAltered},
	} {
		if _, _, err := v.Verify(c.p, at); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	p := job(t, SignatureField, o)
	for when, want := range map[time.Duration]error{
		time.Hour + 4*time.Minute: nil, time.Hour + 6*time.Minute: ErrExpired, -4 * time.Minute: nil, -6 * time.Minute: ErrFuture,
	} {
		if _, _, err := v.Verify(p, at.Add(when)); !errors.Is(err, want) {
			t.Errorf("after %v: %v, want %v", when, err, want)
		}
	}
}

// The example in docs/design/trust.md.
func TestCanonicalForm(t *testing.T) {
	p, err := wire.ParsePublication(raw(t, wire.NewMap("fun", "test.arg", "arg",
		[]any{"a", 1, 1.5, nil, true, wire.NewMap("k", []any{false, uint64(math.MaxUint64)})}, "tgt", []any{"m1", "m2"}, "tgt_type", "list",
		"jid", "20240102030405678901", "ret", "", "user", "root")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := canonical(p, 1700000000, 1700003600)
	if err != nil {
		t.Fatal(err)
	}
	want := "mom order 1\n" +
		"s3:jids20:20240102030405678901" +
		"s3:funs8:test.arg" +
		"s3:argl6:s1:ai1;d3ff8000000000000ntm1:s1:kl2:fi18446744073709551615;" +
		"s3:tgtl2:s2:m1s2:m2" +
		"s8:tgt_types4:list" +
		"s9:delimiters1::" +
		"s4:users4:root" +
		"s6:issuedi1700000000;" +
		"s7:expiresi1700003600;"
	if string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Any input: no panic; a publication encoded again by a node has the same form; and only the
// signed publication is accepted.
func FuzzVerify(f *testing.F) {
	f.Add([]byte(raw(f, wire.NewMap("fun", "x", "arg", []any{}, "tgt", "*", "jid", "1", SignatureField, signed(f, job(f))))))
	f.Add([]byte(raw(f, wire.NewMap("fun", []any{"a", "b"}, "arg", []any{[]any{1}, []any{}}, "tgt", []any{"a"}, "jid", "1", "metadata",
		wire.NewMap(1, 2, "x", nil, 1.5, []byte{0xff})))))
	v := NewVerifier(&topKey().PublicKey)
	own, err := canonical(job(f), at.Unix(), at.Add(time.Hour).Unix())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if wire.Scan(b, wire.Limits{}) != nil {
			return
		}
		p, err := wire.ParsePublication(b)
		if err != nil {
			return
		}
		form, err := canonical(p, 1, 2)
		if err != nil {
			return
		}
		_, _, err = v.Verify(p, at)
		if same, _ := canonical(p, at.Unix(), at.Add(time.Hour).Unix()); err == nil && !bytes.Equal(same, own) {
			t.Fatalf("%q passes", same)
		}
		again := p
		for _, r := range []*wire.Raw{&again.Fun, &again.Arg, &again.Tgt, &again.Metadata, &again.RetKwargs, &again.ModuleExecutors, &again.ExecutorOpts} {
			if len(*r) == 0 {
				continue
			}
			val, err := wire.Decode(*r)
			if err != nil {
				return
			}
			enc, err := wire.Encode(val)
			if err != nil {
				return // it could not be published again
			}
			*r = enc
		}
		if form2, err := canonical(again, 1, 2); err != nil || !bytes.Equal(form, form2) {
			t.Fatalf("%q becomes %q, %v", form, form2, err)
		}
	})
}
