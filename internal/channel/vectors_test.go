package channel

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// readVectors reads a file recorded from Salt.
func readVectors[T any](t *testing.T, name string) T {
	t.Helper()
	var v T
	vectors.Load(t, name, &v)
	return v
}

// vectorChannel returns a channel that has one of the recorded keys and opens no connection.
func vectorChannel(t *testing.T, id, key string) *Channel {
	t.Helper()
	dir := t.TempDir()
	channeltest.WriteKeys(t, dir, key, "minion")
	return open(t, Config{ID: id, PkiDir: dir, Host: "127.0.0.1", Log: quiet})
}

var keyOf = map[string]string{"m1": "minion", "syndic-1": "syndic", "vec1": "minion", "vec2": "minion2"}

// recalled returns the question of a recorded sign-in: the pinned key, and the challenge in its
// token, decrypted with the master's key.
func recalled(t *testing.T, c *Channel, request []byte) question {
	t.Helper()
	env, err := wire.ParseEnvelope(request)
	if err != nil {
		t.Fatal(err)
	}
	load, err := wire.DecodeMap(env.Load)
	if err != nil {
		t.Fatal(err)
	}
	q := question{nonce: load.String("nonce")}
	c.cfg.EncryptionAlgorithm = or(load.String("enc_algo"), crypt.OAEPSHA1)
	c.cfg.SigningAlgorithm = or(load.String("sig_algo"), crypt.PKCS1SHA1)
	master := channeltest.Key(t, "master")
	if token := load.Bytes("token"); token != nil {
		if q.pinned, err = newPin(master.PublicPEM); err != nil {
			t.Fatal(err)
		}
		plain, err := crypt.Decrypt(c.cfg.EncryptionAlgorithm, master.Private, token)
		if err == nil {
			c.challenge = string(plain)
		}
	}
	return q
}

func TestVectors_LiveSignIn(t *testing.T) {
	type file struct {
		Exchanges []struct {
			ID             string
			Request, Reply []byte
			AES            string                `json:"aes_key_string"`
			Session        string                `json:"session_key_string"`
			Outer          struct{ Version int } `json:"request_outer"`
		}
	}
	for _, name := range []string{"live_v2_auth.json", "live_v3_auth.json"} {
		for i, x := range readVectors[file](t, name).Exchanges {
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				c := vectorChannel(t, x.ID, keyOf[x.ID])
				q := recalled(t, c, x.Request)
				g, err := c.judge(x.Reply, q)
				if err != nil {
					t.Fatal(err)
				}
				if g.aes != x.AES || g.session != x.Session || g.version != x.Outer.Version || g.publishPort == 0 {
					t.Errorf("aes %q session %q version %d port %d", g.aes, g.session, g.version, g.publishPort)
				}
				if g.learned != (q.pinned == nil) {
					t.Errorf("learned %v", g.learned)
				}
				if x.Outer.Version == 3 && q.pinned == nil {
					ours, err := c.ask(q)
					if err != nil || !bytes.Equal(ours, x.Request) {
						t.Errorf("our request differs from the recorded one (%v)", err)
					}
				}
			})
		}
	}
}

func TestVectors_SignInForms(t *testing.T) {
	type file struct {
		AES   string `json:"aes_key_string"`
		Cases []struct {
			Name           string
			Version        int
			Options        map[string]any
			Request, Reply []byte
			Signed         *struct {
				Ret any `json:"ret"`
			} `json:"signed_load"`
			Shape     any `json:"reply_shape"`
			Decrypted *struct{ AES, Session string }
		}
	}
	for _, name := range []string{"auth_forms_v0_v2.json", "auth_forms_v3.json"} {
		f := readVectors[file](t, name)
		for _, x := range f.Cases {
			if x.Reply == nil {
				continue // the master raised an exception and sent no reply
			}
			t.Run(fmt.Sprint(name, "/", x.Version, "/", x.Name), func(t *testing.T) {
				c := vectorChannel(t, "vec1", "minion")
				var q question
				if _, err := wire.ParseEnvelope(x.Request); err == nil && x.Shape != "bad load" {
					q = recalledOrNone(t, c, x.Request)
				}
				if x.Options["master_sign_pubkey"] == true {
					c.cfg.VerifyMasterPubkeySign = true
					writeFile(t, c.cfg.signPath(), channeltest.Key(t, "sign").PublicPEM)
				}
				g, err := c.judge(x.Reply, q)
				switch {
				case x.Version < 2:
					if err == nil {
						t.Error("an unsigned reply was accepted")
					}
				case x.Name == "token does not decrypt":
					if !errors.Is(err, ErrBadToken) {
						t.Errorf("got %v", err)
					}
				case x.Decrypted != nil:
					if err != nil || g.aes != f.AES || g.session != x.Decrypted.Session {
						t.Errorf("%v, aes %q session %q", err, g.aes, g.session)
					}
				case x.Signed != nil:
					want := map[any]error{true: ErrPending, false: ErrRejected, "full": ErrFull}[x.Signed.Ret]
					if want == nil || !errors.Is(err, want) {
						t.Errorf("got %v, want %v", err, want)
					}
				default:
					if err == nil {
						t.Error("accepted")
					}
				}
			})
		}
	}
}

