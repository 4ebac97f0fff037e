package syndic

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/lru"
)

const (
	// rememberedMasters is how many values of master_id are remembered.
	rememberedMasters = 256
	// originsSlack is how many lines for each job that is remembered the file may
	// have beyond that before it is written anew.
	originsSlack = 2
)

// origins remembers which masters above published a job, and which of them uses
// which master_id, over restarts of the node: a return belongs to the master that
// asked, and nothing in the return says for certain who that is.
//
// The file gets a line with each job, and is synced before the job goes on; jobs that
// come together share a sync.
type origins struct {
	path string
	most int // jobs that are remembered

	mu      sync.Mutex
	jobs    *lru.Map[string, []string] // jid → addresses
	masters *lru.Map[string, string]   // master_id → address
	// owed holds who has still to be given the returns of a job that were here when it
	// asked, or when there was no room for them among what it is owed.
	owed  map[owedJob]struct{}
	file  *os.File
	lines int
	sync  *durable.Syncer
}

type owedJob struct{ addr, jid string }

// originsFile lies in the folder of the node's own cache.
const originsFile = "syndic_origins"

// openOrigins reads what a former life of the node has noted. most is how many jobs are
// remembered (bound asked_jobs); the oldest are forgotten.
func openOrigins(cachedir string, most int) (*origins, error) {
	o := &origins{
		path: filepath.Join(cachedir, originsFile), most: most,
		jobs: lru.New[string, []string](most), masters: lru.New[string, string](rememberedMasters), owed: map[owedJob]struct{}{},
	}
	o.sync = durable.Held(o.held)
	if err := os.MkdirAll(cachedir, 0o700); err != nil {
		return nil, fmt.Errorf("open the memory of where jobs came from: %w", err)
	}
	f, err := os.Open(o.path)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open the memory of where jobs came from: %w", err)
	}
	defer f.Close() //nolint:errcheck // read only
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		o.read(lines.Text())
		o.lines++
	}
	// A line that is too long is damage, too: the rest is not worth a failed start.
	return o, nil
}

// read takes one line: kind, address, name. The kinds are m for a master_id, j for
// a job, o for one whose earlier returns are owed.
func (o *origins) read(line string) {
	kind, rest, _ := strings.Cut(line, " ")
	addr, name, ok := strings.Cut(rest, " ")
	switch {
	case !ok || addr == "" || name == "":
	case kind == "j":
		o.addJob(name, addr)
		delete(o.owed, owedJob{addr, name})
	case kind == "o":
		o.addJob(name, addr)
		o.owe(addr, name)
	case kind == "m":
		o.masters.Add(name, addr)
	}
}

func (o *origins) addJob(jid, addr string) (fresh, second bool) {
	have, known := o.jobs.Peek(jid)
	if slices.Contains(have, addr) {
		return false, false
	}
	o.jobs.Add(jid, append(slices.Clip(have), addr))
	return true, known
}

// owe notes a debt, while there are not too many.
func (o *origins) owe(addr, jid string) bool {
	if len(o.owed) >= o.most {
		return false
	}
	o.owed[owedJob{addr, jid}] = struct{}{}
	return true
}

// given ends the debt of what was here when addr asked for a job.
func (o *origins) given(addr, jid string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.owed[owedJob{addr, jid}]; !ok {
		return nil
	}
	delete(o.owed, owedJob{addr, jid})
	return o.write("j " + addr + " " + jid + "\n")
}

// hold notes that addr is owed what is here of a job, for later; fresh: it was not noted
// yet. false: as much is owed already as is remembered.
func (o *origins) hold(addr, jid string) (held, fresh bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.owed[owedJob{addr, jid}]; ok {
		return true, false, nil
	}
	if !o.owe(addr, jid) {
		return false, false, nil
	}
	return true, true, o.write("o " + addr + " " + jid + "\n")
}

// owing lists the jobs whose earlier returns are owed to addr.
func (o *origins) owing(addr string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []string
	for d := range o.owed {
		if d.addr == addr {
			out = append(out, d.jid)
		}
	}
	slices.Sort(out)
	return out
}

// learn remembers who published a job. first tells that nobody had before, second
// that another one had. owe: what is here of it is owed, until given is called.
func (o *origins) learn(addr, jid, masterID string, owe bool) (first, second bool, err error) {
	first, second, written, err := o.enter(addr, jid, masterID, owe)
	if written && err == nil {
		if err = o.sync.Wait(); err != nil {
			err = fmt.Errorf("remember where a job came from: %w", err)
		}
	}
	return first, second, err
}

// enter is learn up to the sync; written tells that there is something to be synced.
func (o *origins) enter(addr, jid, masterID string, owe bool) (first, second, written bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out strings.Builder
	fresh, second := o.addJob(jid, addr)
	if fresh {
		kind := "j"
		if owe && o.owe(addr, jid) {
			kind = "o"
		}
		fmt.Fprintf(&out, "%s %s %s\n", kind, addr, jid)
	}
	if masterID != "" && !strings.ContainsAny(masterID, "\r\n") {
		if was, _ := o.masters.Peek(masterID); was != addr {
			o.masters.Add(masterID, addr)
			fmt.Fprintf(&out, "m %s %s\n", addr, masterID)
		}
	}
	if out.Len() > 0 {
		err = o.write(out.String())
	}
	return fresh && !second, second && fresh, out.Len() > 0, err
}

// write appends, or writes the file anew when most of it is old.
func (o *origins) write(text string) (err error) {
	if o.lines > o.most+originsSlack*o.most {
		if err := o.rewrite(); err != nil {
			return err
		}
	}
	if o.file == nil {
		o.file, err = os.OpenFile(o.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("remember where a job came from: %w", err)
		}
	}
	o.lines += strings.Count(text, "\n")
	if _, err := o.file.WriteString(text); err != nil {
		return fmt.Errorf("remember where a job came from: %w", err)
	}
	return nil
}

func (o *origins) held() *os.File {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.file
}

func (o *origins) rewrite() error {
	var out strings.Builder
	n := 0
	for _, name := range o.masters.Keys() {
		addr, _ := o.masters.Peek(name)
		fmt.Fprintf(&out, "m %s %s\n", addr, name)
		n++
	}
	for _, jid := range o.jobs.Keys() {
		addrs, _ := o.jobs.Peek(jid)
		for _, addr := range addrs {
			kind := "j"
			if _, owed := o.owed[owedJob{addr, jid}]; owed {
				kind = "o"
			}
			fmt.Fprintf(&out, "%s %s %s\n", kind, addr, jid)
			n++
		}
	}
	for d := range o.owed { // of a job that is not remembered any more
		if !o.jobs.Contains(d.jid) {
			fmt.Fprintf(&out, "o %s %s\n", d.addr, d.jid)
			n++
		}
	}
	if o.file != nil {
		_ = o.file.Close() // it is replaced, with all that is in it
		o.file = nil
	}
	if err := crypt.WriteFile(o.path, []byte(out.String()), 0o600); err != nil {
		return fmt.Errorf("write anew where jobs came from: %w", err)
	}
	o.lines = n
	return nil
}

// of gives the addresses of those who asked for a job: by the jid, else by the
// master_id of its returns.
func (o *origins) of(jid, masterID string) []string {
	if addrs, ok := o.jobs.Peek(jid); ok {
		return addrs
	}
	if masterID != "" {
		if addr, ok := o.masters.Peek(masterID); ok {
			return []string{addr}
		}
	}
	return nil
}

func (o *origins) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.file == nil {
		return nil
	}
	err := errors.Join(o.file.Sync(), o.file.Close())
	o.file = nil
	return err
}
