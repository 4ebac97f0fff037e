package keyring

import (
	"errors"
	"log/slog"
	"runtime"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/keys"
)

// Options of a [Ring]. None may be left out.
type Options struct {
	Config *config.Master
	// ID is what this master is called in events.
	ID   string
	Fire func(tag string, data *wire.Map)
	// Rotated is called when there is a new shared key.
	Rotated func()
	Log     *slog.Logger
	Now     func() time.Time
}

// Ring is safe for concurrent use.
type Ring struct {
	// Store has the keys of peers; whoever runs it follows their folders.
	*keys.Store
	Identity *keys.Identity
	Sessions *keys.Sessions
	Toks     *keys.Toks
	Shared   *keys.Shared
	// Turns bound who uses the private key of Identity.
	Turns admission.Turns

	o Options
}

// Open reads the keys, and makes those that are missing.
func Open(o Options) (_ *Ring, err error) {
	c := o.Config
	r := &Ring{o: o, Turns: admission.NewTurns(max(runtime.GOMAXPROCS(0)-1, 1))}
	//mutant:open-keys-are-noticed
	told, err := crypt.Guard(c.PkiDir, c.PermissivePkiAccess, "master", c.MasterSignKeyName)
	if err != nil {
		return nil, err
	}
	for _, text := range told {
		o.Log.Warn("master key files were readable by others, mode fixed", "found", text)
	}
	r.Identity, err = keys.OpenIdentity(keys.IdentityOptions{
		PkiDir: c.PkiDir, Keysize: c.Keysize, KeyPass: c.KeyPass,
		MasterSignPubkey: c.MasterSignPubkey, MasterSignKeyName: c.MasterSignKeyName, SigningKeyPass: c.SigningKeyPass,
		MasterUsePubkeySignature: c.MasterUsePubkeySignature, MasterPubkeySignature: c.MasterPubkeySignature,
	})
	if err != nil {
		return nil, err
	}
	if r.Shared, err = keys.NewShared(o.Now); err != nil {
		return nil, err
	}
	r.Store, err = keys.Open(keys.Options{
		PkiDir: c.PkiDir, HashType: c.HashType, AutosignTimeout: c.AutosignTimeout, Log: o.Log, Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	r.Toks = keys.NewToks(r.Store)
	r.Sessions, err = keys.OpenSessions(r.Store, keys.SessionOptions{Cachedir: c.Cachedir, Life: c.PublishSession, Log: o.Log, Now: o.Now})
	if err != nil {
		return nil, errors.Join(err, r.Store.Close())
	}
	return r, nil
}

// Close ends what follows the folders of keys, and writes the sessions.
func (r *Ring) Close() error { return errors.Join(r.Sessions.Close(), r.Store.Close()) }

// Gate puts the rules of sign-in together from the configuration. user is the login the
// master runs as; vouched and connected are described at [keys.Policy].
func (r *Ring) Gate(publishPort int, user string, vouched func(id, pub string, voucher []byte) bool, connected func(id string) (int, bool)) *keys.Gate {
	c := r.o.Config
	return &keys.Gate{
		Identity: r.Identity, Sessions: r.Sessions, AES: r.Shared.Text, PublishPort: publishPort, Log: r.o.Log,
		Decider: keys.NewDecider(r.Store, keys.Policy{
			AutoAccept: c.AutoAccept, OpenMode: c.OpenMode, AutosignFile: c.AutosignFile, AutorejectFile: c.AutorejectFile,
			AutosignGrainsDir: c.AutosignGrainsDir, PermissivePkiAccess: c.PermissivePkiAccess, User: user,
			Vouched: vouched, MaxMinions: c.MaxMinions, Connected: connected, MaxPending: c.MaxPendingKeys, Log: r.o.Log,
		}),
	}
}

// Desk changes keys on behalf of operators and of the minions themselves.
func (r *Ring) Desk() keys.Desk {
	d := keys.Desk{Store: r.Store, Fire: r.o.Fire}
	if r.o.Config.RotateAesKey {
		d.Rotate = func() error { return keys.RequestRotation(r.o.Config.Cachedir, r.o.ID) }
	}
	return d
}
