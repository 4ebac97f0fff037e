package functions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/fileclient"
)

// hashLengths are the hash types of source_hash, with their number of hex digits.
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

// sourceSum parses source_hash: a hash, TYPE=HEX, or a file with hashes.
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

// sumFromFile finds the hash of a source in a file of hashes: on a line with
// source_hash_name, else with the name of the managed file, else with that of the source.
// If no line matches, it is the first hash.
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
	about := []func(line string) bool{
		func(line string) bool {
			n := c.Str("source_hash_name")
			return n != "" && (endsIn(line, n, lineBlanks) || beginsWith(line, n))
		},
		func(line string) bool { return isAbout(line, expand(c.Name()), path.Base(c.Name())) },
		func(line string) bool { return isAbout(line, src, sourceBase(src)) },
	}
	best := len(about) + 1
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		line := strings.TrimSpace(scan.Text())
		match := hashInLine.FindStringSubmatch(line)
		if match == nil || kindOfLength(len(match[1])) == "" {
			continue
		}
		rank := len(about)
		if i := slices.IndexFunc(about, func(fits func(string) bool) bool { return fits(line) }); i >= 0 {
			rank = i
		}
		if rank < best {
			best, sum = rank, strings.ToLower(match[1])
		}
	}
	if err := scan.Err(); err != nil {
		return "", "", fmt.Errorf("%s: %w", hash, err)
	}
	if sum == "" {
		return "", "", badHash(hash)
	}
	return kindOfLength(len(sum)), sum, nil
}

// hashInLine matches the first run of hex digits that may be a hash.
var hashInLine = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])([a-f0-9]{32,128})(?:$|[^a-z0-9])`)

const lineBlanks = " \t\n\r\v\f"

// isAbout reports whether a line of a file of hashes is about a file: it ends with its
// name, or begins with its path.
func isAbout(line, whole, base string) bool {
	return endsIn(line, base, lineBlanks+`\/*`) || beginsWith(line, whole)
}

// endsIn reports whether a line ends with a name after one of the separators.
func endsIn(line, name, separators string) bool {
	before, ok := strings.CutSuffix(line, name)
	return ok && before != "" && strings.IndexByte(separators, before[len(before)-1]) >= 0
}

// beginsWith reports whether a line begins with a name and white space.
func beginsWith(line, name string) bool {
	after, ok := strings.CutPrefix(line, name)
	return ok && after != "" && strings.IndexByte(lineBlanks, after[0]) >= 0
}

// sourceBase returns the file name of a source: the last part of the path of an address.
func sourceBase(src string) string {
	u, err := url.Parse(src)
	switch {
	case err != nil:
		return path.Base(src)
	case u.Path == "":
		return path.Base(u.Host)
	}
	return path.Base(u.Path)
}
