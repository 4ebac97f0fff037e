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
	// rememberedJIDs is how many jobs back a stock minion is trusted to know that it has
	// had one: Salt's minion_jid_queue_hwm is 100, and some are left for the questions
	// that single minions are asked.
	rememberedJIDs = 80
	// keptSignIns is how many sign-ins of one minion are told apart.
	keptSignIns = 4
	// diarySpan is how long, at least, a sign-in or a publication is remembered.
	diarySpan = 10 * time.Minute
)

// Diary remembers in which order jobs were published and minions signed in, over
// restarts of the master: what has to be known before a stock minion is given a job once
// more. Such a minion passes over a jid that it has seen since its own start, as it
// keeps the last ones in memory, and it cannot start without signing in. Positions
// count both, so no clock decides.
//
// What is written is in the system's hands at once and survives a kill of the process.
// After a crash of the machine some may be lacking: a diary of another boot is not used.
type Diary struct {
	path string
	boot string
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	pos    int64
	pubs   []publication // the last ones
	signed map[string]*signIns
	life   int64 // where this life began
	file   *os.File
	begun  time.Time // the file
	swept  time.Time
	failed bool
}

type publication struct {
	jid string
	pos int64
	at  time.Time
}

// signIns are the positions of the last ones of one minion.
type signIns struct {
	at   []int64
	more bool // there were others before
}

// DiaryOptions set up a [Diary].
type DiaryOptions struct {
	// Path is its file; a second one, with .1 behind, holds what is older.
	Path string
	Log  *slog.Logger
	Now  func() time.Time
}

// OpenDiary reads what an earlier life has left.
func OpenDiary(o DiaryOptions) (*Diary, error) {
	d := &Diary{path: o.Path, boot: bootID(), log: o.Log, now: o.Now, signed: map[string]*signIns{}}
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
		return d, d.turn()
	}
	if d.file, err = os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return nil, fmt.Errorf("go on with the diary of publications: %w", err)
	}
	d.begun, d.life = d.now(), d.pos
	return d, nil
}

// bootID names this run of the machine; "" where it is not told.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// read enters a file. whole is false for one that is not there, is of another boot, or
// is damaged: something may be lacking then, and what was published before is forgotten.
func (d *Diary) read(path string) (whole bool, err error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.forget()
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the diary of publications: %w", err)
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

// forget has nobody given what was published before. The caller holds mu or is alone.
func (d *Diary) forget() { d.pubs = nil }

// Published notes a publication as it goes out.
func (d *Diary) Published(jid string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.published(jid)
	d.write("p " + jid + "\n")
}

func (d *Diary) published(jid string) {
	d.pos++
	if d.pubs = append(d.pubs, publication{jid, d.pos, d.now()}); len(d.pubs) > 2*rememberedJIDs {
		d.pubs = append([]publication(nil), d.pubs[len(d.pubs)-rememberedJIDs:]...)
	}
}

// SignedIn notes that a minion has signed in.
func (d *Diary) SignedIn(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.signedIn(id)
	d.write("s " + strconv.Quote(id) + "\n")
	d.sweep()
}

func (d *Diary) signedIn(id string) {
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

// Position is where the diary is.
func (d *Diary) Position() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pos
}

// PublishedHere tells the position at which a job was published first, if that was in this
// life.
func (d *Diary) PublishedHere(jid string) (at int64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pubs {
		if p.jid == jid {
			return p.pos, p.pos > d.life
		}
	}
	return 0, false
}

// MayRepeat tells whether a stock minion that has connected at a position may be given
// a job that was published before: if it has had it, it knows so. False if it may have
// been started in between, or have heard too many jobs since.
func (d *Diary) MayRepeat(jid, id string, upTo int64) bool {
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
	if s.more && s.at[0] > upTo { // of those before it is not known when they were
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
func (d *Diary) write(line string) {
	if d.now().Sub(d.begun) > diarySpan || d.now().Before(d.begun) {
		if err := d.turn(); err != nil {
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

// fail gives the file up, and removes it: what would lack in it must not be missed
// after a restart. The next turn tries anew.
func (d *Diary) fail(err error) {
	if d.file != nil {
		_ = d.file.Close()
		d.file = nil
	}
	_ = os.Remove(d.path)
	_ = os.Remove(d.path + ".1")
	if !d.failed {
		d.log.Warn("publication log not written, stock minions get no missed jobs after a restart", "path", d.path, "err", err)
	}
	d.failed, d.begun = true, d.now()
}

// turn begins a new file and keeps the one of before. The caller holds mu or is alone.
func (d *Diary) turn() error {
	if d.file != nil {
		if err := d.file.Close(); err != nil {
			return err
		}
		d.file = nil
	}
	if err := os.Rename(d.path, d.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep the diary of publications: %w", err)
	}
	f, err := os.OpenFile(d.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("begin a diary of publications: %w", err)
	}
	if _, err := f.WriteString("boot " + d.boot + "\n"); err != nil {
		return errors.Join(fmt.Errorf("begin a diary of publications: %w", err), f.Close())
	}
	d.file, d.begun = f, d.now()
	return nil
}

// sweep forgets minions that have not signed in for long: no publication that old is
// given again. The caller holds mu.
func (d *Diary) sweep() {
	now := d.now()
	if now.Sub(d.swept) < diarySpan && !now.Before(d.swept) {
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

// Close ends it.
func (d *Diary) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file == nil {
		return nil
	}
	err := d.file.Close()
	d.file = nil
	return err
}
