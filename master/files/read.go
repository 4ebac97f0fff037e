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

// Counts holds the counters of a [Server].
type Counts struct {
	Chunks, Bytes atomic.Uint64 // served chunks, and their bytes before gzip
	Hashed        atomic.Uint64 // files read for their hash
	Received      atomic.Uint64 // chunks of pushed files
}

// Counts returns the counters of the server.
func (s *Server) Counts() *Counts { return &s.counts }

// Waiting returns the number of waiting chunks, and the bytes in flight: now, and the maximum since
// the start.
func (s *Server) Waiting() (chunks int, now, most int64) { return s.lane.state() }

// Chunk is a part of a file.
type Chunk struct {
	Data []byte
	// Gzip is the level at which Data is compressed, each chunk on its own; 0 means uncompressed.
	Gzip int
	// Done must be called once, when Data is no longer used: its memory is reused.
	Done func()
	// Release must be called once, when everything made from Data is gone. The chunk no longer
	// counts as in flight.
	Release func()
}

// Asker is the client of a request.
type Asker struct {
	ID string
	// Gone reports whether the client has stopped waiting. nil means never.
	Gone func() bool
}

// ErrGone is returned if the client has disconnected.
var ErrGone = errors.New("the requester has disconnected")

// Read reads up to file_buffer_size bytes of a file from offset. At and beyond the end of the file
// the chunk is empty. It blocks while the chunks in flight to all peers exceed file_bytes. level is
// the gzip level, 0 to 9; 0 means uncompressed.
func (s *Server) Read(ctx context.Context, who Asker, f Found, offset int64, level int) (Chunk, error) {
	if offset < 0 {
		return Chunk{}, fmt.Errorf("%s: offset %d is negative", f.Path, offset)
	}
	if level < 0 || level > gzip.BestCompression {
		return Chunk{}, fmt.Errorf("%s: gzip level %d is not from 1 to 9", f.Path, level)
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

// readInto reads into buf from an offset, up to the end of the file.
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
	return buf[:n], nil // the file was truncated meanwhile
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

// maxWhole limits a file that is read as a whole, in bytes. Templates are small.
const maxWhole = 32 << 20

// ReadAll reads a file of at most 32 MiB, for use in the master itself.
func (s *Server) ReadAll(ctx context.Context, f Found) ([]byte, error) {
	if f.Size > maxWhole {
		return nil, fmt.Errorf("%s has %d bytes; the master reads files of at most %d bytes itself", f.Path, f.Size, maxWhole)
	}
	return readChunk(ctx, f, 0, f.Size)
}
