package config

// ReadMinion is [LoadMinion] for who only looks: it writes nothing.
func ReadMinion(dir string) (*Minion, []Warning, error) { return loadMinion(dir, localHost, false) }
