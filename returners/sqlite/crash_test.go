package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

// crashDir makes this test binary the child process to be killed.
const crashDir = "MOM_TEST_CRASH_DIR"

// crashChild submits returns from many goroutines until it is killed, each with a note and
// after another note that is not synced. It prints the number of each acknowledged return.
func crashChild(dir string) {
	s, err := Open(context.Background(), Options{Path: filepath.Join(dir, "jobs.db")})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	round, err := strconv.Atoi(os.Getenv("MOM_TEST_CRASH_ROUND"))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	g := returners.NewGroup(s, returners.GroupConfig{})
	var out sync.Mutex
	for worker := range 8 {
		go func() {
			for n := worker; ; n += 8 {
				// Every third return repeats one of the previous round.
				from := round
				if n%3 == 0 && round > 0 {
					from--
				}
				r := returners.Return{JID: returnertest.JID(from), ID: strconv.Itoa(n), Fun: "test.echo", Full: []byte{0xa1, byte('a' + n%26)}, Value: []byte{byte(n % 100)}}
				b := withRows(r, "parent:top", returners.DestMySQL)
				b.Notes = []returners.Note{{Kind: returners.NoteOrigin, JID: r.JID, Key: r.ID, Value: r.Full}}
				alone := returners.Batch{Unsynced: true, Notes: []returners.Note{{Kind: returners.NoteOpen, JID: r.JID, Key: r.ID}}}
				for _, b := range []returners.Batch{alone, b} {
					if _, err := g.Commit(context.Background(), b); err != nil {
						fmt.Println("error", err)
						os.Exit(1)
					}
				}
				out.Lock()
				fmt.Println(from, n)
				out.Unlock()
			}
		}()
	}
	select {}
}

func TestKillNineLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	acked := map[[2]int]bool{}
	for round := range 4 {
		killInTheMiddle(t, dir, round, acked)
	}
	s := openAt(t, filepath.Join(dir, "jobs.db"))
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored := map[[2]int]bool{}
	for round := range 4 {
		rets, err := s.GetReturns(t.Context(), returnertest.JID(round))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rets {
			n, err := strconv.Atoi(r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if stored[[2]int{round, n}] {
				t.Errorf("return %d of round %d is stored twice", n, round)
			}
			stored[[2]int{round, n}] = true
			if string(r.Full) != "\xa1"+string(rune('a'+n%26)) {
				t.Errorf("return %d of round %d holds %x", n, round, r.Full)
			}
		}
	}
	noted := map[string]map[[2]string]bool{returners.NoteOrigin: {}, returners.NoteOpen: {}}
	for kind, of := range noted {
		if err := returners.EachNote(t.Context(), s, kind, func(n returners.Note) { of[[2]string{n.JID, n.Key}] = true }); err != nil {
			t.Fatal(err)
		}
	}
	for a := range acked {
		if !stored[a] {
			t.Errorf("return %d of round %d was acknowledged and is lost", a[1], a[0])
		}
		// An unsynced note is stored together with the synced one after it.
		if k := [2]string{returnertest.JID(a[0]), strconv.Itoa(a[1])}; !noted[returners.NoteOpen][k] {
			t.Errorf("the note before return %d of round %d is lost", a[1], a[0])
		}
	}
	for a := range stored {
		if k := [2]string{returnertest.JID(a[0]), strconv.Itoa(a[1])}; !noted[returners.NoteOrigin][k] {
			t.Errorf("return %d of round %d is stored without its note", a[1], a[0])
		}
	}
	if n := len(noted[returners.NoteOrigin]); n != len(stored) {
		t.Errorf("%d notes of %d returns", n, len(stored))
	}
	for _, dest := range []string{"parent:top", returners.DestMySQL} {
		pending := map[string]int{}
		for after := int64(0); ; {
			items, err := s.OutboxRead(t.Context(), dest, after, 1000, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(items) == 0 {
				break
			}
			for _, it := range items {
				pending[it.JID+"/"+it.ID]++
				after = it.Seq
			}
		}
		if len(pending) != len(stored) {
			t.Errorf("%s: %d returns are pending, %d are stored", dest, len(pending), len(stored))
		}
		for k, n := range pending {
			if n != 1 {
				t.Errorf("%s: %s is pending %d times", dest, k, n)
			}
		}
		if rows, _, err := s.OutboxDepth(t.Context(), dest); err != nil || rows != int64(len(stored)) {
			t.Errorf("%s: depth %d, %v; want %d", dest, rows, err, len(stored))
		}
	}
	t.Logf("%d acknowledged, %d stored", len(acked), len(stored))
}

// killInTheMiddle runs a child, kills it after some acknowledgements and adds the numbers
// it printed to acked.
func killInTheMiddle(t *testing.T, dir string, round int, acked map[[2]int]bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), crashDir+"="+dir, "MOM_TEST_CRASH_ROUND="+strconv.Itoa(round))
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	count := 0
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "error") {
			t.Errorf("child: %s", line)
			break
		}
		var from, n int
		if _, err := fmt.Sscan(line, &from, &n); err != nil {
			break // the kill cut off this line
		}
		acked[[2]int{from, n}] = true
		if count++; count == 700+400*round {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if count < 700+400*round {
		t.Errorf("child ended after %d acknowledgements", count)
	}
	_ = cmd.Wait() // killed
}
