package channel

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// sharedKeys are the keys that a master shares with all of its minions.
var sharedKeys parsed[*crypt.Crypticle]

// question is the content of a sign-in request, against which its reply is checked.
type question struct {
	nonce  string
	pinned *pin // nil on first contact; otherwise a challenge was sent
}

// grant is an accepting reply that has passed every check.
type grant struct {
	master      *pin
	learned     bool // master is not in the file yet
	version     int
	publishPort int
	aes         string
	session     string
	shared      *crypt.Crypticle
	private     *crypt.Crypticle
}

func (g grant) credentials() *credentials {
	return &credentials{
		Result: Result{
			Version: g.version, PublishPort: g.publishPort, MasterPub: g.master.pem,
			AES: g.aes, Session: g.session, Changed: true,
		},
		shared: g.shared, private: g.private, serial: new(serials), masterKey: g.master.key, masterSum: g.master.sum,
	}
}

// answer is a parsed but unchecked sign-in reply.
type answer struct {
	text   string    // set if the reply is plain text
	signed []byte    // the signed bytes; nil for an unsigned reply
	sig    []byte    //
	inner  *wire.Map // the load
}

// parseAnswer parses a sign-in reply.
func parseAnswer(body []byte) (answer, error) {
	if text, err := wire.Str(body); err == nil {
		return answer{text: text}, nil
	}
	var a answer
	var load wire.Raw
	err := wire.Fields(body, func(key string, val wire.Raw) (err error) {
		switch key {
		case "load":
			load = val
		case "sig":
			a.sig, err = wire.Bytes(val)
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if load == nil {
		return answer{}, errors.New("no field load")
	}
	if a.signed, err = wire.Bytes(load); err == nil {
		load = a.signed
	} else {
		a.signed = nil
	}
	if a.inner, err = wire.DecodeMap(load); err != nil {
		return answer{}, fmt.Errorf("field load: %w", err)
	}
	return a, nil
}

// judge runs the checks of Salt wire reference §6.3 in order. It writes nothing: a key is
// pinned only after the whole reply has passed.
func (c *Channel) judge(body []byte, q question) (grant, error) {
	const op = "sign in"
	refuse := func(reason error, detail, hint string) (grant, error) {
		return grant{}, c.fail(op, reason, detail, hint)
	}
	a, err := parseAnswer(body)
	switch {
	case err != nil:
		return refuse(ErrBadReply, err.Error(), "check that a Salt master listens there")
	case a.text != "" || a.inner == nil:
		return refuse(ErrRefused, quote(a.text), "the master wants another protocol version or id: look at its log and its minimum_auth_version")
	case a.signed == nil:
		return grant{}, c.unsigned(a.inner, q)
	}

	g := grant{master: q.pinned}
	pub, accepted := a.inner.Get("pub_key")
	if accepted {
		text, _ := pub.(string)
		if err := c.checkKey(&g, text, a.inner, q); err != nil {
			return grant{}, err
		}
		if err := c.openKeys(&g, a.inner, q); err != nil {
			return grant{}, err
		}
	}
	if g.master != nil {
		if err := crypt.Verify(c.cfg.SigningAlgorithm, g.master.key, a.signed, a.sig); err != nil {
			return refuse(ErrBadSignature, "of the reply: "+err.Error(),
				"another master may answer there; if its key was changed on purpose, remove "+c.cfg.pinPath())
		}
	}
	if got := a.inner.String("nonce"); subtle.ConstantTimeCompare([]byte(got), []byte(q.nonce)) != 1 {
		return refuse(ErrBadNonce, "", "")
	}
	if ret, ok := a.inner.Get("ret"); ok || !accepted {
		return grant{}, c.notAccepted(ret)
	}
	if err := c.checkFinger(g.master); err != nil {
		return grant{}, err
	}
	g.publishPort = int(a.inner.Int("publish_port"))
	if g.publishPort < 1 || g.publishPort > 65535 {
		return refuse(ErrBadReply, fmt.Sprintf("publish_port %d", g.publishPort), "")
	}
	return g, nil
}

// unsigned returns the error for a reply without signature. No such reply is accepted. If the
// master's key is pinned, none is decisive either, because anybody on the way can send it.
func (c *Channel) unsigned(load *wire.Map, q question) error {
	ret, _ := load.Get("ret")
	switch {
	//mutant:unsigned-answers-stop-no-minion
	case q.pinned != nil && !load.Bool("cluster_retry"):
		return c.fail("sign in", ErrUnproven, fmt.Sprintf("it says %.60q", fmt.Sprint(ret)),
			"another machine may answer there; if the master itself says that it does not know an algorithm, choose another encryption_algorithm or signing_algorithm")
	case ret == "bad enc algo":
		return c.fail("sign in", ErrBadAlgorithm, "encryption_algorithm "+c.cfg.EncryptionAlgorithm, "choose another encryption_algorithm")
	case ret == "bad sig algo":
		return c.fail("sign in", ErrBadAlgorithm, "signing_algorithm "+c.cfg.SigningAlgorithm, "choose another signing_algorithm")
	case load.Bool("cluster_retry"):
		return c.fail("sign in", ErrNotReady, "its cluster is still forming", "")
	default:
		return c.fail("sign in", ErrBadSignature, "the reply is not signed", "a master older than 3002.8 cannot be trusted: update it")
	}
}

func (c *Channel) notAccepted(ret any) error {
	switch ret {
	case true:
		return c.fail("sign in", ErrPending, "", "accept the key on the master: salt-key -a "+pyfmt.ShellKeyName(c.cfg.ID))
	case "full":
		return c.fail("sign in", ErrFull, "", "raise max_minions on the master")
	case false:
		return c.fail("sign in", ErrRejected, "", "delete the key on the master (salt-key -d "+pyfmt.ShellKeyName(c.cfg.ID)+") and start again, if this is the right machine")
	default:
		return c.fail("sign in", ErrBadReply, fmt.Sprintf("ret is %v", ret), "")
	}
}

// checkKey checks the master's key against the pinned one and the key that signs it, and sets
// the key to use from here on.
func (c *Channel) checkKey(g *grant, text string, inner *wire.Map, q question) error {
	const op = "sign in"
	sent, err := newPin(text)
	if err != nil {
		return c.fail(op, ErrBadReply, "pub_key: "+err.Error(), "")
	}
	_, signs := inner.Get("pub_sig")
	verify := c.cfg.VerifyMasterPubkeySign
	same := q.pinned != nil && q.pinned.same(text)
	//mutant:cve2022-22935-another-key
	changed := q.pinned != nil && !same && !c.cfg.OpenMode
	switch {
	case changed && !verify:
		return c.fail(op, ErrMasterKeyChanged, "pinned in "+c.cfg.pinPath(), "if the master was given a new key on purpose, remove that file")
	case signs && !verify:
		return c.fail(op, ErrUnsignedKey, "the master signs its key", "set verify_master_pubkey_sign here or master_sign_pubkey: False there")
	case !signs && verify:
		return c.fail(op, ErrUnsignedKey, "the master does not sign its key", "set master_sign_pubkey there or verify_master_pubkey_sign: False here")
	case verify && (!same || c.cfg.AlwaysVerifySignature):
		if err := c.checkKeySignature(text, inner.Bytes("pub_sig")); err != nil {
			return c.fail(op, ErrUnsignedKey, err.Error(), "copy the master's "+c.cfg.MasterSignKeyName+".pub to "+c.cfg.PkiDir)
		}
	}
	if !same {
		g.master, g.learned = sent, true
	}
	return nil
}

// checkKeySignature verifies pub_sig over the text of the master's key. The signature may be an
// old file, so it uses SHA1 whatever algorithm the sign-in requests.
func (c *Channel) checkKeySignature(text string, pubSig []byte) error {
	signer, err := crypt.LoadPublic(c.cfg.signPath())
	if err != nil {
		return err
	}
	sig, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(pubSig)))
	if err != nil {
		return fmt.Errorf("pub_sig: %w", err)
	}
	err = crypt.Verify(c.cfg.SigningAlgorithm, signer, []byte(text), sig)
	if err != nil && c.cfg.SigningAlgorithm != crypt.PKCS1SHA1 {
		err = crypt.Verify(crypt.PKCS1SHA1, signer, []byte(text), sig)
	}
	if err != nil {
		return fmt.Errorf("pub_sig does not fit %s: %w", c.cfg.signPath(), err)
	}
	return nil
}

// openKeys decrypts the keys of an accepting reply and checks that the sender owns the master's
// key.
func (c *Channel) openKeys(g *grant, inner *wire.Map, q question) error {
	const op = "sign in"
	open := func(field string) (string, error) {
		plain, err := crypt.Decrypt(c.cfg.EncryptionAlgorithm, c.pair.Private, inner.Bytes(field))
		if err != nil {
			return "", c.fail(op, ErrBadReply, field+": "+err.Error(),
				"a master older than 3006.9 knows "+crypt.OAEPSHA1+" alone; the key pair in "+c.cfg.PkiDir+" must be the accepted one")
		}
		return string(plain), nil
	}
	var err error
	if g.aes, err = open("aes"); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(g.aes))
	digest, err := crypt.X931Open(g.master.key, inner.Bytes("sig"))
	if err != nil || subtle.ConstantTimeCompare(digest, []byte(hex.EncodeToString(sum[:]))) != 1 {
		return c.fail(op, ErrBadSignature, "of the shared key", "")
	}
	// A master whose key was just replaced cannot decrypt the challenge, which was made for the
	// old key. The signature of the new key replaces that check.
	if q.pinned != nil && !g.learned {
		token, err := open("token")
		if err != nil || subtle.ConstantTimeCompare([]byte(token), []byte(c.challenge)) != 1 {
			return c.fail(op, ErrBadToken, "", "another master may answer there")
		}
	}
	shared, err := sharedKeys.get(g.aes, crypt.ParseKey)
	if err != nil {
		return c.fail(op, ErrBadReply, "aes: "+err.Error(), "")
	}
	g.aes, g.shared = shared.text, shared.value
	g.version = 2
	if _, ok := inner.Get("session"); !ok {
		return nil
	}
	g.version = 3
	if g.session, err = open("session"); err != nil {
		return err
	}
	if g.private, err = crypt.ParseKey(g.session); err != nil {
		return c.fail(op, ErrBadReply, "session: "+err.Error(), "")
	}
	return nil
}

// checkFinger compares the fingerprint of the key that is pinned or will be.
func (c *Channel) checkFinger(p *pin) error {
	if c.cfg.MasterFinger == "" {
		return nil
	}
	got, err := crypt.Fingerprint([]byte(p.pem), c.cfg.HashType)
	if err != nil {
		return c.fail("sign in", ErrBadFinger, err.Error(), "set hash_type to a known hash")
	}
	if !strings.EqualFold(got, strings.TrimSpace(c.cfg.MasterFinger)) {
		return c.fail("sign in", ErrBadFinger, "it is "+got+", "+c.cfg.FingerOption+" wants "+c.cfg.MasterFinger,
			"compare with salt-key -f master.pub on the master")
	}
	return nil
}

// quote makes a peer's text safe for an error message.
func quote(text string) string {
	const most = 120
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
