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

// formerBytes is about how many bytes TakeOver commits at once.
const formerBytes = 1 << 20

// TakeOver imports the folder of an earlier version, which held one file per publication, and
// removes it. A publication whose job is not stored was never acknowledged; it is dropped.
func TakeOver(ctx context.Context, dir string, jobs returners.Reader, store func(context.Context, returners.Batch) (returners.Result, error)) error {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("import kept publications: %w", err)
	}
	var b returners.Batch
	save := func() error {
		if _, err := store(ctx, b); err != nil {
			return fmt.Errorf("import publications from %s: %w", dir, err)
		}
		b = returners.Batch{}
		return nil
	}
	for _, f := range files {
		if !jid.Valid(f.Name()) { // a temporary file
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return fmt.Errorf("import kept publication: %w", err)
		}
		_, stored, err := jobs.GetLoad(ctx, f.Name())
		if err != nil {
			return fmt.Errorf("look up job %s: %w", f.Name(), err)
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
	if err := os.RemoveAll(dir); err != nil { // otherwise the next start imports them again
		return fmt.Errorf("remove imported publications: %w", err)
	}
	return nil
}

// formerNotes decodes a file: length, record, and a p if it was published. It returns nil for
// a truncated file.
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
