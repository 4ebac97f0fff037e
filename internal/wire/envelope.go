package wire

import "strconv"

// Envelope is the outer map of a request, of an unencrypted reply, and of a publication (Salt
// wire reference §4, §10.2).
type Envelope struct {
	Enc        string // "clear", "aes" or "pub"
	Load       Raw    // field `load`, undecoded; a map in unencrypted requests
	Cipher     []byte // the bytes of load when Enc is "aes"
	Version    int    // request protocol, 0 if absent
	HasVersion bool
	ID         string // the sender, version 3 only
	EncAlgo    string
	SigAlgo    string
	Sig        []byte
}

// Encrypted reports whether the load is a ciphertext; any enc other than "aes" is handled as
// clear.
func (e Envelope) Encrypted() bool { return e.Enc == "aes" }

// ParseEnvelope decodes an envelope. enc and load are required; version may be an int or a
// decimal string; unknown fields are ignored. Load, Cipher and Sig alias b.
func ParseEnvelope(b []byte) (Envelope, error) {
	var e Envelope
	var hasEnc bool
	it := openMap(b)
	for it.next() {
		var err error
		switch string(it.key) {
		case "enc":
			hasEnc = true
			e.Enc, err = constant(it.val)
		case "load":
			e.Load = it.val
		case "version":
			var v int64
			v, err = Int(it.val)
			e.Version, e.HasVersion = int(v), true
		case "id":
			e.ID, err = Str(it.val)
		case "enc_algo":
			e.EncAlgo, err = constant(it.val)
		case "sig_algo":
			e.SigAlgo, err = constant(it.val)
		case "sig":
			e.Sig, err = Bytes(it.val)
		}
		if err != nil {
			return Envelope{}, inField("outer", string(it.key), err)
		}
	}
	switch {
	case it.err != nil:
		return Envelope{}, it.err
	case !hasEnc:
		return Envelope{}, missing("outer", "enc")
	case e.Load == nil:
		return Envelope{}, missing("outer", "load")
	}
	if e.Encrypted() {
		var err error
		if e.Cipher, err = Bytes(e.Load); err != nil {
			return Envelope{}, inField("outer", "load", err)
		}
	}
	return e, nil
}

// Encode encodes the fields that are set, in Salt's order.
func (e Envelope) Encode() ([]byte, error) {
	if e.Enc == "" {
		return nil, missing("outer", "enc")
	}
	w := newLoad(96 + len(e.Cipher) + len(e.Load) + len(e.Sig))
	w.str("enc", e.Enc)
	switch {
	case e.Encrypted() && e.Cipher != nil:
		w.bytes("load", e.Cipher)
	case len(e.Load) > 0:
		w.raw("load", e.Load)
	default:
		return nil, missing("outer", "load")
	}
	if e.HasVersion || e.Version != 0 {
		w.int("version", int64(e.Version))
	}
	w.text("id", e.ID)
	w.text("enc_algo", e.EncAlgo)
	w.text("sig_algo", e.SigAlgo)
	w.optBytes("sig", e.Sig)
	return w.done(), nil
}

// constant is Str for fields with one of a few values, for which it does not allocate.
func constant(r Raw) (string, error) {
	b, err := Bytes(r)
	if err != nil {
		return "", err
	}
	for _, s := range &constants {
		if string(b) == s {
			return s, nil
		}
	}
	return string(b), nil
}

var constants = [...]string{
	"aes", "clear", "OAEP-SHA1", "PKCS1v15-SHA1", "OAEP-SHA224", "PKCS1v15-SHA224",
	"_return", "_syndic_return", "_minion_event", "publish", "highstate", "nested",
	"glob", "list", "compound", "root", "",
}

// optStr is Str for a field that may be None.
func optStr(r Raw) (string, error) {
	if IsNil(r) {
		return "", nil
	}
	return constant(r)
}

// jidText reads a job id: a string, an int as some callers send it, or None.
func jidText(r Raw) (string, error) {
	if KindOf(r) != Integer {
		return optStr(r)
	}
	if _, err := only(r); err != nil {
		return "", err
	}
	v, big := number(r, 0)
	if big {
		return strconv.FormatUint(uint64(v), 10), nil
	}
	return strconv.FormatInt(v, 10), nil
}
