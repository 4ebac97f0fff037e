package retention

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// rememberedJIDs is for how many jobs a stock minion is trusted to remember a jid: Salt's
	// minion_jid_queue_hwm is 100, less a few for questions sent to single minions.
	rememberedJIDs = 80
	// keptSignIns is how many sign-ins are kept per minion.
	keptSignIns = 4
	// journalSpan is how long, at least, sign-ins and publications are kept.
	journalSpan = 10 * time.Minute
)

// Journal records the order of publications and sign-ins, over restarts of the master. It decides
// whether a stock minion may receive a job again. Such a minion ignores a jid that it has seen
// since it started, as it keeps the last ones in memory, and it cannot start without signing
// in. Positions count both kinds of events, so no clock is involved.
//
// Records are written at once and survive a kill of the process. After a crash of the machine
// some may be lost, so a file of another boot is ignored.
type Journal struct {
	path string
	boot string
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	pos    int64
	pubs   []publication // the latest
	signed map[string]*signIns
	life   int64 // position at the start of this process
	file   *os.File
	begun  time.Time // start of file
	swept  time.Time
	failed bool
}

type publication struct {
	jid string
	pos int64
	at  time.Time
}

// signIns holds the positions of a minion's latest sign-ins.
type signIns struct {
	at   []int64
	more bool // there were earlier ones
}

// JournalOptions configure a [Journal].
type JournalOptions struct {
	// Path is the file; Path + ".1" holds older records.
	Path string
	Log  *slog.Logger
	Now  func() time.Time
}

// OpenJournal reads what the previous process wrote and continues the file.
func OpenJournal(o JournalOptions) (*Journal, error) {
	d := &Journal{path: o.Path, boot: bootID(), log: o.Log, now: o.Now, signed: map[string]*signIns{}}
	if d.log == nil {
		d.log = slog.Default()
	}
	if d.now == nil {
		d.now = time.Now
	}
	d.swept = d.now()
	if _, err := d.read(o.Path + ".1"); err != nil {
		return nil, err
	}
	whole, err := d.read(o.Path)
	if err != nil {
		return nil, err
	}
	if !whole {
		d.life = d.pos
		return d, d.rotate()
	}
	if d.file, err = os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return nil, fmt.Errorf("open publication journal: %w", err)
	}
	d.begun, d.life = d.now(), d.pos
	return d, nil
}

// bootID returns the id of this boot of the machine, or "" if the system has none.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// read loads a file. whole is false if the file is missing, damaged, or of another boot; the
// publications before it are dropped then, since records may be missing.
func (d *Journal) read(path string) (whole bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.forget()
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read publication journal: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	if !lines.Scan() || d.boot == "" || lines.Text() != "boot "+d.boot {
		d.forget()
		return false, nil
	}
	whole = len(b) > 0 && b[len(b)-1] == '\n'
	for lines.Scan() {
		kind, what, ok := strings.Cut(lines.Text(), " ")
		switch {
		case ok && kind == "p":
			d.published(what)
		case ok && kind == "s":
			if id, err := strconv.Unquote(what); err == nil {
				d.signedIn(id)
			} else {
				whole = false
			}
		default:
			whole = false
		}
	}
	if whole = whole && lines.Err() == nil; !whole {
		d.forget()
	}
	return whole, nil
}

// forget drops all publications, so none of them is sent again. The caller holds mu.
func (d *Journal) forget() { d.pubs = nil }

// Published records a publication as it is sent.
func (d *Journal) Published(jid string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.published(jid)
	d.write("p " + jid + "\n")
}

func (d *Journal) published(jid string) {
	d.pos++
	if d.pubs = append(d.pubs, publication{jid, d.pos, d.now()}); len(d.pubs) > 2*rememberedJIDs {
		d.pubs = append([]publication(nil), d.pubs[len(d.pubs)-rememberedJIDs:]...)
	}
}

