package gitrepo

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh"
)

// Auth holds the credentials for a remote: the options user, password, privkey, pubkey, passphrase,
// insecure_auth and ssl_verify.
type Auth struct {
	User, Password string
	// Privkey and Pubkey are files. Without Privkey ssh uses those in ~/.ssh.
	Privkey, Pubkey, Passphrase string
	// InsecureAuth sends a password over http, too.
	InsecureAuth bool
	// AnyCert accepts any https certificate: ssl_verify: False.
	AnyCert bool
}

// endpoint parses a URL and checks it against the credentials.
func endpoint(url string, a Auth) (*transport.Endpoint, error) {
	ep, err := transport.NewEndpoint(url)
	if err != nil {
		return nil, fmt.Errorf("%q is not the address of a repository", url)
	}
	switch ep.Protocol {
	case "file":
		if !filepath.IsAbs(ep.Path) {
			return nil, fmt.Errorf("%q is not an absolute path", ep.Path)
		}
	case "git", "ssh":
	case "http", "https":
		if ep.User == "" {
			ep.User, ep.Password = a.User, a.Password
			if (a.User == "") != (a.Password == "") {
				return nil, errors.New("user and password are set together or not at all")
			}
			//mutant:git-http-password
			if a.User != "" && ep.Protocol == "http" && !a.InsecureAuth {
				return nil, errors.New("a password would be sent unencrypted by http; use https, or set insecure_auth: True")
			}
		}
	default:
		return nil, fmt.Errorf("unknown scheme %q; use https, http, ssh, git or file", ep.Protocol)
	}
	if ep.Protocol != "file" && ep.Host == "" {
		return nil, errors.New("the address has no host")
	}
	if ep.Protocol == "ssh" && ep.User == "" {
		ep.User = a.User
		def(&ep.User, "git")
	}
	return ep, nil
}

// signers returns the ssh keys to authenticate with.
func (a Auth) signers() ([]ssh.Signer, error) {
	if a.Privkey != "" {
		s, err := a.signer(a.Privkey)
		if err != nil {
			return nil, err
		}
		if a.Pubkey == "" {
			return []ssh.Signer{s}, nil
		}
		text, err := os.ReadFile(a.Pubkey)
		if err != nil {
			return nil, fmt.Errorf("pubkey: %w", err)
		}
		pub, _, _, _, err := ssh.ParseAuthorizedKey(text)
		if err != nil {
			return nil, fmt.Errorf("pubkey %s: %w", a.Pubkey, err)
		}
		if !bytes.Equal(pub.Marshal(), s.PublicKey().Marshal()) {
			return nil, fmt.Errorf("pubkey %s is not the public half of privkey %s", a.Pubkey, a.Privkey)
		}
		return []ssh.Signer{s}, nil
	}
	var out []ssh.Signer
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		s, err := a.signer(filepath.Join(sshFolder(), name))
		if err == nil {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no key for ssh: set privkey, or put a key without a passphrase into %s", sshFolder())
	}
	return out, nil
}

func (a Auth) signer(file string) (ssh.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("privkey: %w", err)
	}
	s, err := ssh.ParsePrivateKey(text)
	if missing := (*ssh.PassphraseMissingError)(nil); errors.As(err, &missing) && a.Passphrase != "" {
		s, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(a.Passphrase))
	}
	if err != nil {
		return nil, fmt.Errorf("privkey %s: %w", file, err)
	}
	return s, nil
}

func sshFolder() string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/root"
	}
	return filepath.Join(home, ".ssh")
}

// knownHosts returns the files with known host keys.
func knownHosts() ([]string, error) {
	all := []string{filepath.Join(sshFolder(), "known_hosts"), "/etc/ssh/ssh_known_hosts"}
	there := slices.DeleteFunc(slices.Clone(all), func(f string) bool {
		_, err := os.Stat(f)
		return err != nil
	})
	if len(there) == 0 {
		return nil, fmt.Errorf("unknown host key; add it to %s with ssh-keyscan, and verify it", all[0])
	}
	return there, nil
}
