package master

import (
	"slices"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// The slices of a recorded batch of Salt 3008.2 are one job at a node below: each is published to
// its minion only, and all minions return.
func TestBatchFromAMasterOfSalt3008(t *testing.T) {
	runs, text := vectors.Batches(t)
	key := crypticle(t, text)
	for _, run := range runs {
		t.Run(run.Name, func(t *testing.T) {
			r := newRig(t)
			r.opts.Parent = returners.DestAbove
			r.start()
			below := map[string]*minion{}
			for id, of := range map[string]string{"b1": "minion", "b2": "minion2", "b3": "syndic"} {
				below[id] = r.minion(id, "minion", of).listen().announce()
			}
			for _, p := range sealed(t, key, run) {
				ids, _ := wire.Strings(p.Tgt)
				load := wire.PublishLoad{JID: p.JID, Tgt: p.Tgt, TgtType: p.TgtType, Fun: p.Fun, Arg: p.Arg, Ret: p.Ret}
				if err := r.Publish(t.Context(), load, returners.Note{Kind: returners.NoteOrigin, JID: p.JID, Key: "a:4506"}); err != nil {
					t.Fatal(err)
				}
				for id, m := range below {
					if got := m.hear(); got.JID != p.JID || string(got.Tgt) != string(p.Tgt) {
						t.Errorf("%s heard %+v", id, got)
					}
					if p.TgtType == "list" && !slices.Contains(ids, id) {
						continue
					}
					if err := m.answer(p.JID, true); err != nil {
						t.Fatal(err)
					}
				}
			}
			eventually(t, "the job is closed", func() bool { return r.closed(run.JID) })
			load, _, err := r.store.Local().GetLoad(t.Context(), run.JID)
			if got := stored(t, r, run.JID); err != nil || len(got) != 3 || !slices.Equal(load.Targets(), []string{"b1", "b2", "b3"}) {
				t.Errorf("stored %v of %v, %v", got, load.Targets(), err)
			}
			if a, ok := r.jobs.State(run.JID); !ok || a.Expected != 3 || a.Returned != 3 {
				t.Errorf("account %+v, %v", a, ok)
			}
		})
	}
}

// sealed decrypts the publications of a recorded run.
func sealed(t *testing.T, key *crypt.Crypticle, run vectors.Batch) (out []wire.Publication) {
	t.Helper()
	for _, p := range run.Publications {
		env, err := wire.ParseEnvelope(p.Frames[len(p.Frames)-1])
		if err != nil {
			t.Fatal(err)
		}
		plain, err := key.Open(env.Cipher)
		if err != nil {
			t.Fatal(err)
		}
		pub, err := wire.ParsePublication(plain)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pub)
	}
	return out
}
