package syndic

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/crypt"
)

const (
	// rememberedJobs is how many jobs are remembered with the parent they came
	// from, rememberedMasters how many values of master_id.
	rememberedJobs    = 4096
	rememberedMasters = 256
)

// parents are the masters above, in the order of syndic_failover.
type parents struct {
	links   []*link
	jobs    *recent[*link] // jid → who published it
	masters *recent[*link] // master_id → who uses it
}

// openParents makes a link for each entry of syndic_master.
func openParents(s *Syndic) (*parents, error) {
	p := &parents{jobs: newRecent[*link](rememberedJobs), masters: newRecent[*link](rememberedMasters)}
	names := s.cfg.Upper.Master
	if len(names) == 0 {
		return nil, errors.New("syndic: no master above: set syndic_master in the master configuration")
	}
	seen := map[string]bool{}
	for _, name := range names {
		l, err := openLink(s, name, len(names) > 1)
		if err == nil && seen[l.ch.Addr()] {
			err = errors.Join(fmt.Errorf("syndic_master: %s is named twice", l.ch.Addr()), l.ch.Close())
		}
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		seen[l.ch.Addr()] = true
		p.links = append(p.links, l)
	}
	if s.cfg.Local.SyndicFailover == "random" {
		rand.Shuffle(len(p.links), func(i, j int) { p.links[i], p.links[j] = p.links[j], p.links[i] })
	}
	return p, nil
}

func (p *parents) close() error {
	var errs []error
	for _, l := range p.links {
		errs = append(errs, l.ch.Close())
	}
	return errors.Join(errs...)
}

// learn remembers who published a job.
func (p *parents) learn(l *link, jid, masterID string) {
	p.jobs.set(jid, l)
	if masterID != "" {
		p.masters.set(masterID, l)
	}
}

// owner is the link that returns of a job belong to: the one the job came from,
// or whose name or master_id the return carries. While that is away, or when
// nobody knows, it is the first that is connected; nil when none is.
func (p *parents) owner(jid, masterID string) *link {
	if len(p.links) == 1 {
		if l := p.links[0]; l.available() {
			return l
		}
		return nil
	}
	if l, ok := p.jobs.get(jid); ok && l.available() {
		return l
	}
	if masterID != "" {
		if l, ok := p.masters.get(masterID); ok && l.available() {
			return l
		}
	}
	var first *link
	for _, l := range p.links {
		if !l.available() {
			continue
		}
		if masterID != "" && (l.name == masterID || l.host == masterID) {
			return l
		}
		if first == nil {
			first = l
		}
	}
	return first
}

// pinFile names the file in pki_dir that pins a parent's key. Parents may have
// keys of their own, so each of several has its own file; one that Salt made for
// all of them is what each begins with.
func pinFile(pkiDir, host string, several bool) (string, error) {
	const shared = "syndic_master.pub"
	if !several {
		return shared, nil
	}
	name := "syndic_master." + strings.Map(func(r rune) rune {
		if r == '/' || r == filepath.Separator || r == 0 {
			return '_'
		}
		return r
	}, host) + ".pub"
	path := filepath.Join(pkiDir, name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	pem, err := os.ReadFile(filepath.Join(pkiDir, shared)) //nolint:gosec // pki_dir is the operator's
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	if err == nil {
		err = crypt.WriteFile(path, pem, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("pin the key of the master above: %w", err)
	}
	return name, nil
}

func openLink(s *Syndic, name string, several bool) (*link, error) {
	c, err := channel.FromMinion(s.cfg.Upper, "syndic", name)
	if err != nil {
		return nil, fmt.Errorf("syndic_master %s: %w", name, err)
	}
	c.FingerOption = "syndic_finger"
	c.Log = s.log.With("parent", name)
	if c.PinName, err = pinFile(c.PkiDir, c.Host, several); err != nil {
		return nil, fmt.Errorf("syndic_master %s: %w", name, err)
	}
	ch, err := channel.New(c)
	if err != nil {
		return nil, fmt.Errorf("syndic_master %s: %w", name, err)
	}
	l := &link{
		s: s, name: name, host: c.Host, ch: ch, log: c.Log,
		ready: make(chan uint64, 1), inbox: make(chan []byte, inboxSize),
		longest: max(s.cfg.Upper.RequestChannelTimeout, s.pace.answer),
	}
	l.events, l.returns = newUplink(l), newSender(l)
	return l, nil
}
