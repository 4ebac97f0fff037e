package syndic

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
)

// recordedBatch returns the loads published by a recorded master.
func recordedBatch(tb testing.TB, run vectors.Batch, key string) (loads []*wire.Map) {
	tb.Helper()
	c, err := crypt.ParseKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range run.Publications {
		env, err := wire.ParseEnvelope(p.Frames[len(p.Frames)-1])
		if err != nil {
			tb.Fatal(err)
		}
		plain, err := c.Open(env.Cipher)
		if err != nil {
			tb.Fatal(err)
		}
		m, err := wire.DecodeMap(plain)
		if err != nil {
			tb.Fatal(err)
		}
		loads = append(loads, m)
	}
	return loads
}

// A Salt 3008.2 master publishes a batch slice by slice under one jid.
func TestBatchOfSalt3008(t *testing.T) {
	runs, key := vectors.Batches(t)
	for _, run := range runs {
		t.Run(run.Name, func(t *testing.T) {
			p := startParent(t, channeltest.Rules{})
			n := start(t, nil, p)
			pubs := recordedBatch(t, run, key)
			for i, pub := range pubs {
				pub.Delete("serial") // of the recorded master
				p.Publish(pub)
				waiting.Until(t, "the job", func() bool { return len(n.master.published()) == i+1 })
			}
			var got []string
			for _, j := range n.master.published()[1:] { // the first is test.ping, which finds the minions
				tgt, _ := j.Get("tgt")
				got = append(got, fmt.Sprintln(j.String("jid") == run.JID, j.String("fun"), j.String("tgt_type"), tgt))
			}
			if want := fmt.Sprint([]string{"true test.ping list [b1]\n", "true test.ping list [b2]\n", "true test.ping list [b3]\n"}); fmt.Sprint(got) != want {
				t.Errorf("published below %v, want %s", got, want)
			}
		})
	}
}
