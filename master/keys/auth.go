package keys

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"unicode/utf8"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Plain replies: texts instead of a map, which make a Python peer restart its sign-in.
const (
	PlainBadLoad = "bad load"
	PlainNotMap  = "payload and load must be a dict"
	PlainNUL     = "bad load: id contains a null byte"
	PlainFault   = "Some exception handling minion payload"
)

// BadLoad is the error of a load that is answered with a plain text.
type BadLoad struct {
	Reply string // one of the plain texts
	Why   string // for the log
}

func (e *BadLoad) Error() string { return "sign-in load: " + e.Why }

// authLimits bounds what a stranger may send to sign in: a key, a nonce, a token and the grains of
// autosign_grains take a few kilobytes.
var authLimits = wire.Limits{MaxBytes: MaxAuth, MaxNodes: 2048}

// MaxAuth is the largest load of a sign-in in bytes.
const MaxAuth = 64 << 10

// Auth is the load of an `_auth` request.
type Auth struct {
	Version  int          // of the request protocol, from the envelope
	From     netip.Prefix // the source that its new key is counted under, not of the load
	ID       string
	Nonce    string // version 2 and up
	EncAlgo  string // OAEP-SHA1 where the peer names none
	SigAlgo  string // PKCS1v15-SHA1 where the peer names none
	Token    []byte // the peer's challenge under the master's key
	HasToken bool
	Pub      string    // PEM text, as sent
	Grains   *wire.Map // autosign_grains, nil when none were sent
	Voucher  []byte    // mom_voucher: the word of another node, none as a rule
}

// ParseAuth decodes an `_auth` load. The error is always a [*BadLoad], which holds the reply. It
// rejects a request of version 2 and up without a nonce, since that cannot be answered.
func ParseAuth(load wire.Raw, version int) (Auth, error) {
	a := Auth{Version: version, EncAlgo: crypt.OAEPSHA1, SigAlgo: crypt.PKCS1SHA1}
	if !wire.IsMap(load) {
		return a, &BadLoad{PlainNotMap, "it is a " + wire.KindOf(load).String()}
	}
	//mutant:sign-in-values
	if err := wire.Scan(load, authLimits); err != nil {
		return a, &BadLoad{PlainBadLoad, err.Error()}
	}
	var id, nonce, pub, grains wire.Raw
	err := wire.Fields(load, func(key string, val wire.Raw) (err error) {
		switch key {
		case "id":
			id = val
		case "nonce":
			nonce = val
		case "pub":
			pub = val
		case "enc_algo":
			a.EncAlgo, err = wire.Str(val)
		case "sig_algo":
			a.SigAlgo, err = wire.Str(val)
		case "token":
			a.HasToken = true
			a.Token, err = wire.Bytes(val)
		case "autosign_grains":
			grains = val
		case "mom_voucher":
			a.Voucher, err = wire.Bytes(val)
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", key, err)
		}
		return nil
	})
	if err == nil {
		err = a.setID(id)
	}
	if err == nil {
		err = a.setTexts(nonce, pub)
	}
	if err == nil && wire.IsMap(grains) {
		a.Grains, err = wire.DecodeMap(grains)
	}
	if bad := (*BadLoad)(nil); err != nil && !errors.As(err, &bad) {
		err = &BadLoad{PlainFault, err.Error()}
	}
	return a, err
}

func (a *Auth) setID(id wire.Raw) error {
	if id == nil {
		return errors.New("field id is missing")
	}
	//mutant:cve2017-14696-kind
	text, err := wire.Str(id)
	if err != nil || !utf8.ValidString(text) {
		shown := pyText(id)
		return &BadLoad{"bad load: id " + shown + " is not a string", "id " + shown + " is not a text"}
	}
	for i := range len(text) {
		//mutant:cve2017-14696-nul
		if text[i] == 0 {
			return &BadLoad{PlainNUL, "id holds a null byte"}
		}
	}
	a.ID = text
	return nil
}

func (a *Auth) setTexts(nonce, pub wire.Raw) (err error) {
	if pub == nil {
		return errors.New("field pub is missing")
	}
	if a.Pub, err = wire.Str(pub); err != nil {
		return fmt.Errorf("field pub: %w", err)
	}
	//mutant:denied-key-size
	if len(a.Pub) > maxPubBytes { // before it is stored or logged
		return &BadLoad{PlainBadLoad, fmt.Sprintf("field pub has %d bytes, at most %d", len(a.Pub), maxPubBytes)}
	}
	if a.Version < 2 {
		return nil
	}
	if nonce == nil {
		return errors.New("field nonce is missing, version 2 needs it")
	}
	if a.Nonce, err = wire.Nonce(nonce); err != nil { // it is signed for whoever asks
		return &BadLoad{PlainBadLoad, "field nonce: " + err.Error()}
	}
	return nil
}

// maxShown bounds the text of an invalid value in a reply, in bytes.
const maxShown = 256

// pyText formats a value that should have been a text like Python, as far as that is simple.
func pyText(r wire.Raw) string {
	v, err := wire.Decode(r)
	if err != nil {
		return "?"
	}
	if s, ok := scalarText(v); ok {
		return s
	}
	if s, ok := v.(string); ok {
		return strconv.QuoteToASCII(s)
	}
	if b, err := wire.ToJSON(r); err == nil && len(b) <= maxShown {
		return string(b)
	}
	return wire.KindOf(r).String()
}
