package failover

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// notesFile lists guests that came or stayed since registryFile was written, one per line.
// So a node that thousands of guests move to does not rewrite all of them for each.
const notesFile = "guests.notes"

// appendNote writes what a SIGKILL must not undo. home is "" for a peer that was a guest by
// grant w and now stays. The caller holds h.mu.
func (h *registry) appendNote(id, home string, w grant) error {
	f, err := os.OpenFile(h.notes, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("record guest %s: %w", id, err)
	}
	_, err = fmt.Fprintf(f, "%q %q %q %q %q %d\n", id, home, w.from, w.finger, w.role, w.made)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("record guest %s: %w", id, err)
	}
	h.noted++
	return nil
}

// readNotes applies the notes written after the registry's file. It skips a torn line, whose
// change was not acknowledged.
func (h *registry) readNotes() error {
	f, err := os.Open(h.notes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read notes of guests: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		h.noted, h.changed = h.noted+1, true
		var id, home string
		var w grant
		n, err := fmt.Sscanf(lines.Text(), "%q %q %q %q %q %d", &id, &home, &w.from, &w.finger, &w.role, &w.made)
		if err != nil && n != 2 { // the first format had two fields
			continue
		}
		if home == "" {
			delete(h.guests, id)
			if w.from != "" {
				h.adopted[id] = w
			}
		} else {
			h.guests[id] = guest{home: home, since: h.now(), grant: w}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read notes of guests: %w", err)
	}
	return nil
}

// dropNotes removes the notes if the registry's file holds all of them; held is how many it
// holds. The caller holds h.mu.
func (h *registry) dropNotes(held int) error {
	if held != h.noted || held == 0 {
		return nil
	}
	if err := removeFile(h.notes); err != nil {
		return err
	}
	h.noted = 0
	return nil
}
