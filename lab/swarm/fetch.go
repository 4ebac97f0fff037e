package swarm

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/wire"
)

const (
	// mostFile bounds a file, in bytes: a master that never ends one is told from a large one.
	mostFile = 64 << 30
	// pieceTries is how often salt-minion asks for a piece that it cannot read.
	pieceTries = 4
	// keptHeld is how many files are remembered, each with who has it.
	keptHeld = 4096
)

// held is who has which file from before, as salt-minion has it in its cache.
type held struct {
	mu    sync.Mutex
	files *lru.Guarded[string, *bitset]
}

func newHeld() *held { return &held{files: lru.NewGuarded[string, *bitset](keptHeld, nil)} }

func (h *held) has(file string, i int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	b, ok := h.files.Get(file)
	return ok && i/64 < len(*b) && (*b)[i/64]&(1<<(i%64)) != 0
}

func (h *held) put(file string, i int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b, ok := h.files.Get(file)
	if !ok {
		b = &bitset{}
		h.files.Add(file, b)
	}
	b.add(i)
}

// file is what is known of a file after it was fetched.
type file struct {
	env, path string
	sum       string // "": the master has no such file
	size      int64
}

// hashOf asks for the hash of a file, and what stat says of it, as salt-minion does before
// it fetches one and when it looks whether it has to.
func (e *errand) hashOf(env, path string) (kind, sum string, err error) {
	v, err := e.answer("_file_hash", "path", path, "saltenv", env)
	if err != nil {
		return "", "", err
	}
	m, _ := v.(*wire.Map)
	if sum = m.String("hsum"); sum == "" {
		if v == "" || m != nil && m.Len() == 0 {
			return "", "", nil
		}
		return "", "", fmt.Errorf("_file_hash of %s: the master answers %.60v", path, v)
	}
	_, err = e.answer("_file_find", "path", path, "saltenv", env)
	return m.String("hash_type"), sum, err
}

// copyOf says what becomes of a file that is fetched.
type copyOf struct {
	place string            // tells one copy of the minion's from another
	see   func([]byte)      // is given each piece, which it must not keep; nil: nobody
	need  func(string) bool // the minion has the file of that hash, but the content is needed; nil: it is not
}

// fetch fetches a file, unless the minion has it, and holds it against the hash that the
// master names.
func (e *errand) fetch(env, path string, as copyOf) (f file, err error) {
	f = file{env: env, path: path}
	kind, sum, err := e.hashOf(env, path)
	if err != nil {
		return f, err
	}
	if sum == "" {
		e.tally.absent++
		return f, nil
	}
	name := strings.Join([]string{env, path, as.place, sum}, "\x00")
	if e.swarm.held.has(name, e.i) && (as.need == nil || !as.need(sum)) {
		e.tally.held++
		f.sum = sum
		return f, nil
	}
	h, err := crypt.NewHash(cmp.Or(kind, "sha256"))
	if err != nil {
		return f, fmt.Errorf("_file_hash of %s: %w", path, err)
	}
	for {
		data, err := e.piece(env, path, f.size)
		if errors.Is(err, errNoFile) && f.size == 0 {
			e.tally.absent++
			return f, nil
		}
		if err != nil {
			return f, err
		}
		if len(data) == 0 {
			break
		}
		h.Write(data)
		if as.see != nil {
			as.see(data)
		}
		f.size += int64(len(data))
		e.tally.bytes += int64(len(data))
		if f.size > mostFile {
			return f, fmt.Errorf("salt://%s has more than %d bytes", path, int64(mostFile))
		}
	}
	//mutant:swarm-wrong-hash
	if f.sum = hex.EncodeToString(h.Sum(nil)); f.sum != sum {
		e.tally.wrong++
		return f, fmt.Errorf("salt://%s came with the %s %s, the master had said %s", path, cmp.Or(kind, "sha256"), f.sum, sum)
	}
	e.tally.whole++
	e.tally.sums = append(e.tally.sums, f.sum)
	e.swarm.held.put(name, e.i)
	return f, nil
}

// errNoFile: the master gives neither data nor the name of a file.
var errNoFile = errors.New("the master has no such file")

// piece asks for what comes at an offset; nothing is the end.
func (e *errand) piece(env, path string, at int64) (data []byte, err error) {
	for range pieceTries {
		var raw wire.Raw
		if raw, err = e.ask("_serve_file", "path", path, "saltenv", env, "loc", at); err != nil {
			return nil, err
		}
		if data, err = readPiece(raw); err == nil || errors.Is(err, errNoFile) {
			return data, err
		}
		err = fmt.Errorf("salt://%s from byte %d: %w", path, at, err)
	}
	return nil, err
}

// readPiece reads the answer to _serve_file. What it gives may alias raw.
func readPiece(raw wire.Raw) ([]byte, error) {
	f, err := wire.Pick(raw, wire.Limits{}, "data", "dest", "gzip")
	if err != nil {
		return nil, fmt.Errorf("the answer is no map: %w", err)
	}
	if f[0] == nil {
		return nil, errors.New("the answer has no data")
	}
	data, err := wire.Bytes(f[0])
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if len(data) == 0 {
		if dest, err := wire.Bytes(f[1]); err != nil || len(dest) == 0 {
			return nil, errNoFile
		}
		return nil, nil
	}
	if !wire.Truth(f[2]) {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("a compressed piece: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, mostPiece+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("a compressed piece: %w", err)
	case len(out) == 0 || len(out) > mostPiece:
		return nil, fmt.Errorf("a compressed piece becomes %d bytes: 1 to %d are taken", len(out), mostPiece)
	}
	return out, nil
}

// mostPiece bounds a piece after it was unpacked, in bytes.
const mostPiece = 64 << 20

// source takes the path and the environment out of salt://path?saltenv=env.
func source(url, env string) (path, in string, err error) {
	rest, ok := strings.CutPrefix(url, "salt://")
	if !ok {
		return "", "", fmt.Errorf("%q is no file of the master: a swarm fetches salt://… alone", url)
	}
	path, query, _ := strings.Cut(rest, "?")
	if name, ok := strings.CutPrefix(query, "saltenv="); ok {
		env = name
	}
	return path, cmp.Or(env, "base"), nil
}

// getFile is cp.get_file: the file comes to a place of the minion's.
func (e *errand) getFile() result {
	args, named := e.order.arguments()
	return e.one(argument(args, named, 0, "path"), argument(args, named, 2, "saltenv"), argument(args, named, 1, "dest"))
}

// cacheFile is cp.cache_file.
func (e *errand) cacheFile() result {
	args, named := e.order.arguments()
	return e.one(argument(args, named, 0, "path"), argument(args, named, 1, "saltenv"), "")
}

func (e *errand) one(url, env, dest string) result {
	path, env, err := source(url, env)
	if err != nil {
		return broken(e.order.fun, err)
	}
	f, err := e.fetch(env, path, copyOf{place: dest})
	switch {
	case err != nil:
		return broken(e.order.fun, err)
	case f.sum == "": // Salt's answer, which is no failure
		return result{value: ""}
	}
	return result{value: cmp.Or(dest, "/var/cache/salt/minion/files/"+env+"/"+path)}
}
