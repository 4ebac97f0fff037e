package keys

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
)

// startState is the one the recorded runs of salt-key begin with.
func startState(t *testing.T) *Store {
	t.Helper()
	s := openStore(t, Options{})
	text := goldenText(t, "minion")
	for id, st := range map[string]State{
		"a-1": Pending, "a-2": Pending, "b-1": Accepted, "b-2": Accepted,
		"c-1": Rejected, "c-2": Rejected, "d-1": Denied,
	} {
		putKey(t, s, st, id, text)
		s.Refresh(id)
	}
	return s
}

func TestMatch(t *testing.T) {
	s := startState(t)
	for pattern, want := range map[string]Selection{
		"*-1":     {Accepted: {"b-1"}, Pending: {"a-1"}, Rejected: {"c-1"}, Denied: {"d-1"}},
		"a-1,c-?": {Pending: {"a-1"}, Rejected: {"c-1", "c-2"}},
		"[ab]-2":  {Accepted: {"b-2"}, Pending: {"a-2"}},
		"nosuch":  {},
		"":        {},
	} {
		if diff := cmp.Diff(want, s.Match(pattern)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", pattern, diff)
		}
	}
	if got := s.Match("*", Pending).Len(); got != 2 {
		t.Errorf("%d pending keys, want 2", got)
	}
	if got := s.All().Len(); got != 7 {
		t.Errorf("%d keys, want 7", got)
	}
}

func TestAcceptRejectDelete(t *testing.T) {
	s := startState(t)
	pki := s.opts.PkiDir
	done, err := s.AcceptIn(s.Match("*", Pending, Rejected))
	if want := []Key{{Pending, "a-1"}, {Pending, "a-2"}, {Rejected, "c-1"}, {Rejected, "c-2"}}; err != nil || cmp.Diff(want, done) != "" {
		t.Errorf("accept: %v, %v", done, err)
	}
	if done, err := s.Accept("a-1", "nosuch"); len(done) != 0 || err != nil {
		t.Errorf("accept what is not pending: %v, %v", done, err)
	}
	if done, err := s.RejectIn(s.Match("b-1", Accepted)); len(done) != 1 || err != nil {
		t.Errorf("reject an accepted key: %v, %v", done, err)
	}
	if done, err := s.Delete("d-1", "c-1"); len(done) != 2 || err != nil {
		t.Errorf("delete: %v, %v", done, err)
	}
	want := []string{"minions/a-1", "minions/a-2", "minions/b-2", "minions/c-2", "minions_rejected/b-1"}
	if diff := cmp.Diff(want, files(t, pki)); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	if ids, err := s.DeleteIn(s.Match("*")); len(ids) != 5 || err != nil || len(files(t, pki)) != 0 || s.All().Len() != 0 {
		t.Errorf("delete all: %v, %v, left %v", ids, err, files(t, pki))
	}
	if _, err := s.Accept("../master"); !errors.Is(err, ErrBadID) {
		t.Errorf("an id that leaves its folder: %v, want ErrBadID", err)
	}
}

func TestAcceptInLeavesBrokenKeys(t *testing.T) {
	s := startState(t)
	putKey(t, s, Pending, "a-0", "no key at all")
	s.Refresh("a-0")
	done, err := s.AcceptIn(s.Match("a-*", Pending))
	if !errors.Is(err, crypt.ErrPEM) || !strings.Contains(err.Error(), `"a-0"`) {
		t.Errorf("error %v, want one that names a-0", err)
	}
	if diff := cmp.Diff([]Key{{Pending, "a-1"}, {Pending, "a-2"}}, done); diff != "" {
		t.Error(diff)
	}
	if !s.Has(Pending, "a-0") || s.Accepted("a-0") {
		t.Error("the broken key was moved")
	}
	if ids, err := s.RejectIn(s.Match("a-0", Pending)); err != nil || len(ids) != 1 {
		t.Errorf("reject a broken key: %v, %v", ids, err)
	}
}

func TestPrintAndFinger(t *testing.T) {
	s := startState(t)
	var v struct {
		Keys []struct{ Key, SHA256, MD5 string }
	}
	vectors.Load(t, "fingerprints.json", &v)
	want := map[string]string{}
	for _, k := range v.Keys {
		want[k.Key] = k.SHA256
	}
	if err := os.WriteFile(filepath.Join(s.opts.PkiDir, "master.pub"), []byte(goldenText(t, "master")), 0o644); err != nil {
		t.Fatal(err)
	}
	local, err := s.LocalKeys("*")
	if err != nil || cmp.Diff([]string{"master.pub"}, local) != "" {
		t.Fatalf("local keys %v, %v", local, err)
	}
	got, err := s.Finger(Selection{Local: local, Pending: {"a-1"}, Accepted: {"b-1", "gone"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Shown{
		{Key{Local, "master.pub"}, want["master"]}, {Key{Accepted, "b-1"}, want["minion"]}, {Key{Pending, "a-1"}, want["minion"]},
	}, got); diff != "" {
		t.Errorf("fingerprints (-want +got):\n%s", diff)
	}
	shown, err := s.Print(s.Match("c-*"))
	if err != nil || len(shown) != 2 || shown[0].Text != goldenText(t, "minion") {
		t.Errorf("print: %v, %v", shown, err)
	}
	if _, err := s.Finger(s.All(), "crc32"); !errors.Is(err, crypt.ErrBadAlgorithm) {
		t.Errorf("unknown hash: %v", err)
	}
	if _, err := s.Print(Selection{Accepted: {"../master.pub"}}); !errors.Is(err, ErrBadID) {
		t.Errorf("an id that leaves its folder: %v, want ErrBadID", err)
	}
}

func TestStates(t *testing.T) {
	for word, want := range map[string]State{"acc": Accepted, "un": Pending, "pre": Pending, "rejected": Rejected, "den": Denied} {
		if got, err := ParseState(word); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", word, got, err, want)
		}
	}
	if _, err := ParseState("nosuch"); !errors.Is(err, ErrBadState) {
		t.Errorf("%v, want ErrBadState", err)
	}
	if got := Event("accept", "m1"); got.String("act") != "accept" || !got.Bool("result") || got.String("id") != "m1" {
		t.Errorf("event %#v", got)
	}
}
