package wheels

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/value"
)

const keyPairArgs = `
id_
    The id of the minion.
keysize : 2048
    The length of the key, in bits.
`

func init() {
	Register(
		Function{Name: "key.gen", Args: []string{"id_=", "keysize="}, Private: true, Run: keyGen, Doc: `
Creates a key pair for a minion, and stores neither key. The keys are not on the event bus.
` + keyPairArgs + `
    wheel.cmd('key.gen')
`},
		Function{Name: "key.gen_accept", Args: []string{"id_", "keysize=", "force="}, Private: true, Run: keyGenAccept, Doc: `
Creates a key pair for a minion and accepts the public key, so that the minion can sign in
at once. The keys are not on the event bus. For an id with an accepted key the answer is
empty.
` + keyPairArgs + `
force : False
    Replace an accepted key.

    wheel.cmd('key.gen_accept', ['web1'])
`},
	)
}

func keyGen(_ context.Context, c *Call) (any, error) {
	_, pair, err := newPair(c)
	return pair, err
}

func keyGenAccept(_ context.Context, c *Call) (any, error) {
	force, err := c.Flag("force", false)
	if err != nil {
		return nil, err
	}
	id := c.Text("id_")
	if err := keys.ValidID(id); err != nil {
		return nil, functions.Invalid("%w", err)
	}
	if !force && c.Env.Keys.Store.Accepted(id) { // check first: creating a pair takes time
		return value.NewMap(), nil
	}
	public, pair, err := newPair(c)
	if err != nil {
		return nil, err
	}
	switch err := c.Env.Keys.Enter(id, []byte(public), force); {
	case errors.Is(err, keys.ErrTaken):
		return value.NewMap(), nil
	case err != nil:
		return nil, err
	}
	return pair, nil
}

// newPair creates a key pair and returns it in Salt's form.
func newPair(c *Call) (public string, pair *value.Map, err error) {
	bits, err := keysize(c)
	if err != nil {
		return "", nil, err
	}
	made, err := crypt.NewKeyPair(bits)
	if err != nil {
		return "", nil, err
	}
	private, err := crypt.PrivatePEM(made.Private, "")
	if err != nil {
		return "", nil, err
	}
	return made.PublicPEM, value.NewMap("pub", made.PublicPEM, "priv", string(private)), nil
}

// keysize reads the key length, in bits.
func keysize(c *Call) (bits int, err error) {
	if _, given := c.Given("keysize"); !given {
		return crypt.DefaultBits, nil
	}
	if bits, err = c.Count("keysize"); err != nil {
		return 0, err
	}
	if bits < crypt.DefaultBits {
		return 0, functions.Invalid("keysize=%d is less than %d bits", bits, crypt.DefaultBits)
	}
	return bits, nil
}
