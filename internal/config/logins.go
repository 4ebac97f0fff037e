package config

// Options of login services, which read them from Raw; written when the program starts.
var (
	logins  = map[string]bool{}
	secrets = map[string]bool{} // those that nobody else may read
)

// KnowLogin registers the options of a login service with masters, such as "auth.ldap.uri".
func KnowLogin(options, secret []string) {
	for _, o := range options {
		logins[o] = true
	}
	for _, o := range secret {
		secrets[o] = true
	}
}

// holdsLoginSecret reports whether a setting is a secret of a login service, or the map of a
// login service with one.
func holdsLoginSecret(s setting) bool {
	if secrets[s.name] {
		return true
	}
	within, _ := s.value.(map[string]any)
	for name, v := range within {
		if v != nil && v != "" && secrets[s.name+"."+name] {
			return true
		}
	}
	return false
}
