package retention

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/returners"
)

// formerBytes is about how much TakeOver stores at a time.
const formerBytes = 1 << 20

// TakeOver stores what an earlier version has kept in a folder of its own, a file for
// each publication, and removes the folder. A publication whose job is not stored was
// never acknowledged, and goes with it.
func TakeOver(ctx context.Context, dir string, jobs returners.Reader, store func(context.Context, returners.Batch) (returners.Result, error)) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("take over the kept publications: %w", err)
	}
	var b returners.Batch
	save := func() error {
		if _, err := store(ctx, b); err != nil {
			return fmt.Errorf("take over the publications of %s: %w", dir, err)
		}
		b = returners.Batch{}
		return nil
	}
	for _, f := range files {
		if !jid.Valid(f.Name()) { // half written
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return fmt.Errorf("take over a kept publication: %w", err)
		}
		_, stored, err := jobs.GetLoad(ctx, f.Name())
		if err != nil {
			return fmt.Errorf("look for job %s: %w", f.Name(), err)
		}
		if stored {
			b.Notes = append(b.Notes, formerNotes(f.Name(), text)...)
		}
		if b.Bytes() < formerBytes && len(b.Notes) < returners.DefaultGroupRows {
			continue
		}
		if err := save(); err != nil {
			return err
		}
	}
	if err := save(); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil { // else it would bring back what is over by then
		return fmt.Errorf("remove the publications that were taken over: %w", err)
	}
	return nil
}

// formerNotes reads a file: a length, the record, and a p if it was published. One that
// was cut off gives none.
func formerNotes(jid string, text []byte) []returners.Note {
	if len(text) < 4 || int64(binary.BigEndian.Uint32(text)) > int64(len(text)-4) {
		return nil
	}
	n := 4 + int(binary.BigEndian.Uint32(text))
	out := []returners.Note{{Kind: returners.NotePublication, JID: jid, Value: text[4:n]}}
	//mutant:former-publications
	if len(text) > n && text[n] == 'p' {
		out = append(out, returners.Note{Kind: returners.NotePublication, JID: jid, Key: returners.KeyPublished})
	}
	return out
}
