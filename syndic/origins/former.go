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

// formerFile is the file in cachedir that earlier versions used instead of notes in the job store.
// Each line has a kind, an address and a name.
const formerFile = "syndic_origins"

// importFormer moves the contents of formerFile into notes, for jobs that are still stored, and
// removes the file.
func importFormer(ctx context.Context, local Local, path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("import syndic_origins: %w", err)
	}
	defer f.Close()
	var notes []returners.Note
	stored := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); { // invalid lines are skipped: they must not prevent a start
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
				return fmt.Errorf("import syndic_origins: %w", err)
			}
		}
		//mutant:former-origins
		if !stored[name] { // nothing would ever remove the note
			continue
		}
		pending := PendingNote(addr, name)
		pending.Gone = kind == "j" // a job note ends the pending note before it
		notes = append(notes, returners.Note{Kind: returners.NoteOrigin, JID: name, Key: addr}, pending)
	}
	if err := local.Note(ctx, notes...); err != nil {
		return fmt.Errorf("import syndic_origins: %w", err)
	}
	if err := durable.Remove(path); err != nil { // otherwise the next start would restore notes removed since
		return fmt.Errorf("remove syndic_origins: %w", err)
	}
	return nil
}

// isStored reports whether anything of a job is stored.
func isStored(ctx context.Context, jobs returners.Reader, jid string) (bool, error) {
	_, ok, err := jobs.GetLoad(ctx, jid)
	if ok || err != nil {
		return ok, err
	}
	xs, err := jobs.GetExpectations(ctx, jid)
	return len(xs) > 0, err
}
