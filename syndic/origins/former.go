package origins

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/returners"
)

// formerFile held, below cachedir, who asked for jobs before that was kept in the job
// store: a line with a kind, an address and a name.
const formerFile = "syndic_origins"

// takeOver stores what an earlier version has left in that file, of jobs that are
// stored still, and removes it.
func takeOver(ctx context.Context, local Local, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("take over where jobs came from: %w", err)
	}
	defer f.Close()
	var notes []returners.Note
	stored := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); { // what is no line is damage, and not worth a failed start
		kind, rest, _ := strings.Cut(lines.Text(), " ")
		addr, name, _ := strings.Cut(rest, " ")
		if addr == "" || name == "" {
			continue
		}
		if kind == "m" {
			notes = append(notes, returners.Note{Kind: returners.NoteMasterID, Key: name, Value: []byte(addr)})
			continue
		}
		if _, asked := stored[name]; !asked {
			if stored[name], err = isStored(ctx, local.Jobs(), name); err != nil {
				return fmt.Errorf("take over where jobs came from: %w", err)
			}
		}
		//mutant:former-origins
		if !stored[name] { // nothing would ever remove the note
			continue
		}
		owed := Owed(addr, name)
		owed.Gone = kind == "j" // the one before is given
		notes = append(notes, returners.Note{Kind: returners.NoteOrigin, JID: name, Key: addr}, owed)
	}
	if err := local.Note(ctx, notes...); err != nil {
		return fmt.Errorf("take over where jobs came from: %w", err)
	}
	if err := durable.Remove(path); err != nil { // else it would bring back what was given since
		return fmt.Errorf("remove the file of where jobs came from: %w", err)
	}
	return nil
}

// isStored tells whether there is anything of a job.
func isStored(ctx context.Context, jobs returners.Reader, jid string) (bool, error) {
	_, ok, err := jobs.GetLoad(ctx, jid)
	if ok || err != nil {
		return ok, err
	}
	xs, err := jobs.GetExpectations(ctx, jid)
	return len(xs) > 0, err
}
