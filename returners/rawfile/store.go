package rawfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Name is the name of this returner in the configuration.
const Name = "rawfile_json"

const (
	fileOption  = Name + ".filename"
	defaultFile = "/var/log/salt/events"
	// fileMode is the mode of a new file: its group may read it, as programs that ship logs do.
	fileMode = 0o640
	// lockPause is how long to wait before another attempt to lock the file.
	lockPause = 20 * time.Millisecond
)

func init() {
	returners.Register(returners.Driver{
		Name: Name, Events: true, Options: []string{fileOption}, Open: open,
		Check: func(o returners.Options) error {
			_, err := open(context.Background(), o)
			return err
		},
		Doc: `
Appends each event or return to a file, as a line of JSON.

rawfile_json.filename : /var/log/salt/events
    The file. A new one has mode 0640; its directory must exist. It may be rotated at any time.

    salt '*' test.ping --return rawfile_json
`,
	})
}

// Store is the returner. It is safe for concurrent use.
type Store struct {
	path   string
	closed atomic.Bool
}

var (
	_ returners.Saver      = (*Store)(nil)
	_ returners.EventSaver = (*Store)(nil)
)

func open(_ context.Context, o returners.Options) (returners.Saver, error) {
	switch path := o.Value(fileOption).(type) {
	case nil:
		return &Store{path: defaultFile}, nil
	case string:
		if path != "" {
			return &Store{path: path}, nil
		}
	}
	return nil, fmt.Errorf("%s returner: %s must be the path of a file", Name, fileOption)
}

// Name is "rawfile_json".
func (s *Store) Name() string { return Name }

// Close makes later writes fail. No file is open between two writes.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}

// Ping opens the file, which creates it.
func (s *Store) Ping(context.Context) error {
	f, err := s.openFile()
	if err != nil {
		return err
	}
	return f.Close()
}

// SaveReturns appends whole returns, as Salt's returner does.
func (s *Store) SaveReturns(ctx context.Context, rets []returners.Return) error {
	var lines bytes.Buffer
	for i := range rets {
		b, err := toJSON(rets[i].Full)
		if err != nil {
			return fmt.Errorf("%s: return of %s to job %s: %w: %w", Name, rets[i].ID, rets[i].JID, returners.ErrRejected, err)
		}
		lines.Write(b)
		lines.WriteByte('\n')
	}
	return s.add(ctx, lines.Bytes())
}

// SaveEvents appends events as {"data": …, "tag": …}.
func (s *Store) SaveEvents(ctx context.Context, events []returners.Event) error {
	var lines bytes.Buffer
	for i := range events {
		e := &events[i]
		tag, err := wire.Encode(e.Tag)
		var name, data []byte
		if err == nil {
			name, err = toJSON(tag)
		}
		if err == nil {
			data, err = toJSON(e.Data)
		}
		if err != nil {
			return fmt.Errorf("%s: event %s: %w: %w", Name, e.Tag, returners.ErrRejected, err)
		}
		fmt.Fprintf(&lines, `{"data": %s, "tag": %s}`+"\n", data, name)
	}
	return s.add(ctx, lines.Bytes())
}

func toJSON(raw wire.Raw) ([]byte, error) {
	if len(raw) == 0 {
		return []byte("null"), nil
	}
	return wire.ToJSON(raw)
}

func (s *Store) openFile() (*os.File, error) {
	if s.closed.Load() {
		return nil, fmt.Errorf("%s %s: %w", Name, s.path, returners.ErrClosed)
	}
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, fileMode)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EINVAL) { // a device that cannot be read
		f, err = os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, fileMode)
	}
	if err != nil {
		return nil, s.fault("open the file", err)
	}
	return f, nil
}

// fault adds what was done, and whether the disk is full.
func (s *Store) fault(doing string, err error) error {
	kind := returners.ErrUnavailable
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		kind = returners.ErrFull
	}
	return fmt.Errorf("%s: %s: %w: %w", Name, doing, kind, err)
}

// add appends lines to the file, all or none.
func (s *Store) add(ctx context.Context, lines []byte) (err error) {
	if len(lines) == 0 {
		return nil
	}
	f, err := s.openFile()
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil { // releases the lock, too
			err = s.fault("close "+s.path, cerr)
		}
	}()
	for {
		locked, err := lock(f)
		if err != nil {
			return s.fault("lock "+s.path, err)
		}
		if locked {
			break
		}
		if err := timing.Sleep(ctx, lockPause); err != nil {
			return fmt.Errorf("%s: wait for the lock of %s: %w", Name, s.path, err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		return s.fault("look at "+s.path, err)
	}
	if !info.Mode().IsRegular() { // such as /dev/stdout
		if _, err := f.Write(lines); err != nil {
			return s.fault("write to "+s.path, err)
		}
		return nil
	}
	if torn(f, info.Size()) {
		lines = append([]byte{'\n'}, lines...)
	}
	_, err = f.Write(lines)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		//mutant:rawfile-no-torn-line
		_ = f.Truncate(info.Size()) // otherwise the next write begins a new line
		return s.fault("write to "+s.path, err)
	}
	return nil
}

// torn reports whether the file does not end with a line break, as after a crash.
func torn(f *os.File, size int64) bool {
	var last [1]byte
	if size == 0 {
		return false
	}
	_, err := f.ReadAt(last[:], size-1)
	return err == nil && last[0] != '\n'
}