// SignedIn records a sign-in.
func (d *Journal) SignedIn(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.signedIn(id)
	d.write("s " + strconv.Quote(id) + "\n")
	d.sweep()
}

func (d *Journal) signedIn(id string) {
	d.pos++
	s := d.signed[id]
	if s == nil {
		s = &signIns{}
		d.signed[id] = s
	}
	if s.at = append(s.at, d.pos); len(s.at) > keptSignIns {
		s.at, s.more = append([]int64(nil), s.at[1:]...), true
	}
}

// Position returns the number of recorded events.
func (d *Journal) Position() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pos
}

// PublishedAt returns the position of the first publication of a job, or 0 if it is not known. here reports whether
// this process published it.
func (d *Journal) PublishedAt(jid string) (at int64, here bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pubs {
		if p.jid == jid {
			return p.pos, p.pos > d.life
		}
	}
	return 0, false
}

// MayRepeat reports whether a stock minion that connected at position upTo may receive an
// earlier job: if it has run the job, it remembers the jid. It returns false if the minion may
// have restarted in between, or may have received too many jobs since.
func (d *Journal) MayRepeat(jid, id string, upTo int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := int64(0)
	for i, p := range d.pubs {
		//mutant:forgotten-jobs-are-not-redelivered
		if p.jid == jid && len(d.pubs)-i <= rememberedJIDs {
			at = p.pos
			break
		}
	}
	if at == 0 || at > upTo {
		return false
	}
	s := d.signed[id]
	if s == nil {
		return true
	}
	if s.more && s.at[0] > upTo { // positions of the dropped ones are not known
		return false
	}
	for _, p := range s.at {
		//mutant:restarted-minions-are-not-redelivered
		if p > at && p <= upTo {
			return false
		}
	}
	return true
}

// write appends a line. The caller holds mu.
func (d *Journal) write(line string) {
	if d.now().Sub(d.begun) > journalSpan || d.now().Before(d.begun) {
		if err := d.rotate(); err != nil {
			d.fail(err)
		}
	}
	if d.file == nil {
		return
	}
	if _, err := d.file.WriteString(line); err != nil {
		d.fail(err)
	}
}

// fail closes and deletes the files: after a restart, missing records must not go unnoticed.
// The next rotation tries again.
func (d *Journal) fail(err error) {
	if d.file != nil {
		_ = d.file.Close()
		d.file = nil
	}
	_ = os.Remove(d.path)
	_ = os.Remove(d.path + ".1")
	if !d.failed {
		d.log.Warn("publication journal not written; stock minions get no missed jobs after a restart", "path", d.path, "err", err)
	}
	d.failed, d.begun = true, d.now()
}

// rotate starts a new file and keeps the previous one. The caller holds mu.
func (d *Journal) rotate() error {
	if d.file != nil {
		if err := d.file.Close(); err != nil {
			return err
		}
		d.file = nil
	}
	if err := os.Rename(d.path, d.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("rotate publication journal: %w", err)
	}
	f, err := os.OpenFile(d.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("create publication journal: %w", err)
	}
	if _, err := f.WriteString("boot " + d.boot + "\n"); err != nil {
		return errors.Join(fmt.Errorf("create publication journal: %w", err), f.Close())
	}
	d.file, d.begun = f, d.now()
	return nil
}

// sweep drops old publications, and minions whose sign-ins are all older. The caller holds mu.
func (d *Journal) sweep() {
	now := d.now()
	if now.Sub(d.swept) < journalSpan && !now.Before(d.swept) {
		return
	}
	old := 0
	for old < len(d.pubs) && d.pubs[old].at.Before(d.swept) {
		old++
	}
	d.pubs = append([]publication(nil), d.pubs[old:]...)
	for id, s := range d.signed {
		if len(d.pubs) == 0 || s.at[len(s.at)-1] < d.pubs[0].pos {
			delete(d.signed, id)
		}
	}
	d.swept = now
}

// Close closes the file.
func (d *Journal) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	return err
}
