package returners

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// PartField is the field that holds [Part.N] in a publication and in the kwargs of a load.
// It is absent if N is 0.
const PartField = "mom_part"

// Part identifies one publication of a job. N is 0 for the first. For a publication that
// extends the job to further minions, N is the number of minions the job names after it.
type Part struct {
	JID string
	N   int
}

// String returns the jid; for a part that extends its job, followed by a slash and the
// number.
func (p Part) String() string { return p.JID + p.suffix() }

func (p Part) suffix() string {
	if p.N == 0 {
		return ""
	}
	return "/" + strconv.Itoa(p.N)
}

const partKey = "part"

// Kept returns the note that holds the publication.
func (p Part) Kept(pub []byte) Note {
	key := ""
	if p.N > 0 {
		key = partKey + p.suffix()
	}
	return Note{Kind: NotePublication, JID: p.JID, Key: key, Value: pub}
}

// Published returns the note that marks the publication as sent to the subscribers.
func (p Part) Published() Note {
	return Note{Kind: NotePublication, JID: p.JID, Key: KeyPublished + p.suffix()}
}

// Dropped returns the notes that remove those of [Part.Kept] and [Part.Published].
func (p Part) Dropped() []Note {
	kept, published := p.Kept(nil), p.Published()
	kept.Gone, published.Gone = true, true
	return []Note{kept, published}
}

// PartOf returns the part a note of the kind [NotePublication] is about. published is true
// for the note of [Part.Published]. ok is false if the key is not that of a part.
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

// Part returns the number of the job's newest publication.
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

// Extend adds ids to the list target of a load. part is the number of the publication that
// extends the job.
func (l *Load) Extend(ids []string, part int) error {
	d, err := wire.DecodeMap(l.Raw)
	if err != nil {
		return fmt.Errorf("extend the load of job %s: %w", l.JID, err)
	}
	tgt, _ := d.Get("tgt")
	all := ids
	if list, ok := tgt.([]any); ok {
		all = append(wire.Texts(list), ids...)
	} else if text, ok := tgt.(string); ok { // ids separated by commas
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

// PartIn returns the part that a publication is.
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

// maxPart bounds the number of minions of a growing job.
const maxPart = 1 << 30
