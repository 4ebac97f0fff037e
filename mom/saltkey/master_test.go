package saltkey

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/mom/momtest"
	"github.com/momtree/mom/mom/salt"
	"github.com/momtree/mom/mom/saltrun"
	"github.com/momtree/mom/value"
)

// The master sees changes by salt-key and acts on them.
func TestSaltKeyNotifiesTheMaster(t *testing.T) {
	tr := momtest.Own(t, "top: min-01 min-02\n")
	conf, _, err := config.LoadMaster(tr.Conf("top"))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := testKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(conf.PkiDir, "minions_pre", "new-01"), []byte(pair.PublicPEM), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), momtest.Patience)
	defer cancel()
	cl, err := client.Open(tr.Conf("top"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := cl.Subscribe(ctx, "salt/key", "key")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(b.Close(), cl.Close()); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct{ args, act, id string }{{"-r new-01", "reject", "new-01"}, {"-d new-01", "delete", "new-01"}, {"-d min-02", "delete", "min-02"}} {
		if r := momtest.Run(Command(), "", append([]string{"-c", tr.Conf("top"), "-y", "-q"}, strings.Fields(c.args)...)...); r != (momtest.Ran{}) {
			t.Fatalf("%s: %v", c.args, r)
		}
		d := await(ctx, t, b, "salt/key")
		if d.String("act") != c.act || d.String("id") != c.id || !d.Bool("result") {
			t.Errorf("%s: event %v", c.args, d)
		}
	}
	// Only the change of the accepted key needs a new session key.
	if d := await(ctx, t, b, "key"); !d.Bool("rotate_aes_key") {
		t.Errorf("event %v", d)
	}
	r := momtest.Until(t, func() momtest.Ran { return tr.Run(saltrun.Command(), "top", "manage.status", "--out=raw") }, func(r momtest.Ran) bool { return !strings.Contains(r.Out, "min-02") })
	if r.Out != "{'up': ['min-01'], 'down': []}\n" {
		t.Errorf("%v", r)
	}
	if r := tr.Run(salt.Command(), "top", "*", "test.ping", "--out=txt"); r != momtest.Ended(0, "min-01: True\n", "") {
		t.Errorf("after the rotation: %v", r)
	}
}

// await returns the data of the next event with a tag.
func await(ctx context.Context, t *testing.T, b *client.Subscription, tag string) *value.Map {
	t.Helper()
	for {
		e, err := b.Next(ctx)
		if err != nil {
			t.Fatalf("wait for %s: %v", tag, err)
		}
		if e.Tag == tag {
			d, err := e.Data.Map()
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
}
