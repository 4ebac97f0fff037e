package jobstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/returners"
)

// formerFolders held an empty file per job before notes were stored in the job store.
var formerFolders = map[string]string{"open_jobs": returners.NoteOpen, "untold_jobs": returners.NoteUnreported}

// TakeOver imports the marks of an earlier version from folders below cachedir, and removes them.
func (s *Store) TakeOver(ctx context.Context, cachedir string) error {
	for name, kind := range formerFolders {
		dir := filepath.Join(cachedir, name)
		files, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("import marks of jobs: %w", err)
		}
		var b returners.Batch
		for _, f := range files {
			if jid.Valid(f.Name()) {
				b.Notes = append(b.Notes, returners.Note{Kind: kind, JID: f.Name()})
			}
		}
		if _, err := s.Save(ctx, b); err != nil {
			return fmt.Errorf("import marks of jobs from %s: %w", dir, err)
		}
		if err := os.RemoveAll(dir); err != nil { // otherwise the next start reopens closed jobs
			return fmt.Errorf("remove imported marks of jobs: %w", err)
		}
	}
	return nil
}
