package config

// ReadMaster is [LoadMaster] for programs that only inspect a configuration. With an error, it
// also returns the readable options; no master starts with those.
func ReadMaster(dir string) (*Master, []Warning, error) { return readMaster(dir, localHost) }

// ReadMinion is [LoadMinion] without writing any file.
func ReadMinion(dir string) (*Minion, []Warning, error) { return loadMinion(dir, localHost, false) }
