package returners

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// PartField is the field of a publication, and of the kwargs of a load, that holds [Part.N] if
// that is not 0.
const PartField = "mom_part"

// Part names one publication of a job. N is 0 for the first; a publication that extends the job
// to further minions has the number of minions that the job names by then.
type Part struct {
	JID string
	N   int
}

// String is the jid, and behind a slash the number of a part that extends its job.
func (p Part) String() string { return p.JID + p.suffix() }

func (p Part) suffix() string {
	if p.N == 0 {
		return ""
	}
	return "/" + strconv.Itoa(p.N)
}

const partKey = "part"

// Kept is the note that holds the publication.
func (p Part) Kept(pub []byte) Note {
	key := ""
	if p.N > 0 {
		key = partKey + p.suffix()
	}
	return Note{Kind: NotePublication, JID: p.JID, Key: key, Value: pub}
}

// Published is the note that the publication was handed to the subscribers.
func (p Part) Published() Note {
	return Note{Kind: NotePublication, JID: p.JID, Key: KeyPublished + p.suffix()}
}

// Dropped are the notes that remove what [Part.Kept] and [Part.Published] have stored.
func (p Part) Dropped() []Note {
	kept, published := p.Kept(nil), p.Published()
	kept.Gone, published.Gone = true, true
	return []Note{kept, published}
}

// PartOf reads which publication a note of the kind [NotePublication] is about, and whether it
// is its mark. ok is false for a key that no part has.
func PartOf(n Note) (p Part, published, ok bool) {
	p.JID = n.JID
	name, number, numbered := strings.Cut(n.Key, "/")
	if published = name == KeyPublished; !published && name != "" && name != partKey || !numbered && name == partKey || numbered && name == "" {
		return p, false, false
	}
	if !numbered {
		return p, published, true
	}
	v, err := strconv.Atoi(number)
	p.N = v
	return p, published, err == nil && v > 0 && strconv.Itoa(v) == number
}

// Part is the newest publication of the job.
func (l *Load) Part() int {
	kwargs, err := wire.Field(l.Raw, "kwargs")
	if err != nil || !wire.IsMap(kwargs) {
		return 0
	}
	n, err := wire.Field(kwargs, PartField)
	if err != nil {
		return 0
	}
	return ReadPart(n)
}

// Extend adds ids to the list that is the target of a load, which a publication of that number
// extends.
func (l *Load) Extend(ids []string, part int) error {
	d, err := wire.DecodeMap(l.Raw)
	if err != nil {
		return fmt.Errorf("extend the load of job %s: %w", l.JID, err)
	}
	tgt, _ := d.Get("tgt")
	all := ids
	if list, ok := tgt.([]any); ok {
		all = append(wire.Texts(list), ids...)
	} else if text, ok := tgt.(string); ok { // ids with commas
		all = append(strings.Split(text, ","), ids...)
	}
	slices.Sort(all)
	d.Set("tgt", slices.Compact(all))
	kwargs := d.Map("kwargs")
	if kwargs == nil {
		kwargs = wire.NewMap()
	}
	kwargs.Set(PartField, max(part, l.Part()))
	d.Set("kwargs", kwargs)
	l.Raw, err = wire.Encode(d)
	if err != nil {
		return fmt.Errorf("extend the load of job %s: %w", l.JID, err)
	}
	return nil
}

// PartIn tells which publication of its job one is.
func PartIn(p wire.Publication) Part {
	out := Part{JID: p.JID}
	if p.Extra == nil {
		return out
	}
	switch v, _ := p.Extra.Get(PartField); v := v.(type) {
	case wire.Raw:
		out.N = ReadPart(v)
	case int:
		out.N = max(v, 0)
	}
	return out
}

// ReadPart reads a [PartField]; anything but a positive number is 0.
func ReadPart(v wire.Raw) int {
	n, err := wire.Int(v)
	if err != nil || n < 0 || n > maxPart {
		return 0
	}
	return int(n)
}

// maxPart bounds how many minions a job that grows may name.
const maxPart = 1 << 30
