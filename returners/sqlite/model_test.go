package sqlite

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// model is the expected state of the store, in maps.
type model struct {
	returns map[[2]string]byte // the first value of each pair
	loads   map[string]int     // length of the stored one
	outbox  map[string][]pending
	notes   map[[3]string]string // value by kind, jid, key
	lastSeq int64
}

type pending struct {
	seq      int64
	jid, id  string
	rejected bool
}

var dests = []string{"parent:top", returners.DestMySQL}

// checks is the number of histories to try unless -rapid.checks is set. Each one opens real
// files, and the race detector makes that slow.
const checks = "12"

func TestModel(t *testing.T) {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", checks); err != nil {
			t.Fatal(err)
		}
	}
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "jobs.db")
		var s *Store
		start := func() {
			o := Options{Path: path, TailRows: rapid.IntRange(1, 9).Draw(t, "tail"), TailBytes: rapid.IntRange(1, 20).Draw(t, "bytes of the tail")}
			if s, err = Open(background, o); err != nil {
				t.Fatal(err)
			}
		}
		start()
		defer func() { s.Close() }()
		m := &model{returns: map[[2]string]byte{}, loads: map[string]int{}, outbox: map[string][]pending{}, notes: map[[3]string]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"commit":  func(t *rapid.T) { m.commit(t, s) },
			"ack":     func(t *rapid.T) { m.ack(t, s) },
			"move":    func(t *rapid.T) { m.move(t, s) },
			"reject":  func(t *rapid.T) { m.reject(t, s) },
			"restart": func(t *rapid.T) { closeStore(t, s); start() },
			"clean":   func(t *rapid.T) { m.clean(t, s) },
			"":        func(t *rapid.T) { m.check(t, s) },
		})
	})
}

