package keys

import (
	"errors"
	"log/slog"
	"runtime"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/admission"
)

// RingOptions of a [Ring]. All are required.
type RingOptions struct {
	Config *config.Master
	// ID is the id of this master in events.
	ID   string
	Fire func(tag string, data *wire.Map)
	Log  *slog.Logger
	Now  func() time.Time
}

// Ring holds the keys of a master. It is safe for concurrent use.
type Ring struct {
	// Store holds the keys of peers. Its caller runs it to watch their folders.
	*Store
	Identity *Identity
	Sessions *Sessions
	Toks     *Toks
	Shared   *Shared
	// Turns limits concurrent uses of the private key.
	Turns admission.Turns

	o         RingOptions
	onRotated []func()
}

// OnRotated adds a function that is called after each rotation of the shared key. Functions are added
// before the keys are used.
func (r *Ring) OnRotated(f func()) { r.onRotated = append(r.onRotated, f) }

// OpenRing reads the keys and generates missing ones.
func OpenRing(o RingOptions) (_ *Ring, err error) {
	c := o.Config
	r := &Ring{o: o, Turns: admission.NewTurns(max(runtime.GOMAXPROCS(0)-1, 1))}
	//mutant:open-keys-are-noticed
	found, err := crypt.Guard(c.PkiDir, c.PermissivePkiAccess, "master", c.MasterSignKeyName)
	if err != nil {
		return nil, err
	}
	for _, text := range found {
		o.Log.Warn("master key files were readable by others, mode fixed", "found", text)
	}
	r.Identity, err = OpenIdentity(IdentityOptions{
		PkiDir: c.PkiDir, Keysize: c.Keysize, KeyPass: c.KeyPass,
		MasterSignPubkey: c.MasterSignPubkey, MasterSignKeyName: c.MasterSignKeyName, SigningKeyPass: c.SigningKeyPass,
		MasterUsePubkeySignature: c.MasterUsePubkeySignature, MasterPubkeySignature: c.MasterPubkeySignature,
	})
	if err != nil {
		return nil, err
	}
	if r.Shared, err = NewShared(o.Now); err != nil {
		return nil, err
	}
	r.Store, err = Open(Options{
		PkiDir: c.PkiDir, HashType: c.HashType, AutosignTimeout: c.AutosignTimeout, Log: o.Log, Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	r.Toks = NewToks(r.Store)
	r.Sessions, err = OpenSessions(r.Store, SessionOptions{Cachedir: c.Cachedir, Life: c.PublishSession, Log: o.Log, Now: o.Now})
	if err != nil {
		return nil, errors.Join(err, r.Store.Close())
	}
	return r, nil
}

// Close stops watching folders and saves the sessions.
func (r *Ring) Close() error { return errors.Join(r.Sessions.Close(), r.Store.Close()) }

// Gate returns the sign-in handler. user is the login the master runs as; for vouched and connected
// see [Policy].
func (r *Ring) Gate(publishPort int, user string, vouched func(id, pub string, voucher []byte) bool, connected func(id string) (int, bool)) *Gate {
	c := r.o.Config
	return &Gate{
		Identity: r.Identity, Sessions: r.Sessions, AES: r.Shared.Text, PublishPort: publishPort, Log: r.o.Log,
		Decider: NewDecider(r.Store, Policy{
			AutoAccept: c.AutoAccept, OpenMode: c.OpenMode, AutosignFile: c.AutosignFile, AutorejectFile: c.AutorejectFile,
			AutosignGrainsDir: c.AutosignGrainsDir, AuthEventsAutosignGrains: c.AuthEventsAutosignGrains,
			PermissivePkiAccess: c.PermissivePkiAccess, User: user,
			Vouched: vouched, MaxMinions: c.MaxMinions, Connected: connected, MaxPending: c.MaxPendingKeys, Log: r.o.Log,
		}),
	}
}

// Editor returns a service that changes keys for operators and minions.
func (r *Ring) Editor() Editor {
	d := Editor{Store: r.Store, Fire: r.o.Fire}
	if r.o.Config.RotateAesKey {
		d.Rotate = func() error { return RequestRotation(r.o.Config.Cachedir, r.o.ID) }
	}
	return d
}
