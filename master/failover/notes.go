package failover

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// notesFile holds who has become a guest or stays since registryFile was written, one
// per line: a node that thousands of guests come to at once does not write all of
// them for each.
const notesFile = "guests.notes"

// note writes down at once what a SIGKILL must not undo. home is "" for one that is
// no guest any more, and was by that word. h.mu is held.
func (h *registry) note(id, home string, w word) error {
	f, err := os.OpenFile(h.notes, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("note the guest %s: %w", id, err)
	}
	_, err = fmt.Fprintf(f, "%q %q %q %q %q %d\n", id, home, w.from, w.finger, w.role, w.made)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("note the guest %s: %w", id, err)
	}
	h.noted++
	return nil
}

// readNotes takes up what was noted after the registry's file was written. A line that
// was torn is left out: what it told was not done.
func (h *registry) readNotes() error {
	f, err := os.Open(h.notes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the notes of guests: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		h.noted, h.changed = h.noted+1, true
		var id, home string
		var w word
		n, err := fmt.Sscanf(lines.Text(), "%q %q %q %q %q %d", &id, &home, &w.from, &w.finger, &w.role, &w.made)
		if err != nil && n != 2 { // two are what earlier versions wrote
			continue
		}
		if home == "" {
			delete(h.guests, id)
			if w.from != "" {
				h.adopted[id] = w
			}
		} else {
			h.guests[id] = guest{home: home, since: h.now(), word: w}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the notes of guests: %w", err)
	}
	return nil
}

// dropNotes removes the notes if all of them are in the registry's file, which has
// taken up held of them. h.mu is held.
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