func closeStore(t *rapid.T, s *Store) {
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func (m *model) commit(t *rapid.T, s *Store) {
	var b Batch
	var wantNew []bool
	newPairs := map[[2]string]bool{}
	for range rapid.IntRange(0, 6).Draw(t, "returns") {
		jid := returnertest.JID(rapid.IntRange(0, 2).Draw(t, "job"))
		id := fmt.Sprint("m", rapid.IntRange(0, 4).Draw(t, "minion"))
		v := rapid.Byte().Draw(t, "value")
		b.Returns = append(b.Returns, returners.Return{JID: jid, ID: id, Fun: "f", Full: []byte{0x81, v}, Value: []byte{v}, At: returnertest.Time(1)})
		for _, d := range dests {
			if rapid.Bool().Draw(t, d) {
				b.Outbox = append(b.Outbox, Item{Dest: d, Kind: returners.KindReturn, JID: jid, ID: id})
			}
		}
		k := [2]string{jid, id}
		_, known := m.returns[k]
		wantNew = append(wantNew, !known)
		if !known {
			m.returns[k] = v
			newPairs[k] = true
		}
	}
	for range rapid.IntRange(0, 1).Draw(t, "loads") {
		jid := returnertest.JID(rapid.IntRange(0, 2).Draw(t, "job"))
		n := rapid.IntRange(1, 5).Draw(t, "length")
		own := rapid.Bool().Draw(t, "own")
		b.Loads = append(b.Loads, returners.Load{JID: jid, Raw: make([]byte, n), At: returnertest.Time(1), Own: own})
		if m.loads[jid] == 0 || own {
			m.loads[jid] = n
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "notes") {
		n := returners.Note{
			Kind: rapid.SampledFrom([]string{returners.NoteOpen, returners.NoteOrigin}).Draw(t, "kind"), JID: returnertest.JID(rapid.IntRange(0, 2).Draw(t, "job")),
			Key: rapid.SampledFrom([]string{"", "k"}).Draw(t, "key"), Value: []byte{rapid.Byte().Draw(t, "value")}, Gone: rapid.Bool().Draw(t, "gone"),
		}
		b.Notes = append(b.Notes, n)
		if k := [3]string{n.Kind, n.JID, n.Key}; n.Gone {
			delete(m.notes, k)
		} else {
			m.notes[k] = string(n.Value)
		}
	}
	b.Unsynced = rapid.Bool().Draw(t, "unsynced")
	res, err := s.Commit(background, b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(res.NewReturns, wantNew) && len(wantNew) > 0 {
		t.Fatalf("new returns %v, want %v", res.NewReturns, wantNew)
	}
	written := map[string]bool{}
	for _, it := range b.Outbox {
		k := it.Dest + "\n" + it.JID + "\n" + it.ID
		if newPairs[[2]string{it.JID, it.ID}] && !written[k] {
			written[k] = true
			m.lastSeq++
			m.outbox[it.Dest] = append(m.outbox[it.Dest], pending{seq: m.lastSeq, jid: it.JID, id: it.ID})
		}
	}
}

func (m *model) pick(t *rapid.T) (string, []pending) {
	d := rapid.SampledFrom(dests).Draw(t, "dest")
	return d, m.outbox[d]
}

func (m *model) ack(t *rapid.T, s *Store) {
	d, rows := m.pick(t)
	seqs := []int64{9_999_999} // unknown ones are ignored
	m.outbox[d] = slices.DeleteFunc(slices.Clone(rows), func(o pending) bool {
		gone := rapid.Bool().Draw(t, "ack")
		if gone {
			seqs = append(seqs, o.seq)
		}
		return gone
	})
	if err := s.OutboxAck(background, d, seqs); err != nil {
		t.Fatal(err)
	}
}

// move moves the first row of one destination to the other one.
func (m *model) move(t *rapid.T, s *Store) {
	d, rows := m.pick(t)
	if len(rows) == 0 {
		return
	}
	to := dests[1-slices.Index(dests, d)]
	m.lastSeq++
	m.outbox[to] = append(m.outbox[to], pending{seq: m.lastSeq, jid: rows[0].jid, id: rows[0].id})
	m.outbox[d] = rows[1:]
	if err := s.OutboxMove(background, d, []returners.Move{{Seq: rows[0].seq, To: []string{to}}}); err != nil {
		t.Fatal(err)
	}
}

func (m *model) reject(t *rapid.T, s *Store) {
	d, rows := m.pick(t)
	if len(rows) == 0 {
		return
	}
	i := rapid.IntRange(0, len(rows)-1).Draw(t, "row")
	o := rows[i]
	o.rejected = true
	m.outbox[d] = slices.Delete(slices.Clone(rows), i, i+1)
	aside := append(m.outbox[returners.Rejected(d)], o)
	slices.SortFunc(aside, func(a, b pending) int { return cmp.Compare(a.seq, b.seq) })
	m.outbox[returners.Rejected(d)] = aside
	if err := s.OutboxReject(background, d, o.seq, "bad"); err != nil {
		t.Fatal(err)
	}
}

// clean removes whole jobs that have no pending rows and are not open.
func (m *model) clean(t *rapid.T, s *Store) {
	busy := map[string]bool{}
	for _, d := range dests {
		for _, o := range m.outbox[d] {
			busy[o.jid] = true
		}
	}
	for k := range m.notes {
		busy[k[1]] = busy[k[1]] || k[0] == returners.NoteOpen
	}
	known := map[string]bool{} // Clean ignores a job known by notes only
	for k := range m.returns {
		known[k[0]] = true
	}
	for jid := range m.loads {
		known[jid] = true
	}
	maps.DeleteFunc(m.notes, func(k [3]string, _ string) bool { return known[k[1]] && !busy[k[1]] })
	for {
		n, err := s.Clean(background, returnertest.Time(10_000), rapid.IntRange(1, 4).Draw(t, "limit"))
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	for k := range m.returns {
		if !busy[k[0]] {
			delete(m.returns, k)
		}
	}
	for jid := range m.loads {
		if !busy[jid] {
			delete(m.loads, jid)
		}
	}
	for _, d := range dests {
		d = returners.Rejected(d)
		m.outbox[d] = slices.DeleteFunc(m.outbox[d], func(o pending) bool { return !busy[o.jid] })
	}
}

func (m *model) check(t *rapid.T, s *Store) {
	total := 0
	for job := range 3 {
		rets, err := s.GetReturns(background, returnertest.JID(job))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rets {
			total++
			v, ok := m.returns[[2]string{r.JID, r.ID}]
			if !ok || len(r.Full) != 2 || r.Full[1] != v || len(r.Value) != 1 || r.Value[0] != v {
				t.Fatalf("return %s %s holds %x / %x, want %x (known %v)", r.JID, r.ID, r.Full, r.Value, v, ok)
			}
		}
		l, ok, err := s.GetLoad(background, returnertest.JID(job))
		if n := m.loads[returnertest.JID(job)]; err != nil || ok != (n > 0) || len(l.Raw) != n {
			t.Fatalf("load of job %d: %d bytes, %v, %v; want %d", job, len(l.Raw), ok, err, n)
		}
	}
	if total != len(m.returns) {
		t.Fatalf("%d returns, want %d", total, len(m.returns))
	}
	n := 0
	for _, kind := range []string{returners.NoteOpen, returners.NoteOrigin} {
		err := returners.EachNote(background, s, kind, func(got returners.Note) {
			n++
			if want, ok := m.notes[[3]string{got.Kind, got.JID, got.Key}]; !ok || want != string(got.Value) {
				t.Fatalf("note %+v, want %x (known %v)", got, want, ok)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n != len(m.notes) {
		t.Fatalf("%d notes, want %d", n, len(m.notes))
	}
	for _, d := range dests {
		m.checkOutbox(t, s, d)
		m.checkOutbox(t, s, returners.Rejected(d))
	}
}

func (m *model) checkOutbox(t *rapid.T, s *Store, dest string) {
	want := m.outbox[dest]
	rows, oldest, err := s.OutboxDepth(background, dest)
	if err != nil || rows != int64(len(want)) || oldest.IsZero() != (rows == 0) {
		t.Fatalf("%s: depth %d since %v, %v; want %d", dest, rows, oldest, err, len(want))
	}
	var inFile int64
	if err := s.r.QueryRow("SELECT coalesce(sum(size), 0) FROM outbox WHERE dest = ?", dest).Scan(&inFile); err != nil {
		t.Fatal(err)
	}
	if n, bytes := s.OutboxSize(dest); n != rows || bytes != inFile {
		t.Fatalf("%s: %d rows of %d bytes are counted, %d of %d in the file", dest, n, bytes, rows, inFile)
	}
	var got []Item
	for after := int64(0); ; after = got[len(got)-1].Seq {
		page, err := s.OutboxRead(background, dest, after, 5, 8)
		if err != nil {
			t.Fatal(err)
		}
		filed, err := s.readOutbox(background, dest, after, 5, 8)
		if err != nil || len(page) != len(filed) || len(page) > 0 && !reflect.DeepEqual(page, filed) {
			t.Fatalf("%s: behind %d are %+v, in the file %+v, %v", dest, after, page, filed, err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", dest, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Seq != w.seq || g.JID != w.jid || g.ID != w.id || (g.Error != "") != w.rejected {
			t.Fatalf("%s: row %d is %+v, want %+v", dest, i, g, w)
		}
		if v := m.returns[[2]string{w.jid, w.id}]; g.Return == nil || len(g.Payload) != 2 || g.Payload[1] != v {
			t.Fatalf("%s: row %d carries %x, want value %x", dest, i, g.Payload, v)
		}
	}
}
