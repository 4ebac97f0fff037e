package config

// ReadMaster is [LoadMaster] for who only looks: beside the error, that of [LoadMaster],
// comes what can be known all the same. No master starts with that.
func ReadMaster(dir string) (*Master, []Warning, error) { return readMaster(dir, localHost) }

// ReadMinion is [LoadMinion] for who only looks: it writes nothing.
func ReadMinion(dir string) (*Minion, []Warning, error) { return loadMinion(dir, localHost, false) }
