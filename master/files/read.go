package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// Counts are the counters of a [Server].
type Counts struct {
	Chunks, Bytes atomic.Uint64 // served, and their bytes before gzip
	Hashed        atomic.Uint64 // files read for their hash
	Received      atomic.Uint64 // chunks of pushed files
}

// Counts counts what has been done.
func (s *Server) Counts() *Counts { return &s.counts }

// Waiting is how many chunks wait for their turn, and the bytes of those on their way now
// and at most since the start.
func (s *Server) Waiting() (chunks int, now, most int64) { return s.lane.state() }

// Chunk is a piece of a file.
type Chunk struct {
	Data []byte
	// Gzip is the level by which Data is compressed, each chunk for itself; 0: it is not.
	Gzip int
	// Done is called once, when Data is not needed any more: another chunk may get its memory.
	Done func()
	// Release is called once, when what was made of it is not needed any more either: it does
	// not count among those on their way then.
	Release func()
}

// Asker is who a chunk is for.
type Asker struct {
	ID string
	// Gone tells that nobody waits for the answer any more; nil: somebody does.
	Gone func() bool
}

// ErrGone says that who has asked has hung up meanwhile.
var ErrGone = errors.New("who asked for it has hung up")

// Read reads up to file_buffer_size bytes of a file from an offset. Nothing is left at and
// beyond its end. It waits for its turn: chunks that are on their way to all peers together
// stay within the bound file_bytes. level is that of gzip, 0 to 9; 0: none.
func (s *Server) Read(ctx context.Context, who Asker, f Found, offset int64, level int) (Chunk, error) {
	if offset < 0 {
		return Chunk{}, fmt.Errorf("%s: offset %d is negative", f.Path, offset)
	}
	if level < 0 || level > gzip.BestCompression {
		return Chunk{}, fmt.Errorf("%s: gzip level %d is not of 1 to 9", f.Path, level)
	}
	want := min(int64(s.cfg.FileBufferSize), f.Size-offset)
	if want <= 0 {
		return Chunk{Done: func() {}, Release: func() {}}, nil
	}
	release, err := s.lane.take(ctx, who.ID, want)
	if err != nil {
		return Chunk{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	if who.Gone != nil && who.Gone() {
		release()
		return Chunk{}, ErrGone
	}
	room, _ := s.rooms.Get().(*[]byte)
	if room == nil || int64(cap(*room)) < want {
		room = new([]byte)
		*room = make([]byte, want)
	}
	done := func() { s.rooms.Put(room) }
	data, err := readInto(ctx, (*room)[:want], f, offset)
	if err == nil && level > 0 && len(data) > 0 {
		data, err = squeeze(data, level)
	}
	if err != nil {
		done()
		release()
		return Chunk{}, fmt.Errorf("read %s: %w", f.Path, err)
	}
	s.counts.Chunks.Add(1)
	s.counts.Bytes.Add(uint64(want))
	return Chunk{Data: data, Gzip: level, Done: done, Release: release}, nil
}

func readChunk(ctx context.Context, f Found, offset, want int64) ([]byte, error) {
	return readInto(ctx, make([]byte, want), f, offset)
}

// readInto reads a piece into buf, as far as there is one.
func readInto(ctx context.Context, buf []byte, f Found, offset int64) ([]byte, error) {
	c, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	n, err := c.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return buf[:n], nil // shorter: the file has become shorter meanwhile
}

func squeeze(data []byte, level int) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// maxWhole bounds a file that is read as a whole, in bytes: a template, not an archive.
const maxWhole = 32 << 20

// ReadAll reads a file of at most 32 MiB, for the master itself.
func (s *Server) ReadAll(ctx context.Context, f Found) ([]byte, error) {
	if f.Size > maxWhole {
		return nil, fmt.Errorf("%s has %d bytes; the master reads files of at most %d bytes itself", f.Path, f.Size, maxWhole)
	}
	return readChunk(ctx, f, 0, f.Size)
}
