package sibling

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Command is the request by which a peer asks its master for its siblings.
const Command = "_siblings"

// Changed is the subject of a Change (internal/nodecall) that reports a changed answer to [Command].
const Changed = "siblings"

const (
	// maxNodes bounds a list, maxText each text in it in bytes.
	maxNodes = 4096
	maxText  = 4096
)

// ErrBad is wrapped by errors about a list or voucher that is invalid or not trusted.
var ErrBad = errors.New("not to be believed")

// Node is a node directly below a master.
type Node struct {
	ID   string
	Host string
	Port int    // for requests
	Pub  string // its master's public key, PEM
	// Up reports whether the node was connected when the list was made. Draining reports that
	// its minions should leave it: nobody should move to it.
	Up, Draining bool
}

// Check returns an error if no such node can exist.
func (n Node) Check() error {
	bad := func(why string) error { return fmt.Errorf("node %.100q: %w: %s", n.ID, ErrBad, why) }
	switch {
	case n.ID == "" || n.Host == "":
		return bad("it has no id or no host")
	case n.Port < 1 || n.Port > 65535:
		return bad(fmt.Sprintf("its port is %d, must be 1 to 65535", n.Port))
	case len(n.ID)+len(n.Host)+len(n.Pub) > maxText:
		return bad(fmt.Sprintf("id, host and key have more than %d bytes", maxText))
	case strings.ContainsFunc(n.ID+n.Host, func(r rune) bool { return !unicode.IsPrint(r) || r == '/' || r == '\\' }):
		return bad("its id or host holds characters that none has")
	}
	return nil
}

// Addr returns host:port.
func (n Node) Addr() string { return net.JoinHostPort(n.Host, strconv.Itoa(n.Port)) }

// List describes the nodes directly below a master.
type List struct {
	Parent string // its id
	At     time.Time
	Nodes  []Node
	// Left has the reasons why entries were skipped when the list was read.
	Left []error
}

// Find returns the node with an id.
func (l List) Find(id string) (Node, bool) {
	for _, n := range l.Nodes {
		if n.ID == id {
			return n, true
		}
	}
	return Node{}, false
}

// Signed is a list in the form in which it is sent: its bytes, and the signature of the master that made it.
type Signed struct {
	Body, Sig []byte
	// Pub is the public key of that master, PEM. A node has it from its sign-in there; a minion
	// gets it from its node.
	Pub string
}

const alg = crypt.PKCS1SHA224

// Sign encodes and signs a list.
func (l List) Sign(priv *rsa.PrivateKey, pub string) (Signed, error) {
	nodes := make([]any, 0, len(l.Nodes))
	for _, n := range l.Nodes {
		nodes = append(nodes, wire.NewMap("id", n.ID, "host", n.Host, "port", n.Port, "pub", n.Pub, "up", n.Up, "draining", n.Draining))
	}
	body, err := wire.Encode(wire.NewMap("kind", "siblings", "parent", l.Parent, "at", l.At.Unix(), "nodes", nodes))
	if err != nil {
		return Signed{}, fmt.Errorf("encode the list of siblings: %w", err)
	}
	sig, err := crypt.Sign(alg, priv, body)
	if err != nil {
		return Signed{}, fmt.Errorf("sign the list of siblings: %w", err)
	}
	return Signed{Body: body, Sig: sig, Pub: pub}, nil
}

// Open checks the signature and decodes the list.
func (t Signed) Open() (List, error) {
	pub, err := crypt.ParsePublicPEM(t.Pub)
	if err != nil {
		return List{}, fmt.Errorf("list of siblings: %w: %w", ErrBad, err)
	}
	if err := crypt.Verify(alg, pub, t.Body, t.Sig); err != nil {
		return List{}, fmt.Errorf("list of siblings: %w: %w", ErrBad, err)
	}
	return readList(t.Body)
}

func readList(body []byte) (List, error) {
	d, err := wire.DecodeMap(body)
	if err != nil {
		return List{}, fmt.Errorf("list of siblings: %w: %w", ErrBad, err)
	}
	nodes := d.List("nodes")
	if d.String("kind") != "siblings" || len(nodes) > maxNodes {
		return List{}, fmt.Errorf("list of siblings: %w: it is no such list, or has more than %d nodes", ErrBad, maxNodes)
	}
	l := List{Parent: d.String("parent"), At: time.Unix(d.Int("at"), 0)}
	for _, v := range nodes {
		m, ok := v.(*wire.Map)
		if !ok {
			l.Left = append(l.Left, fmt.Errorf("%w: a node is not a map", ErrBad))
			continue
		}
		n := Node{
			ID: m.String("id"), Host: m.String("host"), Port: int(m.Int("port")), Pub: m.String("pub"),
			Up: m.Bool("up"), Draining: m.Bool("draining"),
		}
		if err := n.Check(); err != nil { // skip this node only
			//mutant:sibling-list-bad-entry
			l.Left = append(l.Left, err)
			continue
		}
		l.Nodes = append(l.Nodes, n)
	}
	return l, nil
}

// Sum returns a checksum of lists. A peer sends it with its question, and is not sent the same
// lists again. Without lists it returns "".
func Sum(signed ...Signed) string {
	if len(signed) == 0 {
		return ""
	}
	h := sha256.New()
	for _, t := range signed {
		_, _ = h.Write(t.Body) // never fails
		_, _ = h.Write(t.Sig)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Map returns the signed list for a request or a file.
func (t Signed) Map() *wire.Map {
	return wire.NewMap("body", t.Body, "sig", t.Sig, "pub", t.Pub)
}

// ReadSigned reads signed lists from a request or a file and checks each. It skips the invalid
// ones and reports them in err.
func ReadSigned(vs []any) (signed []Signed, lists []List, err error) {
	var errs []error
	for i, v := range vs {
		m, ok := v.(*wire.Map)
		if !ok || i >= 64 {
			errs = append(errs, fmt.Errorf("list of siblings: %w: not a map, or beyond the limit", ErrBad))
			break
		}
		t := Signed{Body: m.Bytes("body"), Sig: m.Bytes("sig"), Pub: m.String("pub")}
		l, err := t.Open()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		signed, lists = append(signed, t), append(lists, l)
	}
	return signed, lists, errors.Join(errs...)
}
