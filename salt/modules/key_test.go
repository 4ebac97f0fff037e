package modules

import (
	"os"
	"path/filepath"
	"testing"
)

// aPublicKey has the fingerprints below in Salt 3006.27.
const aPublicKey = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnx+XmSSkpUD4GqJxFaNz
0pJ2CI/QWPrX2l9W5c8qg83i45q0iQVJBGw8Tq+jjDUNXCthGZb8RSTi2sdU3eed
6FTlyT5+J/4Ik18S/A8LnYijEqV+2h229HBvmybXCnxa4pjLJcCkc66vuu8iQ5qZ
53X0XVPehZOJ3qGGTVPHtLHJ/uYb4EitVyJ/sQVcFF+1Q9aW/Q4xJW0LvxqI+7Dr
5yte5uNGLPt2TJKMaefJWUWlQoBvR/XwQrFRQzOWgXKRIwEh534r3Xe4xabhWuXn
4WYAPiaU6EC399vkVD7h9Joe7z0231gSMlYO5/5zYGlnaBKHYDiDH45xQGp+0sa9
pwIDAQAB
-----END PUBLIC KEY-----
`

func TestKey(t *testing.T) {
	const sha256 = "3e:67:35:f7:0c:3f:27:ee:32:c3:85:03:4b:4c:53:b0:fd:c1:43:26:78:1b:b2:c4:67:58:63:1d:cd:15:e2:dc"
	const md5 = "5d:31:88:ad:20:0c:0d:11:4d:aa:c0:47:de:a1:14:9f"
	dir := t.TempDir()
	env := newEnv()
	env.options.Set("pki_dir", dir)
	env.options.Set("hash_type", "sha256")
	calls(t, env, []callCase{{"key.finger", nil, ""}, {"key.finger_master", nil, ""}})
	for _, name := range []string{"minion.pub", "minion_master.pub"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(aPublicKey), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls(t, env, []callCase{
		{"key.finger", nil, sha256},
		{"key.finger_master", nil, sha256},
		{"key.finger", []any{"md5"}, md5},
		{"key.finger", []any{kw("hash_type", "md5")}, md5},
		{"key.finger", []any{"rot13"}, "ERROR: fingerprint of " + filepath.Join(dir, "minion.pub") +
			`: fingerprint: unknown algorithm: hash_type "rot13", known are md5, sha1, sha224, sha256, sha384, sha512`},
	})
}
