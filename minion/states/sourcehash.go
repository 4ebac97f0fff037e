package states

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/momtree/mom/minion/fileclient"
)

// hashLengths are the hashes that source_hash may have, with their hex digits.
var hashLengths = []struct {
	kind   string
	length int
}{{"sha512", 128}, {"sha384", 96}, {"sha256", 64}, {"sha224", 56}, {"sha1", 40}, {"md5", 32}}

var hexDigits = regexp.MustCompile(`^[0-9a-fA-F]+$`)

func kindOfLength(n int) string {
	for _, h := range hashLengths {
		if h.length == n {
			return h.kind
		}
	}
	return ""
}

func lengthOfKind(kind string) int {
	for _, h := range hashLengths {
		if h.kind == kind {
			return h.length
		}
	}
	return 0
}

func badHash(hash string) error {
	return sourceErrorf("Source hash %s format is invalid. The supported formats are: 1) a hash, 2) an expression in the format <hash_type>=<hash>, "+
		"or 3) either a path to a local file containing hashes, or a URI of a remote hash file. Supported protocols for remote hash files are: "+
		"salt, file, http, https, ftp, swift, s3. The hash may also not be of a valid length, the following are supported hash types and lengths: "+
		"md5 (32), sha1 (40), sha224 (56), sha256 (64), sha384 (96), sha512 (128).", hash)
}

// sourceSum reads source_hash: a hash, TYPE=HEX, or a file with hashes.
func (c *Call) sourceSum(ctx context.Context, src, hash string) (kind, sum string, err error) {
	scheme := schemeOf(hash)
	if filepath.IsAbs(hash) || scheme != "" {
		return c.sumFromFile(ctx, src, hash, scheme)
	}
	kind, sum, named := strings.Cut(hash, "=")
	kind, sum = strings.TrimSpace(kind), strings.ToLower(strings.TrimSpace(sum))
	if !named {
		kind, sum = kindOfLength(len(hash)), strings.ToLower(hash)
		if !hexDigits.MatchString(hash) || kind == "" {
			return "", "", badHash(hash)
		}
		return kind, sum, nil
	}
	want := lengthOfKind(kind)
	switch {
	case want == 0:
		var kinds []string
		for _, h := range hashLengths {
			kinds = append(kinds, h.kind)
		}
		return "", "", sourceErrorf("Invalid hash type '%s'. Supported hash types are: %s. Either remove the hash type and simply use '%s' as the source_hash, "+
			"or change the hash type to a supported type.", kind, strings.Join(kinds, ", "), sum)
	case kindOfLength(len(sum)) == "" || !hexDigits.MatchString(sum):
		return "", "", badHash(hash)
	case len(sum) != want:
		return "", "", sourceErrorf("Invalid length (%d) for hash type '%s'. Either remove the hash type and simply use '%s' as the source_hash, "+
			"or change the hash type to '%s'", len(sum), kind, sum, kindOfLength(len(sum)))
	}
	return kind, sum, nil
}

// sumFromFile finds the hash of a source in a file of hashes: a line with the name of
// the source (source_hash_name, the name of the state, the end of the address), or the
// only hash there is.
func (c *Call) sumFromFile(ctx context.Context, src, hash, scheme string) (kind, sum string, err error) {
	file := hash
	if scheme != "" {
		file, err = c.Env.Files().Cache(ctx, hash, c.want())
		if errors.Is(err, fs.ErrNotExist) {
			return "", "", sourceErrorf("Source hash file %s not found", hash)
		}
		if err != nil {
			return "", "", sourceErrorf("Source hash file %s: %v", fileclient.Redact(hash), err)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return "", "", sourceErrorf("Source hash file %s: %v", hash, err)
	}
	defer f.Close()
	names := []string{path.Base(c.Name()), path.Base(src)}
	if n := c.Str("source_hash_name"); n != "" {
		names = []string{n}
	}
	var only string
	count := 0
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		words := strings.FieldsFunc(scan.Text(), func(r rune) bool { return strings.ContainsRune(" \t=()", r) })
		found := ""
		for _, w := range words {
			if hexDigits.MatchString(w) && kindOfLength(len(w)) != "" {
				found = strings.ToLower(w)
			}
		}
		if found == "" {
			continue
		}
		only = found
		count++
		for _, w := range words {
			for _, n := range names {
				w = strings.TrimPrefix(strings.TrimPrefix(w, "*"), "./")
				if w == n || path.Base(w) == n && c.Str("source_hash_name") == "" {
					return kindOfLength(len(found)), found, nil
				}
			}
		}
	}
	if err := scan.Err(); err != nil {
		return "", "", fmt.Errorf("%s: %w", hash, err)
	}
	if count == 1 && c.Str("source_hash_name") == "" {
		return kindOfLength(len(only)), only, nil
	}
	return "", "", badHash(hash)
}
