package gitrepo

import "net/url"

// Redacted returns a URL without its password.
func Redacted(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return text
	}
	if _, has := u.User.Password(); !has {
		return text
	}
	u.User = url.User(u.User.Username())
	return u.String()
}
