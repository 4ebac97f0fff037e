package power

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// sector is what a disk writes whole.
const sector = 512

// Losses by kind.
const (
	Synced    = iota // only what was synced is there
	Written          // all that was written is there, as after a kill
	InOrder          // all up to a moment is there
	Scattered        // of what was not synced each name and each sector is there or not
	Losses
)

// Loss chooses what is there of what was not synced.
type Loss struct {
	Kind int
	Seed uint64
}

func (l Loss) String() string {
	return fmt.Sprintf("%s (seed %d)", []string{"synced", "written", "in order", "scattered"}[l.Kind], l.Seed)
}

// Disk plays a record forward.
type Disk struct {
	log   *Log
	at    int
	nodes map[*inode]*platter
	whole map[int]bool // renames that a sync of one of both folders has brought to the disk
}

// platter is what the disk surely holds of a file or folder, and which operations are not
// covered by a sync.
type platter struct {
	names map[string]*inode
	data  []byte
	later []int
}

// NewDisk stands at the beginning of a record, to which nothing is added any more.
func NewDisk(l *Log) *Disk {
	return &Disk{log: l, nodes: map[*inode]*platter{}, whole: map[int]bool{}}
}

func (d *Disk) platter(n *inode) *platter {
	p := d.nodes[n]
	if p == nil {
		p = &platter{names: maps.Clone(n.oldNames), data: slices.Clone(n.oldData)}
		d.nodes[n] = p
	}
	return p
}

// Play goes on to a point: as many operations are done then.
func (d *Disk) Play(to int) {
	for ; d.at < to; d.at++ {
		o := &d.log.ops[d.at]
		switch {
		case o.names != nil:
			for i, c := range o.names {
				if i == 0 || c.folder != o.names[0].folder {
					p := d.platter(c.folder)
					p.later = append(p.later, d.at)
				}
			}
		case o.file != nil:
			p := d.platter(o.file)
			p.later = append(p.later, d.at)
		default:
			d.sync(o.synced, o.since)
		}
	}
}

func (d *Disk) sync(n *inode, since int) {
	p := d.platter(n)
	for len(p.later) > 0 && p.later[0] < since {
		i := p.later[0]
		p.later = p.later[1:]
		o := &d.log.ops[i]
		if n.folder() {
			o.rename(n, p.names)
			for _, c := range o.names { // a rename is whole
				if c.folder != n && !d.whole[i] {
					o.rename(c.folder, d.platter(c.folder).names)
				}
			}
			d.whole[i] = len(o.names) > 1
			continue
		}
		p.data = o.write(p.data)
	}
}

// rename does a change to the names of a folder.
func (o *op) rename(folder *inode, names map[string]*inode) {
	for i, c := range o.names {
		switch {
		case c.folder != folder:
		case c.node != nil:
			names[c.base] = c.node
		case i+1 == len(o.names) || names[c.base] == o.names[i+1].node: // else the name leads elsewhere by now
			delete(names, c.base)
		}
	}
}

// write does a change to what a file holds.
func (o *op) write(data []byte) []byte {
	size := o.size
	if o.data != nil {
		size = max(int64(len(data)), o.off+int64(len(o.data)))
	}
	data = resize(data, size)
	copy(data[min(o.off, size):], o.data)
	return data
}

func resize(data []byte, size int64) []byte {
	if n := size - int64(len(data)); n > 0 {
		return append(data, make([]byte, n)...)
	}
	return data[:size:size]
}

// choice is a number below n for what is named by a and b, the same in each run.
func (l Loss) choice(n int, a int, b int64) int {
	return rand.New(rand.NewPCG(l.Seed<<24^uint64(a), uint64(b))).IntN(n)
}

// Lay lays down below dir what the disk may hold when the power goes now.
func (d *Disk) Lay(dir string, loss Loss) error { return d.lay(dir, d.log.top, loss) }

func (d *Disk) lay(path string, n *inode, loss Loss) error {
	p := d.platter(n)
	if !n.folder() {
		return os.WriteFile(path, d.content(n, p, loss), 0o600)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	names := maps.Clone(p.names)
	for _, i := range p.later {
		if d.whole[i] || d.keeps(i, loss) {
			d.log.ops[i].rename(n, names)
		}
	}
	for base, node := range names {
		if err := d.lay(filepath.Join(path, base), node, loss); err != nil {
			return err
		}
	}
	return nil
}

// moment is until when all is there that was done in order.
func (d *Disk) moment(loss Loss) int { return loss.choice(d.at+1, -1, 0) }

func (d *Disk) keeps(i int, loss Loss) bool {
	switch loss.Kind {
	case Written:
		return true
	case InOrder:
		return i < d.moment(loss)
	case Scattered:
		return loss.choice(2, i, -1) == 0
	}
	return false
}

func (d *Disk) content(n *inode, p *platter, loss Loss) []byte {
	data := slices.Clone(p.data)
	if loss.Kind != Scattered {
		for _, i := range p.later {
			if d.keeps(i, loss) {
				data = d.log.ops[i].write(data)
			}
		}
		return data
	}
	// The size as of one moment, and each sector as of a moment of its own.
	size := int64(len(data))
	shown := loss.choice(len(p.later)+1, n.number, -2)
	end := size
	for k, i := range p.later {
		o := &d.log.ops[i]
		from, to := o.off, o.off+int64(len(o.data))
		if o.data == nil { // what is beyond the size is zero
			from, to = min(o.size, int64(len(data))), int64(len(data))
			size = o.size
		} else {
			size = max(size, to)
		}
		if k < shown {
			end = size
		}
		data = resize(data, max(int64(len(data)), to))
		for at := from; at < to; {
			next := min(to, at-at%sector+sector)
			if k < loss.choice(len(p.later)+1, n.number, at/sector) {
				if o.data == nil {
					clear(data[at:next])
				} else {
					copy(data[at:next], o.data[at-from:next-from])
				}
			}
			at = next
		}
	}
	return resize(data, end)
}
