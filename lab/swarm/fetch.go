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
	// mostFile bounds a file, in bytes, against a master that never ends one.
	mostFile = 64 << 30
	// pieceTries is how often salt-minion asks for a piece that it cannot read.
	pieceTries = 4
	// keptHeld is how many files are remembered, each with the minions that have it.
	keptHeld = 4096
)

// held records which minion has which file, like the cache of salt-minion.
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

// file is the result of a fetch.
type file struct {
	env, path string
	sum       string // "": the master has no such file
	size      int64
}

// hashOf requests the hash of a file, and its stat, as salt-minion does before it fetches a file
// and to find out whether it has to.
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

// copyOf sets what happens to a file that is fetched.
type copyOf struct {
	place string            // identifies the minion's copy
	see   func([]byte)      // called with each piece, which it must not keep; nil: none
	need  func(string) bool // reports whether the content is needed though the minion has the file; nil: never
}

// fetch fetches a file unless the minion has it, and compares it with the hash from the
// master.
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
		return f, fmt.Errorf("salt://%s has the %s %s, the master reported %s", path, cmp.Or(kind, "sha256"), f.sum, sum)
	}
	e.tally.whole++
	e.tally.sums = append(e.tally.sums, f.sum)
	e.swarm.held.put(name, e.i)
	return f, nil
}

// errNoFile means that the master returned neither data nor the name of a file.
var errNoFile = errors.New("the master has no such file")

// piece requests the piece at an offset; an empty piece is the end.
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

// readPiece reads the answer to _serve_file. The result may alias raw.
func readPiece(raw wire.Raw) ([]byte, error) {
	f, err := wire.Pick(raw, wire.Limits{}, "data", "dest", "gzip")
	if err != nil {
		return nil, fmt.Errorf("the answer is not a map: %w", err)
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

// mostPiece bounds an unpacked piece, in bytes.
const mostPiece = 64 << 20

// source returns the path and the environment of salt://path?saltenv=env.
func source(url, env string) (path, in string, err error) {
	rest, ok := strings.CutPrefix(url, "salt://")
	if !ok {
		return "", "", fmt.Errorf("%q is not a file of the master: a swarm fetches only salt://…", url)
	}
	path, query, _ := strings.Cut(rest, "?")
	if name, ok := strings.CutPrefix(query, "saltenv="); ok {
		env = name
	}
	return path, cmp.Or(env, "base"), nil
}

// getFile is cp.get_file: it writes a file to a path of the minion.
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
	case f.sum == "": // Salt's answer, which is not a failure
		return result{value: ""}
	}
	return result{value: cmp.Or(dest, "/var/cache/salt/minion/files/"+env+"/"+path)}
}