// recalledOrNone is recalled for requests that may not be a sign-in.
func recalledOrNone(t *testing.T, c *Channel, request []byte) question {
	env, err := wire.ParseEnvelope(request)
	if err != nil {
		return question{}
	}
	if _, err := wire.DecodeMap(env.Load); err != nil {
		return question{}
	}
	return recalled(t, c, request)
}

func TestVectors_LiveRequests(t *testing.T) {
	type file struct {
		Rows []struct {
			Outer          struct{ Version int }
			Key            string `json:"key_string"`
			Request, Reply []byte
			Value          json.RawMessage `json:"reply_value"`
		}
	}
	for _, name := range []string{"live_v2_requests.json", "live_v3_requests.json"} {
		for i, x := range readVectors[file](t, name).Rows {
			if x.Request == nil {
				continue // the request held the machine's grains
			}
			t.Run(fmt.Sprint(name, i), func(t *testing.T) {
				box, err := crypt.ParseKey(x.Key)
				if err != nil {
					t.Fatal(err)
				}
				env, err := wire.ParseEnvelope(x.Request)
				if err != nil {
					t.Fatal(err)
				}
				plain, err := box.Open(env.Cipher)
				if err != nil {
					t.Fatal(err)
				}
				load, err := wire.DecodeMap(plain)
				if err != nil {
					t.Fatal(err)
				}
				k := &credentials{Result: Result{Version: x.Outer.Version}, shared: box}
				if k.Version == 3 {
					k.private = box
				}
				checkReply(t, k, x.Reply, load.String("nonce"), x.Value)
				checkRequest(t, k, env, load, plain)
			})
		}
	}
}

// checkReply opens a recorded reply, and checks that it is refused with another nonce.
func checkReply(t *testing.T, k *credentials, reply []byte, nonce string, want json.RawMessage) {
	t.Helper()
	value, err := openReply(k, reply, nonce)
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.ToJSON(value)
	if err != nil || len(want) > 0 && !sameJSON(t, got, want) {
		t.Errorf("value %s (%v), want %s", got, err, want)
	}
	if _, err := openReply(k, reply, wire.NewNonce()); !errors.Is(err, ErrBadNonce) {
		t.Errorf("under another nonce: %v", err)
	}
}

