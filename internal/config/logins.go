package config

// Options of login services, which read them from Raw. They are written when the program
// starts.
var (
	logins  = map[string]bool{}
	secrets = map[string]bool{} // those of them that nobody else may read
)

// KnowLogin makes the options of a login service known to masters, such as "auth.ldap.uri".
func KnowLogin(options, secret []string) {
	for _, o := range options {
		logins[o] = true
	}
	for _, o := range secret {
		secrets[o] = true
	}
}

// holdsLoginSecret tells of a secret that stands alone, or within the mapping of its login
// service.
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