// checkRequest builds the recorded request again and compares the bytes with Salt's.
func checkRequest(t *testing.T, k *credentials, env wire.Envelope, load *wire.Map, plain []byte) {
	t.Helper()
	id := load.String("id")
	if id == "" {
		id = env.ID
	}
	if keyOf[id] == "" {
		return // a version 2 load without an id
	}
	c := vectorChannel(t, id, keyOf[id])
	c.cfg.Now = func() time.Time { return time.Unix(load.Int("ts"), 0) }
	if env.EncAlgo == "" { // recorded from a Salt before there were algorithms
		env.EncAlgo, env.SigAlgo = crypt.OAEPSHA1, crypt.PKCS1SHA1
	}
	bare, past := wire.NewMap(), false
	load.Range(func(key, v any) bool {
		past = past || key == "nonce"
		if !past { // fields after the nonce come from the channel
			bare.Set(key, v)
		}
		return true
	})
	body, err := c.seal(k, bare, load.String("nonce"), false)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := wire.ParseEnvelope(body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.requests().Open(ours.Cipher)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, plain) {
		a, _ := wire.DecodeMap(got)
		t.Errorf("load differs:\n ours %v\n Salt %v", a.Keys(), load.Keys())
	}
	if ours.Version != env.Version || ours.ID != env.ID || ours.EncAlgo != env.EncAlgo || ours.SigAlgo != env.SigAlgo {
		t.Errorf("envelope %+v, want %+v", ours, env)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

func TestVectors_Version3Replies(t *testing.T) {
	type file struct {
		Sessions map[string]string `json:"session_keys"`
		AES      string            `json:"aes_key_string"`
		Cases    []struct {
			Name           string
			Request, Reply []byte
			Load           map[string]any
			With           string          `json:"reply_key"`
			Text           string          `json:"reply_text"`
			Decrypted      json.RawMessage `json:"reply_decrypted"`
			Private        map[string]any
		}
	}
	f := readVectors[file](t, "requests_v3.json")
	keys := map[string]string{"aes": f.AES}
	for id, key := range f.Sessions {
		keys[id] = key
	}
	for _, x := range f.Cases {
		if x.Reply == nil {
			continue
		}
		t.Run(x.Name, func(t *testing.T) {
			c := vectorChannel(t, "vec1", "minion")
			box, err := crypt.ParseKey(keys[or(x.With, "vec1")])
			if err != nil {
				t.Fatal(err)
			}
			master := channeltest.Key(t, "master")
			k := &credentials{shared: box, masterKey: &master.Private.PublicKey}
			nonce, _ := x.Load["nonce"].(string)
			switch {
			case x.Private != nil:
				env, err := wire.ParseEnvelope(x.Request)
				if err != nil {
					t.Fatal(err)
				}
				c.cfg.EncryptionAlgorithm, c.cfg.SigningAlgorithm = env.EncAlgo, env.SigAlgo
				if _, err := c.openPillar(k, x.Reply, nonce); err != nil {
					t.Error(err)
				}
				if _, err := c.openPillar(k, x.Reply, wire.NewNonce()); !errors.Is(err, ErrBadNonce) {
					t.Errorf("under another nonce: %v", err)
				}
			case x.Text != "":
				var refused *refusal
				if _, err := openReply(k, x.Reply, nonce); !errors.As(err, &refused) {
					t.Errorf("got %v", err)
				}
			case nonce != "":
				value, err := openReply(k, x.Reply, nonce)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := wire.ToJSON(value); err != nil || !sameJSON(t, got, x.Decrypted) {
					t.Errorf("%s %v", got, err)
				}
			default: // a reply without nonce is not accepted
				if _, err := openReply(k, x.Reply, wire.NewNonce()); err == nil {
					t.Error("a reply without nonce was taken")
				}
			}
		})
	}
}

func TestVectors_Publications(t *testing.T) {
	type row struct {
		Connection int
		Frames     []string
		Topic      *string
		Load       map[string]any
		Serial     int64
		AES        string `json:"aes_key_string"`
		Signed     bool
	}
	type session struct {
		Rows     []row `json:"minion_publications"`
		Session  string
		Protocol string
		Options  struct {
			Sign bool `json:"sign_pub_messages"`
		} `json:"minion_options"`
	}
	var sessions []session
	sessions = append(sessions, readVectors[struct{ Sessions []session }](t, "publications.json").Sessions...)
	for _, v := range []string{"v2", "v3"} {
		byConn := map[int]*session{}
		for _, r := range readVectors[struct{ Rows []row }](t, "live_"+v+"_publications.json").Rows {
			s := byConn[r.Connection]
			if s == nil {
				s = &session{Session: fmt.Sprint("live ", r.Connection), Protocol: v}
				byConn[r.Connection] = s
			}
			s.Rows = append(s.Rows, r)
		}
		for _, s := range byConn {
			sessions = append(sessions, *s)
		}
	}
	for _, s := range sessions {
		t.Run(s.Protocol+" "+s.Session, func(t *testing.T) {
			c := vectorChannel(t, "m1", "minion")
			c.cfg.SignPubMessages = s.Options.Sign
			master := channeltest.Key(t, "master")
			for _, r := range s.Rows {
				if k := c.current(); k == nil || k.AES != r.AES {
					box, err := crypt.ParseKey(r.AES)
					if err != nil {
						t.Fatal(err)
					}
					c.store(&credentials{Result: Result{AES: r.AES}, shared: box, serial: new(serials), masterKey: &master.Private.PublicKey})
				}
				body, err := base64.StdEncoding.DecodeString(r.Frames[len(r.Frames)-1])
				if err != nil {
					t.Fatal(err)
				}
				p, err := c.OpenPublication(within(t), body)
				if err != nil {
					t.Fatal(err)
				}
				if p.JID != r.Load["jid"] || p.Serial != r.Serial {
					t.Errorf("jid %s serial %d, want %v %d", p.JID, p.Serial, r.Load["jid"], r.Serial)
				}
				if _, err := c.OpenPublication(within(t), body); !errors.Is(err, ErrReplayed) {
					t.Errorf("the same message again: %v", err)
				}
				if r.Topic != nil && *r.Topic != "broadcast" && *r.Topic != c.Topics(true)[1] {
					t.Errorf("topic %s is not one of %v", *r.Topic, c.Topics(true))
				}
			}
		})
	}
}
